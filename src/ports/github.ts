import type { AnnotationLevel, CHECK_RUN_STATUSES, CheckRunConclusion } from '../core/model/check-run.ts';
import type { CommentKind } from '../core/model/event.ts';
import type { Sha } from '../core/model/ids.ts';
import type {
  CheckResult,
  Permission,
  PullRequestFacts,
  PullRequestRef,
  RepositoryRef,
  ReviewThread,
} from '../core/model/pull-request.ts';

/** A short-lived token for git over HTTPS. Never logged, never in argv, never in a file. */
export interface GitToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** An annotation of a check run. */
export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based; only where start line and end line are one. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: AnnotationLevel;
  /** At most 255 characters. */
  readonly title?: string;
  /** At most 64 KiB. */
  readonly message: string;
}

/** A file that a pull request changes. */
export interface ChangedFile {
  /** At the head; of a deleted one at the base. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'renamed' | 'deleted';
  /** Of a renamed file: what it was called. */
  readonly previousPath: string | null;
}

/** The policy files that a pull request meets; null: there is none. */
export interface ConfigFiles {
  readonly headSha: Sha;
  readonly headPolicyText: string | null;
  readonly policyText: string | null;
  readonly organizationPolicyText: string | null;
}

/** What our check run should say. */
export interface CheckRunContent {
  readonly name: string;
  readonly headSha: Sha;
  readonly externalId: string;
  readonly status: (typeof CHECK_RUN_STATUSES)[number];
  readonly conclusion: CheckRunConclusion | null;
  readonly title: string;
  readonly summary: string;
  readonly actions: readonly { readonly identifier: string; readonly label: string; readonly description: string }[];
  /** At most 50; added to those that were sent before, so a longer list is sent by several updates. */
  readonly annotations?: readonly CheckAnnotation[];
}

/** One reply in a review thread. */
export interface ThreadReply {
  readonly threadId: string;
  readonly body: string;
}

/** How asking GitHub to do something on its side ended. */
export type AskResult =
  | { readonly kind: 'asked' }
  /** GitHub refused for good: not possible here, not permitted, or nothing to do. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * GitHub, as far as the loop needs it. Every call has a deadline and a bounded number of retries; a failure is a `GitHubError`
 * that says whether to try again. Lists are read to their end (or to a stated cap).
 */
