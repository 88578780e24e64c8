/** How the dependencies of a tree were prepared, for people. */
export interface SetupReport {
  /** Where the commands come from; `none`: there are none. */
  readonly source: 'policy' | 'detected' | 'none';
  readonly commands: readonly string[];
  /** Whether dependencies of an earlier run were used instead. */
  readonly isReused: boolean;
  /** Sentences: what is not installed, and which tools are not those that the repository asks for. */
  readonly notes: readonly string[];
}
