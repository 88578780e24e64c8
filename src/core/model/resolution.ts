/** A file of a merge that a resolution may change, on all sides. null: that side has no such file. */
export interface ResolvedFile {
  readonly path: string;
  /** Its text at the merge base; null for a file that was not in conflict. */
  readonly base: string | null;
  /** Its text at the head. */
  readonly ours: string | null;
  /** Its text at the base branch. */
  readonly theirs: string | null;
  /** Its text in the tree of git's own merge, with the markers of its conflicts. */
  readonly merged: string | null;
  /** Its text in the result; also null if that is unreadable. */
  readonly result: string | null;
  /** A version of it that has to be judged is too large or not text. */
  readonly isUnreadable: boolean;
}

/** How the conflicts of a merge were resolved. The merge is judged by this and by its diff to the tree of git's own merge. */
export interface Resolution {
  /** Conflicted files, without the regenerated ones. */
  readonly files: readonly ResolvedFile[];
  /** Files that were changed though git had merged them. */
  readonly beside: readonly ResolvedFile[];
  /** All paths that git reports in conflicts. */
  readonly named: readonly string[];
  /** Paths in which the head and the base branch differ. */
  readonly differing: readonly string[];
  /** Paths that a command regenerated. */
  readonly regenerated: readonly string[];
}
