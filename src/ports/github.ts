import type { CommentKind } from '../core/model/event.ts';
import type { Sha } from '../core/model/ids.ts';
import type {
  CheckResult,
  Permission,
  PullRequestFacts,
  PullRequestRef,
  RepositoryRef,
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
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
}

/** What our check run should say. */
export interface CheckRunContent {
  readonly name: string;
  readonly headSha: Sha;
  readonly externalId: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'failure' | 'action_required' | 'cancelled' | 'timed_out' | null;
  readonly title: string;
  readonly summary: string;
  readonly actions: readonly { readonly identifier: string; readonly label: string; readonly description: string }[];
}

/**
 * GitHub, as far as the loop needs it. Every call has a deadline and a bounded number of retries; a failure is a `GitHubError`
 * that says whether to try again. Lists are read to their end (or to a stated cap).
 */
export interface GitHub {
  /** Id of our App: to leave our own check run out of the CI verdict. */
  readonly appId: number;
  /** Slug of our App (`@slug`, `slug[bot]`); asked once. */
  readonly readSlug: (signal: AbortSignal) => Promise<string>;
  /** Everything the decision needs, in one GraphQL query (more only when a list is longer than a page); null when it is gone. */
  readonly readPullRequest: (ref: PullRequestRef, signal: AbortSignal) => Promise<PullRequestFacts | null>;
  /** The live permission of an account, with its numeric id; `none` when it is no collaborator. */
  readonly readPermission: (
    repository: RepositoryRef,
    login: string,
    signal: AbortSignal,
  ) => Promise<{ readonly userId: number; readonly permission: Permission }>;
  /** Annotations of one check run, at most `limit`. */
  readonly readAnnotations: (
    repository: RepositoryRef,
    check: CheckResult,
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
  /** Creates the check run, or adopts our own one of the same head, name and external id. Returns its id. */
  readonly createCheckRun: (
    repository: RepositoryRef,
    content: CheckRunContent,
    signal: AbortSignal,
  ) => Promise<number>;
  /** Idempotent. */
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
