import type { CommitIdentity } from '../core/model/commit-identity.ts';
import type { PullRequestKey, RunId, Sha } from '../core/model/ids.ts';
import type { RepositoryRef } from '../core/model/pull-request.ts';
import type { TreeChange } from '../core/model/tree-change.ts';
import type { GitToken } from './github.ts';

/** The service's bare copy of a repository, updated by fetches. Agents can read its objects but never write them. */
export interface Mirror {
  readonly repositoryId: number;
  readonly gitDir: string;
  readonly objectsDir: string;
}

/** The repository of one session. `controlDir` is bare, outside of every site; all git commands of the service run in it. */
export interface SessionRepository {
  readonly runId: RunId;
  readonly mirror: Mirror;
  readonly controlDir: string;
  readonly headSha: Sha;
}

/** The tree that an agent left, imported into the control repository, with its changes against the tree the agent started from. */
export interface ImportedTree {
  readonly treeSha: Sha;
  /** Commit or tree that the changes are measured from. */
  readonly against: Sha;
  readonly changes: readonly TreeChange[];
  /** Unified diff of the changes, truncated at the limit of the caller. Kept as an artifact and scanned for secrets. */
  readonly patch: string;
  readonly patchTruncated: boolean;
}

/** A file that git could not merge automatically. */
export interface ConflictedFile {
  readonly path: string;
  /** Blobs of the merge base, our side (the head) and their side (the base branch). null: that side has no such file. */
  readonly baseBlob: Sha | null;
  readonly ourBlob: Sha | null;
  readonly theirBlob: Sha | null;
  /** The file is plain text on every side that has it, not a link, a submodule or binary. */
  readonly isText: boolean;
}

/** The result of merging two commits without a working tree. */
export type MergeTree =
  | { readonly kind: 'clean'; readonly treeSha: Sha }
  /** Ours already contains all commits of theirs. */
  | { readonly kind: 'merged' }
  | {
      readonly kind: 'conflicted';
      /** The merged tree, with conflict markers in its files. */
      readonly treeSha: Sha;
      /** May be empty, because directories can conflict too. */
      readonly files: readonly ConflictedFile[];
      /** All paths that git names in its conflicts, including those of `files`. A rename has several. */
      readonly named: readonly string[];
      /** Git's own message for each conflict. May contain untrusted names. */
      readonly messages: string;
    }
  /** The two commits have no common ancestor. */
  | { readonly kind: 'unrelated' };

/** Whether one pull request merges into its base, as far as the mirror shows. */
export type MergeProbe = 'clean' | 'conflict' | 'unknown';

/** The difference between two trees. */
export interface TreeDiff {
  readonly changes: readonly TreeChange[];
  readonly patch: string;
  readonly patchTruncated: boolean;
}

/** How a push ended. */
export type PushResult =
  | { readonly kind: 'pushed' }
  /** The remote branch is not at the expected head (moved or deleted). Nothing was changed. */
  | { readonly kind: 'stale'; readonly remoteSha: Sha | null }
  /** The server refused the push. `reason` is its message, redacted. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is unknown whether the push arrived, or GitHub could not take it. Read the remote head to find out, and try again. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface RemoteAccess {
  readonly url: string;
  readonly token: GitToken;
}

/** Until when a commit is kept: `intent`, until its push is settled; `held`, for as long as a person may accept it. */
export type KeptAs = 'intent' | 'held';

/** A commit to make. */
export interface NewCommit {
  readonly treeSha: Sha;
  readonly message: string;
  readonly parents: readonly Sha[];
  readonly identity: CommitIdentity;
  readonly at: number;
}

