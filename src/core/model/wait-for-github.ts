import type { EpochMs } from './ids.ts';

/** Work that is tried again by itself, because GitHub is in trouble. */
export interface WaitForGitHub {
  /** The last error. May contain words of GitHub. */
  readonly why: string;
  readonly since: EpochMs;
}
