import type { OverBudget } from '../findings/budgets.ts';
import type { CoverageView } from '../findings/view-coverage.ts';
import type { ChangedConfig, EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding, Severity } from '../model/finding.ts';
import type { Sha } from '../model/ids.ts';
import type { EngineSettings } from '../model/policy.ts';
import type { SetupReport } from '../model/setup-report.ts';

/** A new finding that a person accepted. */
export interface AcceptedByPerson {
  readonly finding: Finding;
  readonly author: string;
  readonly reason: string;
}

/** Everything that the check run "Ratchet / quality" reports about a finished run. */
export interface QualityStory {
  readonly headSha: Sha;
  /** The commit that the head was compared with; null if the two have no common commit. */
  readonly baseSha: Sha | null;
  /** Scope of CURRENT. */
  readonly scope: 'changed' | 'asked' | 'unknown';
  readonly report: EnginesReport;
  /** By engine; an engine without a TARGET run has none. */
  readonly comparisons: readonly EngineComparison[];
  /** New findings without the accepted ones: those of the comparisons, and new suppressions. */
  readonly added: readonly Finding[];
  readonly accepted: readonly AcceptedByPerson[];
  readonly overBudget: readonly OverBudget[];
  /** Of the TARGET runs that report coverage. */
  readonly coverage: readonly CoverageView[];
  /** By path: lines of the head that the pull request adds or changes. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Whether the whole difference to the base was read. If not, suppressions may have been missed. */
  readonly isPatchWhole: boolean;
  /** See `findUnlooked`. */
  readonly unlooked: readonly string[];
  /** Configuration files of engines that the pull request changes. */
  readonly changedConfigs: readonly ChangedConfig[];
  /** Why the dependencies could not be prepared; null if they were, or if there are none. */
  readonly setupProblem: string | null;
  /** How the dependencies of the head were prepared; null if it is not known. */
  readonly setup: SetupReport | null;
  readonly settings: Readonly<Record<string, EngineSettings>>;
  /** New findings of at least this severity fail the check. */
  readonly failLevel: Severity;
}
