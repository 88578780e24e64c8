import type { EpochMs, Sha } from './ids.ts';

/** A repository and its installation. `repositoryId` is the identity; `owner` and `name` may change. */
export interface RepositoryRef {
  readonly installationId: number;
  readonly repositoryId: number;
  readonly owner: string;
  readonly name: string;
}

/** One pull request of a repository. */
export interface PullRequestRef {
  readonly repository: RepositoryRef;
  readonly number: number;
}

export const ACTOR_KINDS = ['user', 'bot'] as const;

/** A GitHub account. Compare `id`, never `login`: a login can be renamed and taken over. */
export interface Actor {
  readonly id: number;
  readonly login: string;
  readonly kind: (typeof ACTOR_KINDS)[number];
}

/** Permissions of a collaborator, least first. GitHub maps `triage` and custom roles to these. */
export const PERMISSIONS = ['none', 'read', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Mergeability as GitHub reports it; `unknown` while GitHub computes it, and for new values. */
export const MERGE_STATES = ['clean', 'conflict', 'behind', 'unknown'] as const;
export type MergeState = (typeof MERGE_STATES)[number];

/** `unknown` stands for values that GitHub adds later. */
export const CHECK_STATUSES = ['queued', 'in_progress', 'completed', 'waiting', 'unknown'] as const;
export const CHECK_CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
  'startup_failure',
  'stale',
  'unknown',
] as const;

/** The latest result of one check run or commit status at one commit, from any API. */
export interface CheckResult {
  readonly source: 'check_run' | 'status';
  /** Check run id or status id. Part of the CI run id, because a re-run is a new result. */
  readonly id: number;
  /** GraphQL node id of the check run; missing if GitHub did not report it. */
  readonly nodeId?: string;
  /** Id of the App that reported it; null for commit statuses. */
  readonly appId: number | null;
  readonly appSlug: string | null;
  /** Check-run name or status context. */
  readonly name: string;
  /** Event of its workflow run (`push`, `pull_request` …); null if GitHub reports none. */
  readonly event: string | null;
  /** Name or id of its workflow, if reported. It distinguishes equal job names of two workflows. */
  readonly workflow?: string;
  readonly headSha: Sha;
  readonly status: (typeof CHECK_STATUSES)[number];
  readonly conclusion: (typeof CHECK_CONCLUSIONS)[number] | null;
  readonly startedAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
  readonly detailsUrl: string | null;
  /** Attempt number of its workflow run; null if GitHub does not report it. */
  readonly runAttempt: number | null;
  /** Id of its workflow run, needed for a re-run; missing if there is none. */
  readonly workflowRunId?: number;
  /** Grows with each run of its workflow; equal for all results of one run. Missing if no run is known. */
  readonly runNumber?: number;
  /** Its workflow run succeeded, so a cancelled result belongs to an earlier attempt of the run. */
  readonly isRunGreen?: true;
  /** It stands for a whole workflow run and not for one of its jobs. */
  readonly isRun?: true;
}

/** One review thread; only the fields that Ratchet uses. */
export interface ReviewThread {
  readonly id: string;
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  /** Oldest first; the reader limits their number. */
  readonly comments: readonly ReviewComment[];
  /** Id of the review that opened it, if GitHub reports it. */
  readonly reviewId?: number;
  /** It has comments that were not read. */
  readonly isPartial?: true;
}

/** One comment in a review thread. */
export interface ReviewComment {
  readonly id: number;
  readonly author: Actor | null;
  readonly body: string;
  readonly createdAt: EpochMs;
  /** Time of the last edit; equals `createdAt` if there was none. */
  readonly updatedAt: EpochMs;
  /** It is hidden (GitHub's `isMinimized`): as spam, outdated or resolved. */
  readonly isHidden?: true;
}

/** One submitted review. */
export interface Review {
  readonly id: number;
  readonly author: Actor | null;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed' | 'pending' | 'unknown';
  readonly body: string;
  readonly submittedAt: EpochMs | null;
  readonly commitSha: Sha | null;
}

/** A ruleset rule on the text of commits. */
export interface CommitPattern {
  readonly of: 'author_email' | 'committer_email' | 'message';
  /** GitHub's `starts_with`, `ends_with`, `contains` or `regex`; others may be added. */
  readonly operator: string;
  readonly pattern: string;
  /** The text must not match. */
  readonly negate: boolean;
}

/** GitHub's verdict over all reviews. null: no review is required and nobody has approved or requested changes. */
export const REVIEW_DECISIONS = ['approved', 'changes_requested', 'review_required'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number] | null;

/** How the rules of head and base branch (classic protection and rulesets) affect our push and the reviews. */
export interface BranchRules {
  /** Known reasons why GitHub would refuse a push to the head branch, one sentence each. */
  readonly pushRefusals: readonly string[];
  /** The base requires heads that contain all of its commits. */
  readonly mustBeUpToDate: boolean;
  /** Names of the checks that the base requires. */
  readonly requiredChecks: readonly string[];
  /** What the head branch demands of the commits that are pushed to it. */
  readonly commitPatterns: readonly CommitPattern[];
  /** A push dismisses existing approvals. */
  readonly dismissesStaleApprovals: boolean;
  /** The base takes the pull request only when every review thread is resolved. */
  readonly mustResolveThreads: boolean;
}

/** A change of a branch, with the account that GitHub authenticated for it. */
export interface Push {
  readonly before: Sha;
  readonly after: Sha;
  /** null: not known. */
  readonly by: Actor | null;
}

export const PULL_REQUEST_STATES = ['open', 'closed', 'merged'] as const;

/** Everything that one read of GitHub returns about a pull request. Nothing is cached between iterations. */
export interface PullRequestFacts {
  readonly number: number;
  readonly title: string;
  readonly state: (typeof PULL_REQUEST_STATES)[number];
  readonly draft: boolean;
  readonly fork: boolean;
  readonly author: Actor | null;
  readonly headSha: Sha;
  /** Branch name of the head, without `refs/heads/`. Untrusted: never pass it as an argument of its own. */
  readonly headRef: string;
  readonly baseRef: string;
  readonly baseSha: Sha;
  readonly merge: MergeState;
  /** GitHub reports one reason against a merge only. This one hides whether the head is behind its base. */
  readonly isBlocked: boolean;
  readonly autoMerge: boolean;
  readonly inMergeQueue: boolean;
  /** Why the merge queue removed this head, because its merge result failed: GitHub's word, untrusted. Otherwise null. */
  readonly queueFailure: string | null;
  readonly labels: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly threads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  readonly reviewDecision: ReviewDecision;
  /** Files below `.github/workflows` exist at the head: CI may be about to start. */
  readonly hasWorkflows: boolean;
  /** The tip of the base branch has a check result. If so, missing results at the head do not prove that there is no CI. */
  readonly baseHasChecks: boolean;
  /** Text of the policy file on the base branch; null if there is none. One that cannot be taken begins with `FAULT_MARK`. */
  readonly policyText: string | null;
  /** The same file at the head; null if there is none. It is checked for mistakes but never applied. */
  readonly headPolicyText: string | null;
  /** Path of that file at the head. Missing: `.github/ratchet.yml`. */
  readonly headPolicyPath?: string;
  /** The same file on the default branch of the owner's `.github` repository; null if there is none, or it cannot be read. */
  readonly organizationPolicyText: string | null;
  readonly rules: BranchRules;
  /** Parents of the head commit. */
  readonly headParents: readonly Sha[];
  /** Numbers of the other open pull requests of the repository with the same head branch. */
  readonly beside: readonly number[];
}