/** Git on the host. Never runs in a repository that an agent can write to. No shell; only its own configuration. */
export interface Git {
  /**
   * The mirror of `repository`, created on first use. Fetches `headSha` and the tip of `baseRef`. The head is taken from the
   * branch `headRef`, without one (a fork) from `refs/pull/<number>/head`, and by its SHA where these lag. Throws
   * `RepositoryError` (`REPO_TOO_LARGE`, `REF_LAGS`, `FETCH_FAILED`).
   */
  readonly ensureMirror: (
    repository: RepositoryRef,
    want: {
      readonly number: number;
      readonly headSha: Sha;
      readonly headRef?: string | null;
      readonly baseRef: string;
    },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<Mirror>;
  /**
   * Creates the control repository at `headSha`. It borrows the objects of the mirror. Throws `RepositoryError` (`REPO_TOO_LARGE`).
   */
  readonly prepareSession: (
    mirror: Mirror,
    session: {
      readonly id: RunId;
      readonly key: PullRequestKey;
      readonly headSha: Sha;
      /** Further commits to keep reachable for the session. Missing ones are ignored. */
      readonly alsoKeep?: readonly Sha[];
    },
    signal: AbortSignal,
  ) => Promise<SessionRepository>;
  /** Texts by path at `treeish` (a commit or tree), read from the control repository. Missing files are left out. */
  readonly readFiles: (
    repository: SessionRepository,
    want: { readonly treeish: Sha; readonly paths: readonly string[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Texts by blob SHA. Blobs longer than `maxBytes` or not UTF-8 are left out. */
  readonly readBlobs: (
    repository: SessionRepository,
    want: { readonly blobs: readonly Sha[]; readonly maxBytes: number },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<Sha, string>>;
  /** Tracked paths of `treeish`; by default those of the head. */
  readonly listFiles: (repository: SessionRepository, signal: AbortSignal, treeish?: Sha) => Promise<readonly string[]>;
  /** Paths of the submodules of `treeish`, sorted. They are among the tracked paths, too. */
  readonly listSubmodules: (
    repository: SessionRepository,
    signal: AbortSignal,
    treeish: Sha,
  ) => Promise<readonly string[]>;
  /**
   * Merges `theirs` into `ours` with `git merge-tree`, without a working tree, and writes the trees to the control repository.
   * Throws `RepositoryError` (`FETCH_FAILED`) if one of the commits is not available.
   */
  readonly mergeTree: (
    repository: SessionRepository,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<MergeTree>;
  /**
   * The tree of `onto` without what `commitSha` changed against `parentSha`: a merge of three trees, without a working tree.
   * `merged`: `onto` holds nothing of that change. `missing`: one of the two commits is not available.
   */
  readonly revertTree: (
    repository: SessionRepository,
    revert: { readonly commitSha: Sha; readonly parentSha: Sha; readonly onto: Sha },
    signal: AbortSignal,
  ) => Promise<Exclude<MergeTree, { readonly kind: 'unrelated' }> | { readonly kind: 'missing' }>;
  /** Writes a copy of `treeSha` (a tree or commit) with files replaced, or removed (null). Modes are kept; new files get 100644. */
  readonly writeTree: (
    repository: SessionRepository,
    tree: { readonly treeSha: Sha; readonly files: Readonly<Record<string, string | null>> },
    signal: AbortSignal,
  ) => Promise<Sha>;
  /** A copy of `treeSha` in which `paths` are as in `from`, whatever they are; what `from` does not have is removed. */
  readonly mixTrees: (
    repository: SessionRepository,
    mix: { readonly treeSha: Sha; readonly from: Sha; readonly paths: readonly string[] },
    signal: AbortSignal,
  ) => Promise<Sha>;
  /** The diff between two trees or commits. */
  readonly diffTrees: (
    repository: SessionRepository,
    diff: { readonly from: Sha; readonly to: Sha; readonly maxPatchBytes: number },
    signal: AbortSignal,
  ) => Promise<TreeDiff>;
  /** `git patch-id --stable` of the diff. null: the diff is empty. */
  readonly patchId: (repository: SessionRepository, from: Sha, to: Sha, signal: AbortSignal) => Promise<string | null>;
  /** Earlier resolutions of the same conflicts in this repository that passed the gate (rerere): text by path, without markers. */
  readonly recallResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Remembers how `resolved`, a commit that the mirror keeps, resolved the conflicts. Call it once its push has arrived. */
  readonly rememberResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha },
    signal: AbortSignal,
  ) => Promise<void>;
  /** Forgets the resolutions of the conflicts in this merge, including those learned from other merges. */
  readonly forgetResolutions: (
    mirror: Mirror,
    merge: { readonly ours: Sha; readonly theirs: Sha },
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Whether each pull request merges into the current `baseRef`: one fetch without API calls, then `git merge-tree --stdin`. A
   * head that is not available gives `unknown`. Needs an existing mirror (`openMirror`).
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
  /** Commits `treeSha` with `identity` as author and committer. The first parent is the head; `at` is in epoch milliseconds. */
  readonly createCommit: (repository: SessionRepository, commit: NewCommit, signal: AbortSignal) => Promise<Sha>;
  /**
   * Keeps the commit reachable in the mirror, even if the control repository is deleted: as `refs/ratchet/intent/<runId>`, so that
   * it can be pushed after a restart, or as `refs/ratchet/held/<runId>`, until a person accepts it.
   */
  readonly keepCommit: (
    repository: SessionRepository,
    commit: { readonly commitSha: Sha; readonly as: KeptAs },
    signal: AbortSignal,
  ) => Promise<void>;
  /** The commit that the run `of` has left held, with its tree; null: it is not kept any more. */
  readonly readHeld: (
    repository: SessionRepository,
    of: RunId,
    signal: AbortSignal,
  ) => Promise<{ readonly commitSha: Sha; readonly treeSha: Sha } | null>;
  /** Pushes a kept commit to `branch` if the remote is still exactly at `oldSha` and `oldSha` is an ancestor of the commit. */
  readonly pushKept: (
    mirror: Mirror,
    push: { readonly runId: RunId; readonly commitSha: Sha; readonly branch: string; readonly oldSha: Sha },
    remote: RemoteAccess,
    signal: AbortSignal,
  ) => Promise<PushResult>;
  /** The current head of the remote branch. null: there is no such branch. */
  readonly readRemoteHead: (branch: string, remote: RemoteAccess, signal: AbortSignal) => Promise<Sha | null>;
  /** The mirror on disk, without a fetch. null: there is none. */
  readonly openMirror: (repositoryId: number) => Promise<Mirror | null>;
  /** Removes the folders of the session, even if an agent changed their modes, and its keep refs. Idempotent. */
  readonly removeSession: (runId: RunId, repositoryId: number) => Promise<void>;
  /**
   * Removes folders of sessions not in `live` and held commits of sessions in neither, repacks mirrors, and deletes the least
   * recently used mirrors beyond the quota.
   */
  readonly sweep: (
    keep: { readonly live: readonly RunId[]; readonly held: readonly RunId[] },
    signal: AbortSignal,
  ) => Promise<void>;
}

/** Reads and writes trees as folders on this machine. Only for sites that share its file system, not for the pipeline. */
export interface TreeFolders {
  /**
   * Writes the files of a tree to `folder`, which must not exist, except the `masked` paths. With `hasHistory`, adds a separate
   * `.git` over the objects of the mirror; the service never reads it. Throws `RepositoryError` (`REPO_TOO_LARGE`).
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
   * Removes nested `.git` entries of `folder` and imports its tree. Changes and patch are relative to `against`: the head, or
   * git's own merge result for a merge. Paths in `exclude` (mounted dependencies, masked agent configuration) are not imported and
   * appear as in `against`.
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
