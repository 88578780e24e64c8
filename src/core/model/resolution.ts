/** One conflicted file of a merge, and its resolution. */
export interface ResolvedFile {
  readonly path: string;
  /** Its text at the merge base, the head (ours) and the base branch (theirs); null if that side has no such file. */
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  /** Its text in the result; null if the result has no such file, or it is unreadable. */
  readonly result: string | null;
  /** The result has the file, but it is too large or not text. */
  readonly isUnreadable: boolean;
}

/** How the conflicts of a merge were resolved. The merge is judged by this and by its diff to the tree of git's own merge. */
export interface Resolution {
  /** Conflicted files, without the regenerated ones. */
  readonly files: readonly ResolvedFile[];
  /** All paths that git reports in conflicts. Only these may differ from the tree of git's own merge. */
  readonly named: readonly string[];
  /** Paths that a command of the policy regenerated. */
  readonly regenerated: readonly string[];
}
