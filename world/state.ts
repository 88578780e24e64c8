import type { GitRepository } from './git/repository.ts';
import type { Protection } from './protection.ts';

/** Permission of a user on a repository, named as in GitHub's collaborator API. */
export type PermissionLevel = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

/** Access level of an App permission. */
export type AccessLevel = 'read' | 'write';

/** App permissions, e.g. `{ checks: 'write' }`. */
export type Permissions = Readonly<Record<string, AccessLevel>>;

export type Account = {
  readonly id: number;
  readonly login: string;
  readonly kind: 'User' | 'Bot';
};

export type App = {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly ownerLogin: string;
  readonly createdAt: string;
  /** What it asks for. Undefined: the usual. */
  readonly access?: AppAccess;
};

/** Permissions and events that an App asks for. Installations have their own. */
export type AppAccess = { readonly permissions: Permissions; readonly events: readonly string[] };

/** Checks of another App on who made the commits of a pull request, as DCO and CLA bots do. */
export type AuthorChecks = { readonly appId: number; readonly kinds: readonly ('DCO' | 'license/cla')[] };

export type Repository = {
  readonly id: number;
  readonly ownerLogin: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  readonly parentId: number | null;
  readonly collaborators: ReadonlyMap<string, PermissionLevel>;
  /** Branch rules. `findProtections` returns those that apply to a branch. */
  readonly protections: readonly Protection[];
  readonly createdAt: string;
  /** The code: the only source of truth about commits and branches. */
  readonly git: GitRepository;
};

/** An entry in the base branch's merge queue. `place` grows with every pull request that joins a queue. */
export type QueueEntry = { readonly place: number; readonly enqueuedAt: string; readonly byLogin: string };

/** What the timeline of a pull request keeps: its way through the merge queue, and pushes. */
export type TimelineItem =
  | { readonly kind: 'queued' | 'pushed'; readonly at: string; readonly byLogin: string }
  | { readonly kind: 'dequeued'; readonly at: string; readonly byLogin: string; readonly reason: string };

export type Merge = { readonly at: string; readonly byLogin: string; readonly sha: string };

export type Pull = {
  readonly id: number;
  readonly number: number;
  readonly repositoryId: number;
  /** Repository of the head branch. Differs from `repositoryId` for a pull request from a fork. */
  readonly headRepositoryId: number;
  readonly headBranch: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly body: string | null;
  readonly authorLogin: string;
  readonly state: 'open' | 'closed';
  readonly isDraft: boolean;
  readonly labels: readonly string[];
  readonly autoMerge: { readonly enabledAt: string; readonly byLogin: string } | null;
  readonly queue: QueueEntry | null;
  readonly timeline: readonly TimelineItem[];
  readonly merge: Merge | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
};

export type IssueComment = {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly authorLogin: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
};

/** State of a review that everyone sees. */
export type SubmittedReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED';

/** Only its author sees a `PENDING` review and its comments. */
export type ReviewState = SubmittedReviewState | 'PENDING';

export type Review = {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly authorLogin: string;
  readonly body: string;
  readonly state: ReviewState;
  readonly commitSha: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
  /** Null while the review is pending. */
  readonly submittedAt: string | null;
};

export type ReviewThread = {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly path: string;
  readonly line: number;
  readonly commitSha: string;
  readonly resolvedByLogin: string | null;
};

export type ReviewComment = {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly threadId: number;
  readonly reviewId: number;
  readonly inReplyToId: number | null;
  readonly authorLogin: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
};

/** `waiting`: for a deployment protection rule; `pending`: for another run of its concurrency group. */
export type CheckStatus = 'requested' | 'queued' | 'pending' | 'waiting' | 'in_progress' | 'completed';

export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'timed_out'
  | 'action_required'
  | 'skipped'
  | 'stale'
  | 'startup_failure';

export type Annotation = {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
  readonly rawDetails: string | null;
};

export type CheckAction = { readonly label: string; readonly description: string; readonly identifier: string };

export type CheckOutput = {
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
};

export type CheckRun = {
  readonly id: number;
  readonly repositoryId: number;
  readonly suiteId: number;
  readonly appId: number;
  readonly headSha: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly conclusion: CheckConclusion | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly detailsUrl: string | null;
  readonly externalId: string;
  readonly output: CheckOutput;
  readonly annotations: readonly Annotation[];
  readonly actions: readonly CheckAction[];
  /** Its job is about to run again: the result is in no list. */
  readonly isWithdrawn?: true;
};

