import type { EngineConfigError, EngineError, EnginePlan, EngineRun, ModeRequest, SkippedEngine } from './engine.ts';
import type { Finding } from './finding.ts';

/** Which of an engine's plans were run where both were asked for (000.R15). */
export interface DedupDecision {
  readonly engine: string;
  /** `target` where both plans are equal: its result is CURRENT's, too. */
  readonly ran: 'current' | 'target' | 'both' | 'none';
}

/** All that running the engines over one content gave. Every list is sorted: by engine, then `current` before `target`. */
export interface EnginesReport {
  readonly root: string;
  readonly request: ModeRequest;
  readonly plans: readonly EnginePlan[];
  readonly dedup: readonly DedupDecision[];
  readonly runs: readonly EngineRun[];
  readonly engineErrors: readonly EngineError[];
  readonly configErrors: readonly EngineConfigError[];
  readonly skipped: readonly SkippedEngine[];
}

/** An engine whose configuration a change touches, and the files. */
export interface ChangedConfig {
  readonly engine: string;
  readonly paths: readonly string[];
}

/** How one engine's TARGET findings differ from those of the base. */
export type EngineComparison =
  | {
      readonly kind: 'compared';
      readonly engine: string;
      readonly added: readonly Finding[];
      /** Findings of the base that a complete run shows to be gone. */
      readonly fixed: readonly Finding[];
      readonly existing: readonly Finding[];
      /** Findings of head of which nobody can say whether they are new: coverage where tests failed or did not all run. */
      readonly uncompared: readonly Finding[];
      /** Failing tests of the base that are no more: neither fixed nor existing. */
      readonly removedTests: readonly string[];
      /** Failing tests of the base that are skipped now. */
      readonly skippedTests: readonly string[];
    }
  | {
      readonly kind: 'not_comparable';
      readonly engine: string;
      readonly why: string;
      /** All findings of head. */
      readonly findings: readonly Finding[];
      /** Those of them that the base has, too, as far as an incomplete base of the same signature could tell. */
      readonly existing: readonly Finding[];
    };
