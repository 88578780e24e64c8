import type { Submodule } from '../core/model/engine-report.ts';

/** The difference between a commit and the working tree. */
export interface LocalDiff {
  /** Unified diff, truncated at the limit of the caller. */
  readonly patch: string;
  /** Whether `patch` is complete. */
  readonly isPatchWhole: boolean;
  /** Every changed path; for a rename both the old and the new one. */
  readonly changed: ReadonlySet<string>;
  /** New path by old path, for files that git detects as renamed. */
  readonly renames: ReadonlyMap<string, string>;
}

/** The commit that a checkout is compared with, or why there is none. */
export type FoundBase =
  | { readonly kind: 'found'; readonly commit: string }
  /** `isShallow`: the clone does not have its whole history, which may be the reason. */
  | { readonly kind: 'no_commit' | 'no_common_commit'; readonly isShallow: boolean };

/** The files of a commit, written to a folder. */
export interface PlacedCommit {
  /** Paths of tracked files, sorted; without those of submodules. */
  readonly files: readonly string[];
  /** What else decides about the content: submodules and their commits, and what a sparse checkout leaves out. */
  readonly content: string;
  /** Files and folders of the checkout that the placed files have no counterpart of. */
  readonly apart: readonly string[];
  /** What differs from the commit, and why, for people. */
  readonly notes: readonly string[];
}

/** The checkout that a person works in. It is only read, never changed. */
export interface LocalRepository {
  /** Absolute path with links resolved. All paths are relative to it (000.R7). */
  readonly root: string;
  /** Sorted paths of regular files and links: tracked ones that exist, and untracked ones that git does not ignore. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Submodules that the index records, sorted by path; without git there are none. */
  readonly listSubmodules: (signal: AbortSignal) => Promise<readonly Submodule[]>;
  /** The merge base of HEAD and `revision`. Without git there is no commit. */
  readonly findBase: (revision: string, signal: AbortSignal) => Promise<FoundBase>;
  /**
   * Writes the files of a commit to `folder`, which must exist and be empty, as the checkout would have them: with the content of its
   * submodules and the files that git ignores, and without what a sparse checkout leaves out.
   */
  readonly placeCommit: (commit: string, folder: string, signal: AbortSignal) => Promise<PlacedCommit>;
  /** Diff from the commit to the working tree, including untracked files. */
  readonly diffFrom: (commit: string, maxBytes: number, signal: AbortSignal) => Promise<LocalDiff>;
  /** SHA-256 of the regular files among the paths, by path. A link is none, wherever it leads. */
  readonly hashFiles: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Equal while no tracked file changes and no unignored file appears or disappears. null: no git, or git failed. */
  readonly state: (signal: AbortSignal) => Promise<string | null>;
}
