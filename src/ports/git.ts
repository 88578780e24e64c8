import type { PullRequestKey, SessionId, Sha } from '../core/model/ids.ts';
import type { RepositoryRef } from '../core/model/pull-request.ts';
import type { TreeChange } from '../core/model/tree-change.ts';
import type { GitToken } from './github.ts';

/** A bare repository of the service's own, kept up to date by fetches; its objects are readable to agents, never writable. */
export interface Mirror {
  readonly repositoryId: number;
  readonly gitDir: string;
  readonly objectsDir: string;
}

/**
 * The two repositories of one session (security decision 4): `controlDir` is a bare repository outside the sandbox in which
 * all of the service's git runs; `workDir` is what the agent gets, with a `.git` of its own that the service never reads.
 */
export interface SessionRepository {
  readonly sessionId: SessionId;
  readonly mirror: Mirror;
  readonly controlDir: string;
  readonly workDir: string;
  readonly headSha: Sha;
}

/** The tree that an agent left, imported into the control repository, and how it differs from the head. */
export interface ImportedTree {
  readonly treeSha: Sha;
  readonly changes: readonly TreeChange[];
  /** Unified diff against the head, cut at the caller's limit: an artifact and the secret scan's input. */
  readonly patch: string;
  readonly patchTruncated: boolean;
}

/** How a push ended. */
export type PushResult =
  | { readonly kind: 'pushed' }
  /** The remote branch is not at the head that we started from (moved or deleted): nothing was changed. */
  | { readonly kind: 'stale'; readonly remoteSha: Sha | null }
  /** The server refused it for a reason of its own; `reason` is its text, redacted. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is not known whether the push arrived: read the remote head. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Access to the remote for one call. */
export interface RemoteAccess {
  readonly url: string;
  readonly token: GitToken;
}

/** Git on the host. Never runs inside a repository that an agent could write; no shell, argv only, own configuration only. */
export interface Git {
  /**
   * The mirror of `repository`, made on first use, with `headSha` (found below `refs/pull/<number>/head`) and `baseSha`
   * fetched. Throws `WorkspaceError` (`REPO_TOO_LARGE`, `HEAD_MOVED`, `FETCH_FAILED`).
   */
  readonly ensureMirror: (
    repository: RepositoryRef,
    want: { readonly number: number; readonly headSha: Sha; readonly baseRef: string },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<Mirror>;
  /** Control repository and checked-out workspace at `headSha`, over the mirror's objects. Throws `WorkspaceError` (`REPO_TOO_LARGE`). */
  readonly prepareSession: (
    mirror: Mirror,
    session: { readonly id: SessionId; readonly key: PullRequestKey; readonly headSha: Sha },
    signal: AbortSignal,
  ) => Promise<SessionRepository>;
  /** A second, clean checkout of `treeSha` (for setup or validation), as plain files without `.git`. Returns its folder. */
  readonly checkoutTree: (
    repository: SessionRepository,
    treeSha: Sha,
    name: string,
    signal: AbortSignal,
  ) => Promise<string>;
  /** Texts of files at `treeish` (a commit or tree), read from the control repository, never through the workspace; missing ones are left out. */
  readonly readFiles: (
    repository: SessionRepository,
    want: { readonly treeish: Sha; readonly paths: readonly string[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Paths that the head tracks. */
  readonly listFiles: (repository: SessionRepository, signal: AbortSignal) => Promise<readonly string[]>;
  /**
   * Removes nested `.git` entries of the workspace and imports its tree. `exclude` are workspace-relative paths that are
   * kept out (mounted dependencies, masked agent configuration): they appear as at the head.
   */
  readonly importTree: (
    repository: SessionRepository,
    exclude: readonly string[],
    maxPatchBytes: number,
    signal: AbortSignal,
  ) => Promise<ImportedTree>;
  /** The commit object over the imported tree: parent = the head, our author, `trailers` at the end of the message. */
  readonly createCommit: (
    repository: SessionRepository,
    commit: { readonly treeSha: Sha; readonly message: string; readonly parents: readonly Sha[]; readonly at: number },
    signal: AbortSignal,
  ) => Promise<Sha>;
  /**
   * Keeps the commit alive under `refs/ratchet/intent/<sessionId>` of the mirror, so that a restart can still push it. The
   * control repository may be deleted after that.
   */
  readonly keepCommit: (repository: SessionRepository, commitSha: Sha, signal: AbortSignal) => Promise<void>;
  /** Pushes a kept commit to `branch` if the remote is still exactly at `oldSha` and `oldSha` is its ancestor. */
  readonly pushKept: (
    mirror: Mirror,
    push: { readonly sessionId: SessionId; readonly commitSha: Sha; readonly branch: string; readonly oldSha: Sha },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<PushResult>;
  /** The remote branch's head now; null when the branch does not exist. */
  readonly readRemoteHead: (branch: string, remote: RemoteAccess, signal: AbortSignal) => Promise<Sha | null>;
  /** The mirror as it lies on disk, without a fetch; null when there is none. */
  readonly openMirror: (repositoryId: number) => Promise<Mirror | null>;
  /** Removes the session's folders (whatever an agent did to their modes) and its keep refs. Idempotent. */
  readonly removeSession: (sessionId: SessionId, repositoryId: number) => Promise<void>;
  /** Removes folders of sessions not in `live`; repacks; evicts least recently used mirrors beyond the quota. */
  readonly sweep: (live: readonly SessionId[], signal: AbortSignal) => Promise<void>;
}
