import type { CHECK_RUN_STATUSES, CheckAnnotation, CheckRunConclusion } from '../core/model/check-run.ts';
import type { CommitIdentity } from '../core/model/commit-identity.ts';
import type { CommentKind } from '../core/model/event.ts';
import type { DeliveryId, EpochMs, Sha } from '../core/model/ids.ts';
import type {
  CheckResult,
  Permission,
  PullRequestFacts,
  PullRequestRef,
  Push,
  RepositoryRef,
  ReviewThread,
} from '../core/model/pull-request.ts';

/** A short-lived token for git over HTTPS. It must never appear in logs, argument lists or files. */
export interface GitToken {
  readonly token: string;
  readonly expiresAt: EpochMs;
  /** By the clock of this machine; absent: long ago. GitHub does not know a new token everywhere at once. */
  readonly mintedAt?: EpochMs;
}

/** A file that a pull request changes. */
export interface ChangedFile {
  /** Path at the head; for a deleted file, at the base. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'renamed' | 'deleted';
  /** The old path of a renamed file; otherwise null. */
  readonly previousPath: string | null;
}

/** A file at a commit. */
export interface BlobRef {
  readonly sha: Sha;
  readonly path: string;
}

export interface Blob {
  /** Git's name of the content. */
  readonly oid: string;
  /** null: binary, or too large. */
  readonly text: string | null;
}

/** The policy files that concern a pull request: at the head, at the base, and of the organisation. null: no such file. */
export interface ConfigFiles {
  readonly headSha: Sha;
  readonly headPolicyText: string | null;
  /** Path of that file. Missing: `.github/ratchet.yml`. */
  readonly headPolicyPath?: string;
  readonly policyText: string | null;
  readonly organizationPolicyText: string | null;
}

/** Content of a check run of ours. */
export interface CheckRunContent {
  readonly name: string;
  readonly headSha: Sha;
  readonly externalId: string;
  readonly status: (typeof CHECK_RUN_STATUSES)[number];
  readonly conclusion: CheckRunConclusion | null;
  readonly title: string;
  readonly summary: string;
  readonly actions: readonly { readonly identifier: string; readonly label: string; readonly description: string }[];
  /** At most 50. GitHub appends them to those sent before, so send a longer list in several updates. */
  readonly annotations?: readonly CheckAnnotation[];
}

/** One reply in a review thread. */
export interface ThreadReply {
  readonly threadId: string;
  readonly body: string;
}

/** The answer to a request that GitHub carries out later. */
export type AskResult =
  | { readonly kind: 'asked' }
  /** Refused permanently: not possible, not permitted, or nothing to do. */
  | { readonly kind: 'refused'; readonly why: string };

/** An attempt of GitHub to send a webhook to the App. */
export interface SentDelivery {
  /** Digits. Beyond 2^53, so never a number. */
  readonly id: string;
  /** The same for all attempts. */
  readonly guid: DeliveryId;
  readonly sentAt: EpochMs;
  /** The App answered with success. False: another answer, none in time, or no connection. */
  readonly isReceived: boolean;
  readonly eventName: string;
  readonly action: string | null;
}

/** One page of what GitHub sent, newest first. */
export interface SentDeliveries {
  readonly deliveries: readonly SentDelivery[];
  /** Cursor of the next page; null: this is the last one. */
  readonly next: string | null;
}

/**
 * The GitHub API. Every call has a deadline and a limited number of retries. It fails with a `GitHubError` that says whether to
 * retry. Lists are read completely, or up to a stated limit.
 */
