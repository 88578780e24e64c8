import type { EpochMs, Sha } from './ids.ts';

/** A repository as the App reaches it. `repositoryId` is the identity; `owner` and `name` may change. */
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

/** What a collaborator may do, least first. `triage` and custom roles are mapped by GitHub onto these. */
export const PERMISSIONS = ['none', 'read', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** GitHub's answer on mergeability; `unknown` while it computes it, or for a value that we do not know. */
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

/** The latest result of one check run or commit status at one commit, whatever API told it. */
export interface CheckResult {
  readonly source: 'check_run' | 'status';
  /** Check-run id, or status id; part of the identity of the CI result (a re-run is a new result). */
  readonly id: number;
  /** Name of the check run in GraphQL, where GitHub told it. */
  readonly nodeId?: string;
  /** Id of the App that reported it; null for commit statuses. */
  readonly appId: number | null;
  readonly appSlug: string | null;
  /** Check-run name or status context. */
  readonly name: string;
  /** Event of the workflow run behind it (`push`, `pull_request` …); null where GitHub tells none. */
  readonly event: string | null;
  /** Name or id of the workflow behind it, where GitHub tells it: two workflows may each have a job `build`. */
  readonly workflow?: string;
  readonly headSha: Sha;
  readonly status: (typeof CHECK_STATUSES)[number];
  readonly conclusion: (typeof CHECK_CONCLUSIONS)[number] | null;
  readonly startedAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
  readonly detailsUrl: string | null;
  /** Run attempt of the workflow behind it, where GitHub tells it. */
  readonly runAttempt: number | null;
  /** Id of the workflow run behind it, by which it can be run again; missing where there is none. */
  readonly workflowRunId?: number;
}

/** One review thread, as far as it matters to the decision. */
export interface ReviewThread {
  readonly id: string;
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  /** First to last, capped by the reader. */
  readonly comments: readonly ReviewComment[];
  /** Review with which it was opened, where GitHub tells it. */
  readonly reviewId?: number;
}

/** One comment in a review thread. */
export interface ReviewComment {
  readonly id: number;
  readonly author: Actor | null;
  readonly body: string;
  readonly createdAt: EpochMs;
  /** Of the last edit; equals `createdAt` where nobody edited it. */
  readonly updatedAt: EpochMs;
  /** Somebody hid it (GitHub calls that minimized): as spam, as outdated, as resolved. */
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

/** What the rules of head and base branch (classic protection and rulesets) mean for a push of ours. */
export interface BranchRules {
  /** Why a push to the head branch would be refused, one sentence each; empty when nothing is known to. */
  readonly pushRefusals: readonly string[];
  /** The base demands heads that hold all of its commits. */
  readonly mustBeUpToDate: boolean;
  /** A push dismisses the approvals that were given. */
  readonly dismissesStaleApprovals: boolean;
}

export const PULL_REQUEST_STATES = ['open', 'closed', 'merged'] as const;

/** Everything about a pull request that one read of GitHub gives; nothing here is cached between iterations. */
export interface PullRequestFacts {
  readonly number: number;
  readonly title: string;
  readonly state: (typeof PULL_REQUEST_STATES)[number];
  readonly draft: boolean;
  readonly fork: boolean;
  readonly author: Actor | null;
  readonly headSha: Sha;
  /** Branch name of the head, without `refs/heads/`. Hostile text: never an argument by itself. */
  readonly headRef: string;
  readonly baseRef: string;
  readonly baseSha: Sha;
  readonly merge: MergeState;
  readonly autoMerge: boolean;
  readonly inMergeQueue: boolean;
  readonly labels: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly threads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  /** Files below `.github/workflows` exist at the head: CI may be about to start. */
  readonly hasWorkflows: boolean;
  /** The base branch's tip has any check result: silence at the head is then no proof of "no CI". */
  readonly baseHasChecks: boolean;
  /** Text of `.github/ratchet.yml` on the base branch; null when there is none. */
  readonly policyText: string | null;
  /** The same file at the head; null when there is none. A pull request that changes it is checked, never obeyed. */
  readonly headPolicyText: string | null;
  /** The same file on the default branch of the owner's repository `.github`; null when there is none, or it is not ours to read. */
  readonly organizationPolicyText: string | null;
  readonly rules: BranchRules;
  /** Parents of the head commit. */
  readonly headParents: readonly Sha[];
}
