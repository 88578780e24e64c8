import type { z } from 'zod';
import { findButton } from '../core/commands/buttons.ts';
import { isLabelOfOurs } from '../core/commands/labels.ts';
import type { CommentKind, Event } from '../core/model/event.ts';
import type { Sha } from '../core/model/ids.ts';
import type { Actor, RepositoryRef } from '../core/model/pull-request.ts';
import { isPolicyPath } from '../core/policy/policy-place.ts';
import {
  type Account,
  type ActionEvent,
  CheckRunPayload,
  CheckSuitePayload,
  type Comment,
  InstallationPayload,
  InstallationRepositoriesPayload,
  type InstalledRepository,
  IssueCommentPayload,
  PullRequestPayload,
  PushPayload,
  type RepositoryEvent,
  ReviewCommentPayload,
  type ReviewEvent,
  ReviewPayload,
  ReviewThreadPayload,
  StatusPayload,
  WorkflowRunPayload,
} from './payload-schemas.ts';

/** Who we are on GitHub, to recognise our own events. Ids only: a login can be renamed and taken over (T9). */
export interface OwnIdentity {
  readonly appId: number;
  /** User id of `<slug>[bot]`; null while it is not known. */
  readonly botUserId: number | null;
}

/** What a payload means to Ratchet. `where` is the path of the invalid field, never a value. */
export type Mapping =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'ignored'; readonly why: IgnoredWhy }
  | { readonly kind: 'invalid'; readonly where: string };

/** Why a well-formed delivery wakes nothing. */
export type IgnoredWhy =
  | 'unused_event'
  | 'unused_action'
  | 'own_echo'
  | 'not_a_pull_request'
  | 'not_a_branch'
  | 'no_author';

type Mapper = (payload: unknown, own: OwnIdentity) => Mapping;

const pullRequestActions: ReadonlySet<string> = new Set([
  'opened',
  'reopened',
  'synchronize',
  'edited',
  'closed',
  'ready_for_review',
  'converted_to_draft',
  'labeled',
  'unlabeled',
  'enqueued',
  'dequeued',
  'auto_merge_enabled',
  'auto_merge_disabled',
]);

const installationChanges: ReadonlyMap<string, 'added' | 'removed' | 'suspended' | 'unsuspended'> = new Map([
  ['created', 'added'],
  ['new_permissions_accepted', 'added'],
  ['deleted', 'removed'],
  ['suspend', 'suspended'],
  ['unsuspend', 'unsuspended'],
] as const);

const MAPPERS = {
  pull_request: mapper(PullRequestPayload, mapPullRequest),
  check_run: mapper(CheckRunPayload, mapCheckRun),
  check_suite: mapper(CheckSuitePayload, mapCheckSuite),
  workflow_run: mapper(WorkflowRunPayload, mapWorkflowRun),
  status: mapper(StatusPayload, mapStatus),
  issue_comment: mapper(IssueCommentPayload, mapIssueComment),
  pull_request_review_comment: mapper(ReviewCommentPayload, mapReviewComment),
  pull_request_review: mapper(ReviewPayload, mapReviewChange),
  pull_request_review_thread: mapper(ReviewThreadPayload, mapReviewChange),
  push: mapper(PushPayload, mapPush),
  installation: mapper(InstallationPayload, mapInstallation),
  installation_repositories: mapper(InstallationRepositoriesPayload, mapInstallationRepositories),
} as const satisfies Readonly<Record<string, Mapper>>;

/** Webhook events that can become an `Event`. The App subscribes to these only. */
export const usedEventNames: readonly string[] = Object.keys(MAPPERS);

/** Whether the webhook event can become an `Event`. */
export function isUsedEventName(eventName: string): eventName is keyof typeof MAPPERS {
  return Object.hasOwn(MAPPERS, eventName);
}

/** Maps a verified, parsed payload. Never throws: bad data is a returned kind, and unknown values are ignored. */
export function toEvent(eventName: string, payload: unknown, own: OwnIdentity): Mapping {
  return isUsedEventName(eventName) ? MAPPERS[eventName](payload, own) : ignored('unused_event');
}

function mapper<Schema extends z.ZodType>(
  schema: Schema,
  map: (payload: z.infer<Schema>, own: OwnIdentity) => Mapping,
): Mapper {
  return (payload, own) => {
    const parsed = schema.safeParse(payload);
    if (parsed.success) return map(parsed.data, own);
    return { kind: 'invalid', where: parsed.error.issues[0]?.path.join('.').slice(0, 80) ?? '' };
  };
}

