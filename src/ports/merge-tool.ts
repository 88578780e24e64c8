/** The versions of one file that a merge tool reads: absolute paths in a site. */
export interface MergeToolFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** The file's path in the repository, which tells its language. */
  readonly path: string;
}

/** A program of the operator that merges code by its structure where git, line by line, finds a conflict. A site runs it. */
export interface MergeTool {
  /** Its name for people. */
  readonly name: string;
  /** The name of its programs in a site. No agent has it. */
  readonly programs: string;
  /** As its program prints it. */
  readonly version: string;
  /** A command that prints the merged file. Its exit code is 0 only if no conflict is left. */
  readonly command: (files: MergeToolFiles) => readonly string[];
}
