export const PATTERN_SUBJECTS = ['author_email', 'committer_email', 'message'] as const;
export const PATTERN_OPERATORS = ['starts_with', 'ends_with', 'contains', 'regex'] as const;

/** A rule on the text of commits. `negate`: it must not match. */
export type CommitPattern = {
  readonly of: (typeof PATTERN_SUBJECTS)[number];
  readonly operator: (typeof PATTERN_OPERATORS)[number];
  readonly pattern: string;
  readonly negate: boolean;
};

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
  /** What commits must say, of a ruleset. */
  readonly commitPatterns: readonly CommitPattern[];
  /** Every conversation on the code must be resolved before a merge. */
  readonly requiresResolvedThreads: boolean;
};