function mapPullRequest(payload: z.infer<typeof PullRequestPayload>): Mapping {
  if (!pullRequestActions.has(payload.action)) return ignored('unused_action');
  const { head, base } = payload.pull_request;
  const { number } = payload;
  const repository = toRepositoryRef(payload);
  const headRef = head.repo?.id === repository.repositoryId ? head.ref : null;
  const pullRequest = { repository, number, headSha: head.sha, headRef, baseRef: base.ref };
  const isLabelChange = payload.action === 'labeled' || payload.action === 'unlabeled';
  const label = payload.label?.name;
  if (!isLabelChange || label === undefined || !isLabelOfOurs(label)) {
    return mapped({ kind: 'pull_request_changed', ...pullRequest });
  }
  const change = payload.action === 'labeled' ? 'added' : 'removed';
  const author = toAuthor(payload.sender, payload.sender);
  return mapped({ kind: 'label_changed', ...pullRequest, label, change, author });
}

// `pull_requests[]` of CI events is empty for forks and may be stale. Only the head identifies the pull requests
// concerned.
function mapCheckRun(payload: z.infer<typeof CheckRunPayload>, own: OwnIdentity): Mapping {
  const run = payload.check_run;
  if (payload.action === 'requested_action' && run.app?.id === own.appId) return mapButton(payload);
  const head = { sha: run.head_sha, ref: run.check_suite.head_branch ?? null, app: run.app };
  return mapCiChange(payload, { ...head, checkRunId: run.id, name: run.name }, own);
}

/**
 * Our check run's `external_id` is `<repositoryId>#<number>`, with `:<run>` or `:<generation>` after it for some check runs, or both. Only
 * buttons that we offer are accepted.
 */
function mapButton(payload: z.infer<typeof CheckRunPayload>): Mapping {
  const repository = toRepositoryRef(payload);
  const { id: checkRunId, external_id: externalId } = payload.check_run;
  const button = findButton(payload.requested_action?.identifier ?? '');
  const found = /^(\d+)#(\d{1,10})(?::[\w-]{1,64}){0,2}$/.exec(externalId ?? '');
  if (button === null || Number(found?.[1]) !== repository.repositoryId) return ignored('unused_action');
  const author = toAuthor(payload.sender, payload.sender);
  const number = Number(found?.[2]);
  return mapped({
    kind: 'button_pressed',
    repository,
    number,
    checkRunId,
    button: button.name,
    args: button.args,
    author,
  });
}

function mapCheckSuite(payload: z.infer<typeof CheckSuitePayload>, own: OwnIdentity): Mapping {
  const suite = payload.check_suite;
  const head = { sha: suite.head_sha, ref: suite.head_branch, app: suite.app };
  return mapCiChange(payload, { ...head, checkRunId: suite.id, ...toEnded(payload) }, own);
}

function mapCiChange(
  payload: ActionEvent,
  head: {
    readonly sha: Sha;
    readonly ref: string | null;
    readonly app: { readonly id: number } | null | undefined;
    readonly checkRunId: number;
    readonly name?: string | null | undefined;
    readonly ended?: true;
  },
  own: OwnIdentity,
): Mapping {
  const facts = { repository: toRepositoryRef(payload), headSha: head.sha, headRef: head.ref };
  if (head.app?.id !== own.appId) {
    return mapped({ kind: 'ci_changed', ...facts, ...(head.ended === true ? { ended: true } : {}) });
  }
  if (payload.action !== 'rerequested') return ignored('own_echo');
  const author = toAuthor(payload.sender, payload.sender);
  const { checkRunId, name } = head;
  const named = typeof name === 'string' ? { checkName: name } : {};
  return mapped({ kind: 'rerun_requested', ...facts, checkRunId, ...named, author });
}

function mapWorkflowRun(payload: z.infer<typeof WorkflowRunPayload>): Mapping {
  const { head_sha: headSha, head_branch: headRef } = payload.workflow_run;
  return mapped({ kind: 'ci_changed', repository: toRepositoryRef(payload), headSha, headRef, ...toEnded(payload) });
}

function toEnded({ action }: ActionEvent): { readonly ended?: true } {
  return action === 'completed' ? { ended: true } : {};
}

function mapStatus(payload: z.infer<typeof StatusPayload>): Mapping {
  // `branches` lists every branch that contains the commit. Only a branch whose tip is the commit says where it
  // belongs.
  const tips = payload.branches.filter((branch) => branch.commit.sha === payload.sha);
  const headRef = tips.length === 1 ? (tips[0]?.name ?? null) : null;
  const ended = payload.state === 'pending' ? {} : ({ ended: true } as const);
  return mapped({ kind: 'ci_changed', repository: toRepositoryRef(payload), headSha: payload.sha, headRef, ...ended });
}

