import type { EpochMs } from './ids.ts';

/** What artifacts may take. */
export interface ArtifactLimits {
  /** Older ones go. */
  readonly before: EpochMs;
  /** Of one pull request. */
  readonly maxBytesEach: number;
  /** Of all together. */
  readonly maxBytes: number;
}
