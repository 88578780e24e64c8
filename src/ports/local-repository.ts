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

/** The checkout that a person works in. It is only read, never changed. */
export interface LocalRepository {
  /** Absolute path with links resolved. All paths are relative to it (000.R7). */
  readonly root: string;
  /** Sorted paths of regular files and links: tracked ones that exist, and untracked ones that git does not ignore. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The merge base of HEAD and `revision`, or `revision` itself if there is none. null: no such revision, or no git. */
  readonly findBase: (revision: string, signal: AbortSignal) => Promise<string | null>;
  /** Writes the files of a commit to `folder`, which must exist and be empty. Returns their paths, sorted. */
  readonly placeCommit: (commit: string, folder: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Diff from the commit to the working tree, including untracked files. */
  readonly diffFrom: (commit: string, maxBytes: number, signal: AbortSignal) => Promise<LocalDiff>;
  /** SHA-256 of the regular files among the paths, by path. A link is none, wherever it leads. */
  readonly hashFiles: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Equal while no tracked file changes and no unignored file appears or disappears. null: no git, or git failed. */
  readonly state: (signal: AbortSignal) => Promise<string | null>;
}