function mapIssueComment(payload: z.infer<typeof IssueCommentPayload>, own: OwnIdentity): Mapping {
  if (payload.issue.pull_request === undefined) return ignored('not_a_pull_request');
  return mapComment(payload, { kind: 'issue_comment', number: payload.issue.number }, own);
}

function mapReviewComment(payload: z.infer<typeof ReviewCommentPayload>, own: OwnIdentity): Mapping {
  if (payload.action !== 'created') return mapReviewChange(payload);
  return mapComment(payload, { kind: 'review_comment', number: payload.pull_request.number }, own);
}

/**
 * Maps `created` only: an edit is not a new command, and others must not be able to add words to a comment later (T8).
 */
function mapComment(
  payload: ActionEvent & { readonly comment: Comment },
  place: { readonly kind: CommentKind; readonly number: number },
  own: OwnIdentity,
): Mapping {
  const { comment } = payload;
  if (payload.action !== 'created') return ignored('unused_action');
  if (comment.user === null) return ignored('no_author');
  if (isOwn(comment, comment.user, own)) return ignored('own_echo');
  return mapped({
    kind: 'comment_created',
    repository: toRepositoryRef(payload),
    number: place.number,
    comment: { kind: place.kind, id: comment.id, body: comment.body ?? '' },
    author: toAuthor(comment.user, payload.sender),
  });
}

function mapReviewChange(payload: ReviewEvent): Mapping {
  const { number } = payload.pull_request;
  return mapped({ kind: 'review_changed', repository: toRepositoryRef(payload), number });
}

function mapPush(payload: z.infer<typeof PushPayload>): Mapping {
  const prefix = 'refs/heads/';
  if (!payload.ref.startsWith(prefix) || payload.ref.length === prefix.length) return ignored('not_a_branch');
  return mapped({
    kind: 'branch_pushed',
    repository: toRepositoryRef(payload),
    branch: payload.ref.slice(prefix.length),
    headSha: payload.after,
    ...(changesPolicy(payload) ? { changesPolicy: true } : {}),
  });
}

function changesPolicy({ commits = [] }: z.infer<typeof PushPayload>): boolean {
  return commits.some(({ added = [], modified = [], removed = [] }) =>
    [...added, ...modified, ...removed].some(isPolicyPath),
  );
}

function mapInstallation(payload: z.infer<typeof InstallationPayload>): Mapping {
  const change = installationChanges.get(payload.action);
  if (change === undefined) return ignored('unused_action');
  const installationId = payload.installation.id;
  // The list of a deleted or suspended installation may be incomplete. An empty list stands for all repositories.
  const isWhole = change === 'removed' || change === 'suspended';
  const repositories = isWhole ? [] : toRepositoryRefs(installationId, payload.repositories ?? []);
  return mapped({ kind: 'installation_changed', installationId, change, repositories });
}

function mapInstallationRepositories(payload: z.infer<typeof InstallationRepositoriesPayload>): Mapping {
  const installationId = payload.installation.id;
  const added = toRepositoryRefs(installationId, payload.repositories_added);
  const removed = toRepositoryRefs(installationId, payload.repositories_removed);
  if (payload.action === 'added') {
    return mapped({ kind: 'installation_changed', installationId, change: 'added', repositories: added });
  }
  // In a `removed` event an empty list would mean all repositories, but here GitHub's empty list means none.
  if (payload.action !== 'removed' || removed.length === 0) return ignored('unused_action');
  return mapped({ kind: 'installation_changed', installationId, change: 'removed', repositories: removed });
}

function isOwn(comment: Comment, user: Account, own: OwnIdentity): boolean {
  return comment.performed_via_github_app?.id === own.appId || user.id === own.botUserId;
}

/** A `user` only if the comment's author is a user account and also sent the event. */
function toAuthor(user: Account, sender: Account): Actor {
  const isUser = user.type === 'User' && sender.type === 'User' && user.id === sender.id;
  return { id: user.id, login: user.login, kind: isUser ? 'user' : 'bot' };
}

function toRepositoryRef({ installation, repository }: RepositoryEvent): RepositoryRef {
  const { id: repositoryId, owner, name } = repository;
  return { installationId: installation.id, repositoryId, owner: owner.login, name };
}

function toRepositoryRefs(installationId: number, list: readonly InstalledRepository[]): readonly RepositoryRef[] {
  return list.map((repository) => {
    const [owner = '', name = ''] = repository.full_name.split('/', 2);
    return { installationId, repositoryId: repository.id, owner, name };
  });
}

function mapped(event: Event): Mapping {
  return { kind: 'event', event };
}

function ignored(why: IgnoredWhy): Mapping {
  return { kind: 'ignored', why };
}
