import type { CoverageView } from '../findings/view-coverage.ts';
import type { EngineSettings } from '../model/engine.ts';
import type { ChangedConfig, EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding, Severity } from '../model/finding.ts';
import type { Sha } from '../model/ids.ts';

/** A new finding that somebody accepted on purpose. */
export interface AcceptedByPerson {
  readonly finding: Finding;
  readonly author: string;
  readonly reason: string;
}

/** A file that has more findings of one severity than its budget. */
export interface OverBudget {
  readonly engine: string;
  readonly path: string | null;
  readonly severity: Severity;
  readonly count: number;
  readonly budget: number;
}

/** Everything that the check run "Ratchet / quality" tells of a run that came to its end. */
export interface QualityStory {
  readonly headSha: Sha;
  /** What the head was compared with; null: the two have no common commit. */
  readonly baseSha: Sha | null;
  /** Scope of the mode CURRENT. */
  readonly scope: 'changed' | 'asked' | 'unknown';
  readonly report: EnginesReport;
  /** By engine; none of an engine that gave no TARGET run. */
  readonly comparisons: readonly EngineComparison[];
  /** New findings: those of the comparisons, and new places where a check was switched off; without the accepted ones. */
  readonly added: readonly Finding[];
  readonly accepted: readonly AcceptedByPerson[];
  readonly overBudget: readonly OverBudget[];
  /** Of the TARGET runs that tell of any. */
  readonly coverage: readonly CoverageView[];
  /** By path, lines of the head that the pull request adds or changes. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Whether all of the difference to the base was read; else nobody knows of every place where a check was switched off. */
  readonly isPatchWhole: boolean;
  /** Configuration files of engines that the pull request changes. */
  readonly changedConfigs: readonly ChangedConfig[];
  /** Why the dependencies could not be prepared; null: they could, or there are none. */
  readonly setupProblem: string | null;
  readonly settings: Readonly<Record<string, EngineSettings>>;
  /** New findings of at least this severity fail the check. */
  readonly failLevel: Severity;
}
