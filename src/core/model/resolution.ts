/** One file of a merge that git could not resolve, and what became of it. */
export interface ResolvedFile {
  readonly path: string;
  /** Its text at the merge base, at the head, and on the base branch; null where that side has no such file. */
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  /** Its text in the result; null where the result has none. */
  readonly result: string | null;
  /** The result has it, but not as text of a size that can be read. */
  readonly isUnreadable: boolean;
}

/** How the conflicts of a merge were resolved: what the merge is judged by, beside its diff to what git made of it. */
export interface Resolution {
  /** Files in conflict, but for those that were made anew. */
  readonly files: readonly ResolvedFile[];
  /** All paths that git names in its conflicts: only these may differ from what git made. */
  readonly named: readonly string[];
  /** Paths whose content a command of the policy made anew. */
  readonly regenerated: readonly string[];
}
