/** The settings of one repository: `.github/ratchet.yml` on the pull request's base branch, over defaults, under the operator's ceilings. */
export interface Policy {
  /** Pushing fixups, each counted, before a person is asked. */
  readonly maxAttempts: number;
  /** Fixups launched within 24 hours, pushed or not, before a person is asked. */
  readonly maxLaunchesPerDay: number;
  readonly ci: {
    /** How long a young head may stay without a result before its silence means something. */
    readonly settleSeconds: number;
    readonly staleTimeoutSeconds: number;
    readonly timeoutSeconds: number;
    /** Names that alone count; null: all of them. */
    readonly required: readonly string[] | null;
    /** Names (globs) that never count. */
    readonly ignore: readonly string[];
  };
  /** Shell commands that prepare dependencies, in a phase of their own. */
  readonly setup: readonly string[];
  /** Shell commands that must exit 0 before anything is pushed; null: detect the repository's test command. */
  readonly validate: readonly string[] | null;
  readonly sessionTimeoutMinutes: number;
  readonly validateTimeoutMinutes: number;
  readonly changes: {
    /** Globs that the agent may change; null: every tracked path but the protected ones. */
    readonly allowedPaths: readonly string[] | null;
    /** Globs that the agent may not change, beside the built-in ones. */
    readonly protectedPaths: readonly string[];
    readonly maxFiles: number;
    readonly maxLines: number;
    readonly maxBytes: number;
  };
}
