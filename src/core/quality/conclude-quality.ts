import { hasSeenAll } from '../engines/has-seen-all.ts';
import { isAtLeast, isHarmless } from '../findings/severity.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../model/default-policy.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { QualityStory } from './quality-story.ts';

/** What the conclusion depends on. */
export type ConclusionInput = Pick<
  QualityStory,
  'report' | 'comparisons' | 'added' | 'overBudget' | 'settings' | 'failLevel' | 'isPatchWhole' | 'unlooked'
>;

/**
 * The conclusion of the check run of a finished run. Never `neutral` or `skipped`, because GitHub lets both satisfy a required
 * check.
 * - `failure`: a required engine failed or is misconfigured, or a new finding or exceeded budget is at least as severe as the
 * level.
 * - `action_required`: a person must look. A required engine's findings could not be compared or its run is incomplete; or no
 * engine gave a whole answer; or the change was too large to search for suppressions, or moves a submodule that nobody looked at.
 * - `success`: nothing new. Engines that did not run were not required, and the title says so.
 */
export function concludeQuality(input: ConclusionInput): 'success' | 'failure' | 'action_required' {
  const { report, settings, failLevel } = input;
  const isRequired = (engine: string): boolean => settings[engine]?.required ?? DEFAULT_ENGINE_SETTINGS.required;
  if (findUnfit(input).some(isRequired)) return 'failure';
  const failing = [...input.added.filter((finding) => !isHarmless(finding)), ...input.overBudget];
  if (failing.some(({ severity }) => isAtLeast(severity, failLevel))) return 'failure';
  if (isUnanswered(report) || !input.isPatchWhole || input.unlooked.length > 0) return 'action_required';
  return findUncertain(input).some(isRequired) ? 'action_required' : 'success';
}

/** Not one engine saw all that it was to look at. */
function isUnanswered({ runs }: EnginesReport): boolean {
  return !runs.some((run) => run.mode === 'target' && hasSeenAll(run));
}

/** Engines that failed, are misconfigured, or lack the dependencies that they need. Sorted, each once. */
export function findUnfit({ report }: Pick<QualityStory, 'report'>): readonly string[] {
  const missing = report.skipped.filter(({ why }) => why === 'dependencies_missing');
  return toNames([...report.engineErrors, ...report.configErrors, ...missing]);
}

/** Engines with an incomplete answer: findings that could not be compared, or a partial run. Sorted, each once. */
export function findUncertain({
  report,
  comparisons,
}: Pick<QualityStory, 'report' | 'comparisons'>): readonly string[] {
  const unfit = new Set(findUnfit({ report }));
  const partial = report.runs.filter((run) => run.mode === 'target' && !hasSeenAll(run));
  return toNames([...partial, ...comparisons.filter(isOpen)]).filter((engine) => !unfit.has(engine));
}

/** Whether the comparison has findings that may or may not be new. */
export function isOpen(comparison: EngineComparison): boolean {
  return comparison.kind === 'not_comparable'
    ? comparison.findings.length > comparison.existing.length
    : comparison.uncompared.length > 0;
}

function toNames(items: readonly { readonly engine: string }[]): readonly string[] {
  return [...new Set(items.map(({ engine }) => engine))].toSorted();
}
