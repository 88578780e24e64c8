/** Rules for the branches whose names fit a pattern, in either of the two shapes GitHub has for them. */
export type Protection = {
  /** `protection` is a classic branch protection rule, `ruleset` a repository ruleset. */
  readonly shape: 'protection' | 'ruleset';
  /** Branch name pattern as GitHub matches it, e.g. `main` or `release/*`. */
  readonly pattern: string;
  readonly requiresSignatures: boolean;
  /** Nobody but administrators may push. */
  readonly restrictsPushes: boolean;
  /** The head must hold the base's tip before a merge (strict status checks). */
  readonly requiresUpToDate: boolean;
  /** Contexts that must be green before a merge. */
  readonly requiredChecks: readonly string[];
  /** A push to a pull request dismisses its approvals. */
  readonly dismissStaleReviews: boolean;
  /** Approvals a pull request needs; 0 when none. */
  readonly requiredApprovals: number;
};