export type CheckSuite = {
  readonly id: number;
  readonly repositoryId: number;
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly createdAt: string;
};

export type WorkflowRun = {
  readonly id: number;
  readonly repositoryId: number;
  readonly suiteId: number;
  readonly workflowId: number;
  readonly path: string;
  readonly name: string;
  readonly event: 'push' | 'pull_request';
  readonly headSha: string;
  readonly headBranch: string;
  /** The tree that CI checks out: the head's for a push, that of the merge with the base for a pull request. */
  readonly checkout: string;
  /** Its concurrency group; null if the workflow has none. */
  readonly group: string | null;
  /** Who started the first attempt. */
  readonly actorLogin: string;
  /** Who started this attempt. */
  readonly triggeredByLogin: string;
  readonly runNumber: number;
  readonly attempt: number;
  /** The earlier attempts, oldest first. */
  readonly earlierAttempts: readonly WorkflowRun[];
  readonly status: CheckStatus;
  readonly conclusion: CheckConclusion | null;
  readonly createdAt: string;
  /** Start of this attempt. */
  readonly startedAt: string;
  readonly updatedAt: string;
};

export type StepResult = {
  readonly number: number;
  readonly name: string;
  readonly status: CheckStatus;
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
};

/** A workflow job. Its check run has the same id, as on GitHub. */
export type WorkflowJob = {
  readonly id: number;
  readonly runId: number;
  readonly attempt: number;
  readonly steps: readonly StepResult[];
  readonly log: string;
};

export type CommitStatus = {
  readonly id: number;
  readonly repositoryId: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorLogin: string;
  readonly createdAt: string;
};

export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export type Reaction = {
  readonly id: number;
  readonly subject: 'issue-comment' | 'review-comment';
  readonly subjectId: number;
  readonly content: ReactionContent;
  readonly login: string;
  readonly createdAt: string;
};

export type Installation = {
  readonly id: number;
  readonly accountLogin: string;
  readonly repositoryIds: ReadonlySet<number>;
  readonly permissions: Permissions;
  readonly suspendedAt: string | null;
  readonly createdAt: string;
};

export type InstallationToken = {
  readonly kind: 'installation';
  readonly token: string;
  readonly installationId: number;
  readonly repositoryIds: ReadonlySet<number>;
  readonly permissions: Permissions;
  readonly mintedAtMs: number;
  readonly expiresAtMs: number;
};

export type UserToken = { readonly kind: 'user'; readonly token: string; readonly login: string };

/** The temporary code with which an App that was registered from a manifest gets its id, key and secret, once. */
export type ManifestCode = {
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly privateKey: string;
    readonly webhookSecret: string;
  };
  readonly createdAtMs: number;
  readonly isUsed: boolean;
};

/** All rows of the world. Rows are replaced, never mutated. */
export type State = {
  readonly accounts: Map<string, Account>;
  readonly apps: Map<number, App>;
  readonly repositories: Map<number, Repository>;
  readonly pulls: Map<number, Pull>;
  readonly issueComments: Map<number, IssueComment>;
  readonly reviews: Map<number, Review>;
  readonly reviewThreads: Map<number, ReviewThread>;
  readonly reviewComments: Map<number, ReviewComment>;
  readonly checkRuns: Map<number, CheckRun>;
  /** By repository id. */
  readonly authorChecks: Map<number, AuthorChecks>;
  readonly checkSuites: Map<number, CheckSuite>;
  readonly workflowRuns: Map<number, WorkflowRun>;
  readonly workflowJobs: Map<number, WorkflowJob>;
  readonly statuses: Map<number, CommitStatus>;
  readonly reactions: Map<number, Reaction>;
  readonly installations: Map<number, Installation>;
  readonly tokens: Map<string, InstallationToken | UserToken>;
  /** By code. */
  readonly manifestCodes: Map<string, ManifestCode>;
  /** Environments whose deployments wait for a review, as `owner/name environment`. */
  readonly protectedEnvironments: Set<string>;
};

export function createState(): State {
  return {
    accounts: new Map(),
    apps: new Map(),
    repositories: new Map(),
    pulls: new Map(),
    issueComments: new Map(),
    reviews: new Map(),
    reviewThreads: new Map(),
    reviewComments: new Map(),
    checkRuns: new Map(),
    authorChecks: new Map(),
    checkSuites: new Map(),
    workflowRuns: new Map(),
    workflowJobs: new Map(),
    statuses: new Map(),
    reactions: new Map(),
    installations: new Map(),
    tokens: new Map(),
    manifestCodes: new Map(),
    protectedEnvironments: new Set(),
  };
}
