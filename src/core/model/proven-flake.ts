import type { EpochMs, Sha } from './ids.ts';

/** Something was red and then green at one commit, so its failure proves nothing about the code. */
export interface ProvenFlake {
  /** `test <id>`, or `check <name>` where no test is known. */
  readonly subject: string;
  readonly headSha: Sha;
  readonly at: EpochMs;
}
