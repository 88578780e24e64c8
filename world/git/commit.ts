/** Commits and comparisons, as plain data. */

export type Signature = { readonly name: string; readonly email: string; readonly date: string };

export type Commit = {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
};

export type FileStatus = 'added' | 'removed' | 'modified' | 'renamed';

export type ChangedFile = {
  readonly filename: string;
  readonly previousFilename: string | null;
  readonly status: FileStatus;
  readonly sha: string | null;
  readonly additions: number;
  readonly deletions: number;
  /** The hunks, without the `diff --git` header; null for a binary file. */
  readonly patch: string | null;
};

/** The relation of two commits, as in GitHub's compare API. */
export type Comparison = {
  readonly mergeBase: string;
  readonly aheadBy: number;
  readonly behindBy: number;
  /** Commits that only head has, oldest first. */
  readonly commits: readonly Commit[];
  /** Changes since the merge base. */
  readonly files: readonly ChangedFile[];
};
