/** Resource limits of the git adapter. Sizes are bytes on disk. */
export interface GitLimits {
  /** Objects of one mirror. */
  readonly maxRepositoryBytes: number;
  /** Total of all mirrors, enforced by `sweep`. */
  readonly maxMirrorBytes: number;
  /** Entries (files and folders) that an imported workspace may have. */
  readonly maxTreeEntries: number;
  /** Each fetch adds a pack, and each pack slows down object look-ups. Above this number, `sweep` repacks. */
  readonly maxPacks: number;
  readonly fetchTimeoutMs: number;
  readonly pushTimeoutMs: number;
  /** Every other git command. */
  readonly commandTimeoutMs: number;
}

/** Limits for a repository of the usual size on one machine. */
export const DEFAULT_GIT_LIMITS: GitLimits = {
  maxRepositoryBytes: 4 * 1024 ** 3,
  maxMirrorBytes: 40 * 1024 ** 3,
  maxTreeEntries: 1_000_000,
  maxPacks: 50,
  fetchTimeoutMs: 15 * 60_000,
  pushTimeoutMs: 2 * 60_000,
  commandTimeoutMs: 5 * 60_000,
};