export interface GitHub {
  /** Id of our App. Used to exclude our own check runs from the CI verdict. */
  readonly appId: number;
  /** Slug of our App (`@slug`, `slug[bot]`). Read once, then cached. */
  readonly readSlug: (signal: AbortSignal) => Promise<string>;
  /** The slug, and the login of the account that owns the App; null: an enterprise owns it. Read once, then cached. */
  readonly readApp: (signal: AbortSignal) => Promise<{ readonly slug: string; readonly owner: string | null }>;
  /** One page of GitHub's own list of what it sent to the App in the last days. null: the newest page. */
  readonly readSentDeliveries: (cursor: string | null, signal: AbortSignal) => Promise<SentDeliveries>;
  /** Asks GitHub to send a delivery again. Refused: GitHub does not have it any more. */
  readonly redeliver: (id: string, signal: AbortSignal) => Promise<AskResult>;
  /** Author and committer of our commits: our bot account. Read once, then cached. */
  readonly readCommitIdentity: (repository: RepositoryRef, signal: AbortSignal) => Promise<CommitIdentity>;
  /**
   * Reads everything a decision needs, with one GraphQL query (more if a list exceeds a page). null: the pull request is gone.
   * Always live, unless `maxAgeMs` accepts a cached answer of at most that age.
   */
  readonly readPullRequest: (
    ref: PullRequestRef,
    signal: AbortSignal,
    maxAgeMs?: number,
  ) => Promise<PullRequestFacts | null>;
  /**
   * Like `readPullRequest`, but reads `others` of the same repository with the same query. The next `readTogether` call for one of
   * them within a minute returns that answer, once. Falls back to single reads where a joint query fails.
   */
  readonly readTogether: (
    ref: PullRequestRef,
    others: readonly PullRequestRef[],
    signal: AbortSignal,
  ) => Promise<PullRequestFacts | null>;
  /** Drops the answers that `readTogether` keeps for a repository. Call it before planning looks because of a new event there. */
  readonly forgetTogether: (repositoryId: number) => void;
  /**
   * Permission and numeric id of an account; `none` for a non-collaborator. Live, unless `maxAgeMs` accepts a cached write
   * permission of at most that age. Accept it for decisions, never before an effect. A denial is never cached.
   */
  readonly readPermission: (
    repository: RepositoryRef,
    login: string,
    signal: AbortSignal,
    maxAgeMs?: number,
  ) => Promise<{ readonly userId: number; readonly permission: Permission }>;
  /** Annotations of several completed check runs, by check run id, with one query. At most `limit` (up to 100) for each. */
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
  /**
   * The last `maxBytes` bytes of the log of the job behind a check run. null: there is no readable log. `take` gets all of the log,
   * piece by piece and in order, with turns of the event loop between them; a call that throws may have given it a part.
   */
  readonly readJobLog: (
    repository: RepositoryRef,
    check: CheckResult,
    want: { readonly maxBytes: number; readonly take?: (piece: Uint8Array) => void },
    signal: AbortSignal,
  ) => Promise<string | null>;
  /**
   * Creates the check run and returns its id, or adopts our existing one with the same head, name and external id. `isFirst`: no
   * earlier attempt is possible, so search for an existing one only after a failure of unknown effect.
   */
  readonly createCheckRun: (
    repository: RepositoryRef,
    content: CheckRunContent,
    signal: AbortSignal,
    isFirst?: boolean,
  ) => Promise<number>;
  /** Idempotent except for annotations. Those of a failed call may have arrived; check with `readAnnotations`. */
  readonly updateCheckRun: (
    repository: RepositoryRef,
    checkRunId: number,
    content: CheckRunContent,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Idempotent, because GitHub keeps one reaction of a kind per account. A missing comment or route is not an error. */
  readonly addReaction: (
    repository: RepositoryRef,
    comment: { readonly kind: CommentKind; readonly id: number },
    reaction: 'eyes' | 'rocket' | '+1' | 'confused',
    signal: AbortSignal,
  ) => Promise<void>;
  /** Posts `body`, unless a comment of ours already contains `marker`. */
  readonly ensureComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Creates or edits our one comment that contains `marker`. Leaves it alone if it already says `body`. */
  readonly upsertComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Edits our comment that contains `marker`, if there is one. Never creates it. */
  readonly editComment: (ref: PullRequestRef, marker: string, body: string, signal: AbortSignal) => Promise<void>;
  /** Re-runs the failed jobs of a workflow run, as a new attempt of that run. Not idempotent: guard it with an intent. */
  readonly rerunFailedJobs: (
    repository: RepositoryRef,
    workflowRunId: number,
    signal: AbortSignal,
  ) => Promise<AskResult>;
  /** Asks GitHub to merge the base into the head if the head is still `headSha`. GitHub does it asynchronously. */
  readonly updateBranch: (ref: PullRequestRef, headSha: Sha, signal: AbortSignal) => Promise<AskResult>;
  /** Turns auto-merge off. Idempotent. */
  readonly disableAutoMerge: (ref: PullRequestRef, signal: AbortSignal) => Promise<AskResult>;
  /** The merge base of two commits according to GitHub. null: there is none. */
  readonly readMergeBase: (repository: RepositoryRef, base: Sha, head: Sha, signal: AbortSignal) => Promise<Sha | null>;
  /** The newest pushes to a branch, newest first: at most 30. A push of the last seconds may be missing. */
  readonly readPushes: (repository: RepositoryRef, branch: string, signal: AbortSignal) => Promise<readonly Push[]>;
  /** Contents of files, with one query. null: there is no such file at that commit. */
  readonly readBlobs: (
    repository: RepositoryRef,
    refs: readonly BlobRef[],
    signal: AbortSignal,
  ) => Promise<readonly (Blob | null)[]>;
  /** All CI results at a commit. */
  readonly readChecksAt: (repository: RepositoryRef, sha: Sha, signal: AbortSignal) => Promise<readonly CheckResult[]>;
  /**
   * Posts `replies` as one review (one email) whose body contains `marker`. Idempotent: finds our earlier review by the marker,
   * finishes it if it is pending, and repeats nothing. Returns the review threads right afterwards; null if GitHub did not return
   * all of them.
   */
  readonly postReview: (
    ref: PullRequestRef,
    review: { readonly marker: string; readonly body: string; readonly replies: readonly ThreadReply[] },
    signal: AbortSignal,
  ) => Promise<readonly ReviewThread[] | null>;
  /** Idempotent. */
  readonly resolveThread: (repository: RepositoryRef, threadId: string, signal: AbortSignal) => Promise<AskResult>;
  /** Reads only the policy files. For pull requests that nobody enabled. null: the pull request is gone. */
  readonly readConfigFiles: (ref: PullRequestRef, signal: AbortSignal) => Promise<ConfigFiles | null>;
  /** Whether the pull request itself changes the policy file. False if only its base did. */
  readonly touchesPolicyFile: (ref: PullRequestRef, signal: AbortSignal) => Promise<boolean>;
  /** The files that the pull request changes. null: more than GitHub lists (3,000). */
  readonly readChangedFiles: (ref: PullRequestRef, signal: AbortSignal) => Promise<readonly ChangedFile[] | null>;
  /** A token for this repository only: read access to contents, or write access for a push. */
  readonly mintGitToken: (
    repository: RepositoryRef,
    purpose: 'read' | 'push',
    signal: AbortSignal,
  ) => Promise<GitToken>;
  /** Revokes the token. Failures are ignored, because the token expires anyway. */
  readonly revokeGitToken: (token: GitToken, signal: AbortSignal) => Promise<void>;
  /** URL of the repository for git, without credentials. */
  readonly gitUrl: (repository: RepositoryRef) => string;
  /** Web URL of a file at a commit, or of a line of it. */
  readonly fileUrl: (
    repository: RepositoryRef,
    place: { readonly sha: Sha; readonly path: string; readonly line: number | null },
  ) => string;
  /** Web URL of the commit. */
  readonly commitUrl: (repository: RepositoryRef, sha: Sha) => string;
}
