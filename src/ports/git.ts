import type { PullRequestKey, RunId, Sha } from '../core/model/ids.ts';
import type { RepositoryRef } from '../core/model/pull-request.ts';
import type { TreeChange } from '../core/model/tree-change.ts';
import type { GitToken } from './github.ts';

/** A bare repository of the service's own, kept up to date by fetches; its objects are readable to agents, never writable. */
export interface Mirror {
  readonly repositoryId: number;
  readonly gitDir: string;
  readonly objectsDir: string;
}

/** The repository of one session: `controlDir` is bare, outside of every site, and all of the service's git runs in it. */
export interface SessionRepository {
  readonly runId: RunId;
  readonly mirror: Mirror;
  readonly controlDir: string;
  readonly headSha: Sha;
}

/** The tree that an agent left, imported into the control repository, and how it differs from what it was given. */
export interface ImportedTree {
  readonly treeSha: Sha;
  /** Commit or tree that the changes are measured from. */
  readonly against: Sha;
  readonly changes: readonly TreeChange[];
  /** Unified diff of the same, cut at the caller's limit: an artifact and the secret scan's input. */
  readonly patch: string;
  readonly patchTruncated: boolean;
}

/** One file that git could not merge by itself. */
export interface ConflictedFile {
  readonly path: string;
  /** Blobs of the merge base, of our side (the head) and of theirs (the base branch); null where that side has no such file. */
  readonly baseBlob: Sha | null;
  readonly ourBlob: Sha | null;
  readonly theirBlob: Sha | null;
  /** Plain text on every side that has it: no link, no submodule, nothing binary. */
  readonly isText: boolean;
}

/** What git itself makes of a merge, without a working tree. */
export type MergeTree =
  | { readonly kind: 'clean'; readonly treeSha: Sha }
  /** Ours holds all commits of theirs already. */
  | { readonly kind: 'merged' }
  | {
      readonly kind: 'conflicted';
      /** The tree with conflict markers in it. */
      readonly treeSha: Sha;
      /** May be empty: folders can be in conflict, too. */
      readonly files: readonly ConflictedFile[];
      /** All paths that git names in its conflicts, those of `files` among them: a renamed file has several. */
      readonly named: readonly string[];
      /** What git says about each conflict, in its words: untrusted names in it. */
      readonly messages: string;
    }
  /** The two have no common commit. */
  | { readonly kind: 'unrelated' };

/** What a probe of the mirror says of one pull request. */
export type MergeProbe = 'clean' | 'conflict' | 'unknown';

