import type { LogFailure } from '../evidence/log-failure.ts';
import type { ClassifiedFailure } from './classify-failure.ts';
import type { CiResult } from './latest-results.ts';

/** One red job and what was read of its failure. */
export interface FailedJob {
  readonly check: CiResult;
  /** What its log names; empty if nothing was recognised. */
  readonly failures: readonly LogFailure[];
  /** See `toFailureLines`. */
  readonly lines: readonly string[];
  /** Without secrets. */
  readonly classified: ClassifiedFailure;
}
