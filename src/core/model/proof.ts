/** How a command of a proof ended on one tree. */
export interface ProofRun {
  /** null: it did not exit by itself. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The last lines of its output, redacted. */
  readonly excerpt: string;
}

/** The verdicts of a proof. None of them says that a change is right. */
export const PROOF_VERDICTS = [
  /** Red at the old head, green at the result, and red again without all of the change but its test files. */
  'proven',
  /** What CI reports was not red here at the old head. */
  'not_reproduced',
  /** It was red, and green when it was repeated on the same files. */
  'flickers',
  /** A run gave no answer, or there was no time for it. */
  'unknown',
] as const;
export type ProofVerdict = (typeof PROOF_VERDICTS)[number];

/** How many tests a command of the validation ran; null: its output does not say. */
export interface TestCounts {
  readonly command: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** What was found out before the push by running tests on the trees around a change. */
export interface Proof {
  /** null: nothing names a test or a command that could prove the change, or it is for a person anyway. */
  readonly verdict: ProofVerdict | null;
  /** The command whose runs follow; null: none was red at the old head. */
  readonly command: string | null;
  readonly oldHead: ProofRun | null;
  readonly result: ProofRun | null;
  /** Everything but the test files reverted. null: not run. */
  readonly withoutSource: ProofRun | null;
  /** Whether the change has test files. If not, the third run would equal the first. */
  readonly hasTests: boolean;
  /** Sentences for people: what was tried, and in what CI differs. May quote logs: untrusted. */
  readonly notes: readonly string[];
  /** Of the commands of the validation, at the old head and at the result. */
  readonly counts: readonly TestCounts[];
}
