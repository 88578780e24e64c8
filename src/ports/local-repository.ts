/** What changed between a commit and the files as they lie there. */
export interface LocalDiff {
  /** Unified diff, cut at the caller's limit. */
  readonly patch: string;
  /** Whether all of the difference is in it. */
  readonly isPatchWhole: boolean;
  /** Every path that differs, of a renamed file both. */
  readonly changed: ReadonlySet<string>;
  /** Path of now by path of then, of files that git takes for renamed. */
  readonly renames: ReadonlyMap<string, string>;
}

/** The checkout that a person stands in. Nothing of it is changed: git only reads here. */
export interface LocalRepository {
  /** Absolute, links resolved: the one root that every path is relative to (000.R7). */
  readonly root: string;
  /** Paths of regular files and links, sorted: tracked ones that are there, and others that git does not ignore. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  /** The commit that HEAD and `revision` have in common; null where there is no such revision, or no git. */
  readonly findBase: (revision: string, signal: AbortSignal) => Promise<string | null>;
  /** Writes the files of a commit into `folder`, which exists and is empty. Returns their paths, sorted. */
  readonly placeCommit: (commit: string, folder: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** From the commit to the files as they lie there, with those that git does not know yet. */
  readonly diffFrom: (commit: string, maxBytes: number, signal: AbortSignal) => Promise<LocalDiff>;
  /** Equal while no tracked file changes and no unignored one comes or goes; null without git, or where it cannot be told. */
  readonly state: (signal: AbortSignal) => Promise<string | null>;
}
