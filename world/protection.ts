/** Rules for the branches that match a pattern, in one of GitHub's two shapes. */
export type Protection = {
  /** `protection` is a classic branch protection rule, `ruleset` a repository ruleset. */
  readonly shape: 'protection' | 'ruleset';
  /** GitHub's branch name pattern, e.g. `main` or `release/*`. */
  readonly pattern: string;
  readonly requiresSignatures: boolean;
  /** Only administrators may push. */
  readonly restrictsPushes: boolean;
  /** The head must contain the base's tip before a merge (strict status checks). */
  readonly requiresUpToDate: boolean;
  /** Contexts that must be green before a merge. */
  readonly requiredChecks: readonly string[];
  /** A push to a pull request dismisses its approvals. */
  readonly dismissStaleReviews: boolean;
  /** Number of approvals that a pull request needs; 0: none. */
  readonly requiredApprovals: number;
  /** Every conversation on the code must be resolved before a merge. */
  readonly requiresResolvedThreads: boolean;
};
