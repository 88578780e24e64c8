import type { EngineConfigError, EngineError, EnginePlan, EngineRun, ModeRequest, SkippedEngine } from './engine.ts';
import type { Finding } from './finding.ts';

/** Which plans of an engine were run (000.R15). */
export interface DedupDecision {
  readonly engine: string;
  readonly project: string;
  /** `target` also if both plans are equal: its result is then CURRENT's too. */
  readonly ran: 'current' | 'target' | 'both' | 'none';
}

/** A folder that was considered as a project of an engine. */
export interface ConsideredProject {
  readonly engine: string;
  /** null: nothing in the repository shows that the engine is used. */
  readonly project: string | null;
  readonly isTaken: boolean;
  /** What shows that it is a project, or why it is none. */
  readonly why: string;
}

/** A folder of the repository that is a repository of its own. Its files are none of the repository's. */
export interface Submodule {
  readonly path: string;
  /** Whether its content is here, where tools that look through folders find it. If not, its folder is empty. */
  readonly isHere: boolean;
}

/** All results of the engines for one content. Every list is sorted by engine, then project, then `current` before `target`. */
export interface EnginesReport {
  readonly root: string;
  readonly request: ModeRequest;
  /** Ids of the engines that a person named; empty if none was named. */
  readonly requestedEngines: readonly string[];
  /** Paths that CURRENT was asked for, canonical; empty if there are none. */
  readonly requestedPaths: readonly string[];
  /** Those of them that no selected engine looks at. */
  readonly uncoveredPaths: readonly string[];
  /** Ids of the engines of which signs were looked for in the repository; empty if the policy or a person names the engines. */
  readonly lookedFor: readonly string[];
  /** Sorted by path. */
  readonly submodules: readonly Submodule[];
  readonly plans: readonly EnginePlan[];
  readonly dedup: readonly DedupDecision[];
  readonly runs: readonly EngineRun[];
  readonly engineErrors: readonly EngineError[];
  readonly configErrors: readonly EngineConfigError[];
  readonly skipped: readonly SkippedEngine[];
  /** What detection and policy made of the repository, also of engines that do not run. */
  readonly projects: readonly ConsideredProject[];
}

/** An engine whose configuration a change touches, and the changed files. */
export interface ChangedConfig {
  readonly engine: string;
  readonly paths: readonly string[];
}

/** Comparison of the TARGET findings of one engine in one project with those of the base. */
export type EngineComparison =
  | {
      readonly kind: 'compared';
      readonly engine: string;
      readonly project: string;
      readonly added: readonly Finding[];
      /** Findings of the base that are gone, as a complete run shows. */
      readonly fixed: readonly Finding[];
      readonly existing: readonly Finding[];
      /** Findings of the head that may or may not be new: coverage, if tests failed or did not all run. */
      readonly uncompared: readonly Finding[];
      /** Failing tests of the base that were removed: neither fixed nor existing. */
      readonly removedTests: readonly string[];
      /** Failing tests of the base that are now skipped. */
      readonly skippedTests: readonly string[];
    }
  | {
      readonly kind: 'not_comparable';
      readonly engine: string;
      readonly project: string;
      readonly why: string;
      /** All findings of the head. */
      readonly findings: readonly Finding[];
      /** Those of them that an incomplete base run of the same signature reported too. */
      readonly existing: readonly Finding[];
    };