/** A difference between two trees. */
export interface TreeDiff {
  readonly changes: readonly TreeChange[];
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
   * The mirror of `repository`, made on first use, with `headSha` (found below `refs/pull/<number>/head`) and the tip of
   * `baseRef` fetched. Throws `WorkspaceError` (`REPO_TOO_LARGE`, `HEAD_MOVED`, `FETCH_FAILED`).
   */
  readonly ensureMirror: (
    repository: RepositoryRef,
    want: { readonly number: number; readonly headSha: Sha; readonly baseRef: string },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<Mirror>;
  /** The control repository at `headSha`, over the mirror's objects. Throws `WorkspaceError` (`REPO_TOO_LARGE`). */
  readonly prepareSession: (
    mirror: Mirror,
    session: {
      readonly id: RunId;
      readonly key: PullRequestKey;
      readonly headSha: Sha;
      /** Commits beside the head that the session works with and keeps alive; those that are not there are left out. */
      readonly alsoKeep?: readonly Sha[];
    },
    signal: AbortSignal,
  ) => Promise<SessionRepository>;
  /** Texts of files at `treeish` (a commit or tree), read from the control repository, never through a site; missing ones are left out. */
  readonly readFiles: (
    repository: SessionRepository,
    want: { readonly treeish: Sha; readonly paths: readonly string[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Texts of blobs by their names; those of more than `maxBytes`, or with bytes that are no UTF-8, are left out. */
  readonly readBlobs: (
    repository: SessionRepository,
    want: { readonly blobs: readonly Sha[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<Sha, string>>;
  /** Paths that `treeish` (the head where nothing is said) tracks. */
  readonly listFiles: (repository: SessionRepository, signal: AbortSignal, treeish?: Sha) => Promise<readonly string[]>;
  /**
   * Merges `theirs` into `ours` without a working tree (`git merge-tree`); the trees are written to the control repository.
   * Throws `WorkspaceError` (`FETCH_FAILED`) where one of the two commits is not to be had.
   */
  readonly mergeTree: (
    repository: SessionRepository,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<MergeTree>;
  /** A tree like `treeSha` (a commit's is its tree) but for the given files: a text, or null to remove one. Modes are kept, new ones are 100644. */
  readonly writeTree: (
    repository: SessionRepository,
    tree: { readonly treeSha: Sha; readonly files: Readonly<Record<string, string | null>> },
    signal: AbortSignal,
  ) => Promise<Sha>;
  /** What turns one tree (or commit) into another. */
  readonly diffTrees: (
    repository: SessionRepository,
    diff: { readonly from: Sha; readonly to: Sha; readonly maxPatchBytes: number },
    signal: AbortSignal,
  ) => Promise<TreeDiff>;
  /** `git patch-id --stable` of the difference; null when it is empty. */
  readonly patchId: (repository: SessionRepository, from: Sha, to: Sha, signal: AbortSignal) => Promise<string | null>;
  /** Resolutions that passed the gate before, of the same conflicts in this repository (rerere): text by path, markers gone. */
  readonly recallResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Remembers how the commit `resolved`, which the mirror keeps, resolved the conflicts. Called once its push has arrived. */
  readonly rememberResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha },
    signal: AbortSignal,
  ) => Promise<void>;
  /** Forgets how the conflicts of this merge were resolved, by whichever merge that was learned. */
  readonly forgetResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Whether each pull request merges into `baseRef` as it is now: one fetch (none of the API), then `git merge-tree --stdin`.
   * `unknown` for a head that cannot be had. Needs a mirror that exists (`openMirror`).
   */
  readonly probeMerges: (
    mirror: Mirror,
    want: {
      readonly baseRef: string;
      readonly pulls: readonly { readonly number: number; readonly headSha: Sha }[];
    },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<{ readonly baseSha: Sha; readonly probes: ReadonlyMap<number, MergeProbe> }>;
  /** The commit object over the imported tree: parent = the head, our author, `trailers` at the end of the message. */
  readonly createCommit: (
    repository: SessionRepository,
    commit: { readonly treeSha: Sha; readonly message: string; readonly parents: readonly Sha[]; readonly at: number },
    signal: AbortSignal,
  ) => Promise<Sha>;
  /**
   * Keeps the commit alive under `refs/ratchet/intent/<runId>` of the mirror, so that a restart can still push it. The
   * control repository may be deleted after that.
   */
  readonly keepCommit: (repository: SessionRepository, commitSha: Sha, signal: AbortSignal) => Promise<void>;
  /** Pushes a kept commit to `branch` if the remote is still exactly at `oldSha` and `oldSha` is its ancestor. */
  readonly pushKept: (
    mirror: Mirror,
    push: { readonly runId: RunId; readonly commitSha: Sha; readonly branch: string; readonly oldSha: Sha },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<PushResult>;
  /** The remote branch's head now; null when the branch does not exist. */
  readonly readRemoteHead: (branch: string, remote: RemoteAccess, signal: AbortSignal) => Promise<Sha | null>;
  /** The mirror as it lies on disk, without a fetch; null when there is none. */
  readonly openMirror: (repositoryId: number) => Promise<Mirror | null>;
  /** Removes the session's folders (whatever an agent did to their modes) and its keep refs. Idempotent. */
  readonly removeSession: (runId: RunId, repositoryId: number) => Promise<void>;
  /** Removes folders of sessions not in `live`; repacks; evicts least recently used mirrors beyond the quota. */
  readonly sweep: (live: readonly RunId[], signal: AbortSignal) => Promise<void>;
}

/** Trees as folders of this machine: for sites that share its file system, not for the flow. */
export interface TreeFolders {
  /**
   * Writes the files of a tree into `folder`, which must not exist, but for the `masked` paths. `hasHistory`: with a `.git` of
   * its own over the mirror's objects, which the service never reads. Throws `WorkspaceError` (`REPO_TOO_LARGE`).
   */
  readonly placeTree: (
    repository: SessionRepository,
    want: {
      readonly treeSha: Sha;
      readonly folder: string;
      readonly masked: readonly string[];
      readonly hasHistory: boolean;
    },
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Removes nested `.git` entries of `folder` and imports its tree. `exclude` are paths that are kept out (mounted dependencies,
   * masked agent configuration): they appear as in `against`, which is also what the changes and the patch are measured from
   * (the head, or for a merge the tree that git itself made of it).
   */
  readonly importTree: (
    repository: SessionRepository,
    want: {
      readonly folder: string;
      readonly exclude: readonly string[];
      readonly maxPatchBytes: number;
      readonly against: Sha;
    },
    signal: AbortSignal,
  ) => Promise<ImportedTree>;
}
