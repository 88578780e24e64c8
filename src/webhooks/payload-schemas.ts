import { z } from 'zod';
import { parseSha } from '../core/model/ids.ts';

/**
 * The fields of GitHub's webhook payloads that Ratchet uses. Other keys are dropped. Unknown actions and account types
 * stay plain strings that no mapping acts on. Each schema requires the keys that distinguish its event, because the
 * header with the event name is not signed (T2).
 */

const Id = z.number().int().positive();
/**
 * GitHub's limit for a comment is 65,536 characters. This one is higher in case GitHub counts characters differently.
 */
const maxBodyCharacters = 262_144;
const RefName = z.string().min(1).max(1024);
const Action = z.string().min(1).max(64);
const Name = z.string().min(1).max(200);

const Sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .transform(parseSha);

/** A GitHub account in a payload. */
export const Account = z.object({ id: Id, login: Name, type: z.string().max(64) });
export type Account = z.infer<typeof Account>;

/** Fields of every repository event that is delivered to an App. */
const Repository = z.object({ id: Id, name: Name, owner: z.object({ login: Name }) });
const RepositoryEvent = z.object({ installation: z.object({ id: Id }), repository: Repository, sender: Account });
export type RepositoryEvent = z.infer<typeof RepositoryEvent>;

/** Most of them say what happened. */
const ActionEvent = RepositoryEvent.extend({ action: Action });
export type ActionEvent = z.infer<typeof ActionEvent>;

const App = z.object({ id: Id }).nullable().optional();

export const PullRequestPayload = ActionEvent.extend({
  number: Id,
  pull_request: z.object({
    /** `repo` is null if the fork was deleted. */
    head: z.object({ sha: Sha, ref: RefName, repo: z.object({ id: Id }).nullish() }),
    base: z.object({ ref: RefName }),
  }),
  /** Only for `labeled` and `unlabeled`. */
  label: z.object({ name: z.string().min(1).max(200) }).nullish(),
});

export const CheckRunPayload = ActionEvent.extend({
  check_run: z.object({
    id: Id,
    name: z.string().nullish(),
    head_sha: Sha,
    external_id: z.string().nullish(),
    app: App,
    check_suite: z.object({ head_branch: RefName.nullable().optional() }),
  }),
  /** Only for `requested_action`: the button that was pressed. */
  requested_action: z.object({ identifier: z.string() }).nullish(),
});

export const CheckSuitePayload = ActionEvent.extend({
  check_suite: z.object({ id: Id, head_sha: Sha, head_branch: RefName.nullable(), app: App }),
});

export const WorkflowRunPayload = ActionEvent.extend({
  workflow_run: z.object({ head_sha: Sha, head_branch: RefName.nullable(), workflow_id: Id }),
  workflow: z.object({}).nullable(),
  // Deployment events also carry a workflow run, and some of them its workflow.
  deployment: z.never().optional(),
});

export const StatusPayload = RepositoryEvent.extend({
  sha: Sha,
  context: z.string(),
  state: z.string(),
  branches: z.array(z.object({ name: RefName, commit: z.object({ sha: z.string() }) })).max(100),
});

const Comment = z.object({
  id: Id,
  body: z.string().max(maxBodyCharacters).nullable(),
  user: Account.nullable(),
  performed_via_github_app: App,
});
export type Comment = z.infer<typeof Comment>;

export const IssueCommentPayload = ActionEvent.extend({
  issue: z.object({ number: Id, pull_request: z.object({}).optional() }),
  comment: Comment,
});

const ReviewEvent = ActionEvent.extend({ pull_request: z.object({ number: Id }) });
export type ReviewEvent = z.infer<typeof ReviewEvent>;

export const ReviewCommentPayload = ReviewEvent.extend({ comment: Comment.extend({ path: z.string() }) });

export const ReviewPayload = ReviewEvent.extend({ review: z.object({ id: Id }) });

export const ReviewThreadPayload = ReviewEvent.extend({ thread: z.object({ node_id: z.string() }) });

const Paths = z.array(z.string()).optional();
/** The file lists of a push are only a hint: if they cannot be parsed, the rest of the payload is still used. */
const PushedCommits = z
  .array(z.object({ added: Paths, modified: Paths, removed: Paths }))
  .optional()
  .catch(undefined);

export const PushPayload = RepositoryEvent.extend({ ref: RefName, before: Sha, after: Sha, commits: PushedCommits });

/** Installation events give a repository as `full_name`, without an owner object. */
const InstalledRepository = z.object({ id: Id, full_name: z.string().regex(/^[^/\s]{1,200}\/[^/\s]{1,200}$/) });
export type InstalledRepository = z.infer<typeof InstalledRepository>;

export const InstallationPayload = z.object({
  action: Action,
  installation: z.object({ id: Id, app_id: Id }),
  repositories: z.array(InstalledRepository).optional(),
});

export const InstallationRepositoriesPayload = z.object({
  action: Action,
  installation: z.object({ id: Id, app_id: Id }),
  repositories_added: z.array(InstalledRepository),
  repositories_removed: z.array(InstalledRepository),
});
