import type { TestChangePolicy, TestChangeVerdict } from '../core/model/test-change.ts';

/** Texts by path. null: the file is there and cannot be read. */
export type FileTexts = Readonly<Record<string, string | null>>;

/** Files of a change, as they were on each side that it started from: one, or the two sides of a merge. */
export interface ChangedTexts {
  readonly before: readonly FileTexts[];
  readonly after: FileTexts;
  readonly policy: TestChangePolicy;
}

/** Judges what a change does to tests. */
export interface TestJudge {
  /** Tells that a change is being made: the next judgement starts sooner. It may never come. */
  readonly prepare: () => void;
  /**
   * A verdict for each side, in their order. Blocks nobody else, and ends in time: what takes too long, or too much memory, is held.
   * Rejects only where `signal` fires.
   */
  readonly judge: (change: ChangedTexts, signal: AbortSignal) => Promise<readonly TestChangeVerdict[]>;
}