export interface GitHub {
  /** Id of our App: to leave our own check run out of the CI verdict. */
  readonly appId: number;
  /** Slug of our App (`@slug`, `slug[bot]`); asked once. */
  readonly readSlug: (signal: AbortSignal) => Promise<string>;
  /**
   * Everything the decision needs, in one GraphQL query (more only when a list is longer than a page); null when it is gone.
   * Read live, unless an answer that is at most `maxAgeMs` old will do.
   */
  readonly readPullRequest: (
    ref: PullRequestRef,
    signal: AbortSignal,
    maxAgeMs?: number,
  ) => Promise<PullRequestFacts | null>;
  /**
   * Reads the pull request like `readPullRequest`, and `others` of its repository with the same query: their own call within a
   * minute gets what was read here, once. What cannot be read together is read one by one.
   */
  readonly readTogether: (
    ref: PullRequestRef,
    others: readonly PullRequestRef[],
    signal: AbortSignal,
  ) => Promise<PullRequestFacts | null>;
  /** Drops what `readTogether` keeps of a repository: for a caller who plans looks because something happened there. */
  readonly forgetTogether: (repositoryId: number) => void;
  /**
   * The permission of an account, with its numeric id; `none` when it is no collaborator. Read live, unless a permission to write
   * that was read at most `maxAgeMs` ago will do: to decide it does, before an effect it does not. A denial is always read live.
   */
  readonly readPermission: (
    repository: RepositoryRef,
    login: string,
    signal: AbortSignal,
    maxAgeMs?: number,
  ) => Promise<{ readonly userId: number; readonly permission: Permission }>;
  /** Annotations of several completed check runs by id, at most `limit` (up to 100) of each, with one query. */
  readonly readAllAnnotations: (
    repository: RepositoryRef,
    checks: readonly CheckResult[],
    limit: number,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<number, readonly CheckAnnotation[]>>;
  /** Annotations of one check run, at most `limit`. */
  readonly readAnnotations: (
    repository: RepositoryRef,
    check: Pick<CheckResult, 'source' | 'id' | 'appId'>,
    limit: number,
    signal: AbortSignal,
  ) => Promise<readonly CheckAnnotation[]>;
  /** Log of the job behind a check run, its last `maxBytes` bytes at most; null when there is none to read. */
  readonly readJobLog: (
    repository: RepositoryRef,
    check: CheckResult,
    maxBytes: number,
    signal: AbortSignal,
  ) => Promise<string | null>;
  /**
   * Creates the check run, or adopts our own one of the same head, name and external id. Returns its id. `isFirst`: nobody can have
   * tried before, so that it is searched for only after a failure of unknown effect.
   */
  readonly createCheckRun: (
    repository: RepositoryRef,
    content: CheckRunContent,
    signal: AbortSignal,
    isFirst?: boolean,
  ) => Promise<number>;
  /** Idempotent, but for annotations: those of a call that failed may have arrived, which `readAnnotations` tells. */
  readonly updateCheckRun: (
    repository: RepositoryRef,
    checkRunId: number,
    content: CheckRunContent,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Idempotent: GitHub keeps one reaction of a kind per account. A missing comment or route is no error. */
  readonly addReaction: (
    repository: RepositoryRef,
    comment: { readonly kind: CommentKind; readonly id: number },
    reaction: 'eyes' | 'rocket' | '+1' | 'confused',
    signal: AbortSignal,
  ) => Promise<void>;
  /** Posts `body` once: a comment of our own that carries `marker` already is left as it is. */
  readonly ensureComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Our one comment that carries `marker`: made, edited in place, or left alone where it says `body` already. */
  readonly upsertComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Edits our comment that carries `marker`, where there is one; makes none. */
  readonly editComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Runs the failed jobs of a workflow run again (a new attempt of the same run). Not idempotent: guard it by a row. */
  readonly rerunFailedJobs: (
    repository: RepositoryRef,
    workflowRunId: number,
    signal: AbortSignal,
  ) => Promise<AskResult>;
  /** Asks GitHub to merge the base into the head, if the head still is `headSha`. Done some time after. */
  readonly updateBranch: (ref: PullRequestRef, headSha: Sha, signal: AbortSignal) => Promise<AskResult>;
  /** Turns auto-merge off. Idempotent. */
  readonly disableAutoMerge: (ref: PullRequestRef, signal: AbortSignal) => Promise<AskResult>;
  /** The merge base of two commits, as GitHub sees it; null when there is none. */
  readonly readMergeBase: (repository: RepositoryRef, base: Sha, head: Sha, signal: AbortSignal) => Promise<Sha | null>;
  /** All CI results at a commit. */
  readonly readChecksAt: (repository: RepositoryRef, sha: Sha, signal: AbortSignal) => Promise<readonly CheckResult[]>;
  /**
   * Posts `replies` as one review (one mail) whose body carries `marker`. Idempotent: a review of ours with that marker is
   * found again, finished when it is still pending, and nothing is said twice. Returns the review threads as they were right after;
   * null when GitHub did not tell all of them.
   */
  readonly postReview: (
    ref: PullRequestRef,
    review: { readonly marker: string; readonly body: string; readonly replies: readonly ThreadReply[] },
    signal: AbortSignal,
  ) => Promise<readonly ReviewThread[] | null>;
  /** Idempotent. */
  readonly resolveThread: (repository: RepositoryRef, threadId: string, signal: AbortSignal) => Promise<AskResult>;
  /** The policy file at head, base and organisation, without anything else: for a pull request that nobody enabled. */
  readonly readConfigFiles: (ref: PullRequestRef, signal: AbortSignal) => Promise<ConfigFiles | null>;
  /** Whether the pull request itself changes the policy file (and not merely lags behind a base that did). */
  readonly touchesPolicyFile: (ref: PullRequestRef, signal: AbortSignal) => Promise<boolean>;
  /** The files that the pull request changes, as GitHub lists them; null: there are more than it lists (3,000). */
  readonly readChangedFiles: (ref: PullRequestRef, signal: AbortSignal) => Promise<readonly ChangedFile[] | null>;
  /** A token for this one repository: contents read, or contents write for a push. */
  readonly mintGitToken: (
    repository: RepositoryRef,
    purpose: 'read' | 'push',
    signal: AbortSignal,
  ) => Promise<GitToken>;
  /** Ends the token's life early; failures are ignored (it expires by itself). */
  readonly revokeGitToken: (token: GitToken, signal: AbortSignal) => Promise<void>;
  /** Address of the repository for git, without credentials. */
  readonly gitUrl: (repository: RepositoryRef) => string;
  /** Address of the commit for people. */
  readonly commitUrl: (repository: RepositoryRef, sha: Sha) => string;
}
