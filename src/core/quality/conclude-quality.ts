import { DEFAULT_ENGINE_SETTINGS } from '../engines/default-engine-settings.ts';
import { isAtLeast } from '../findings/severity.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { QualityStory } from './quality-story.ts';

/** What the conclusion is drawn from. */
export type ConclusionInput = Pick<
  QualityStory,
  'report' | 'comparisons' | 'added' | 'overBudget' | 'settings' | 'failLevel' | 'isPatchWhole'
>;

/**
 * How the check run of a finished run ends: never `neutral` or `skipped`, which GitHub takes for good where a check is required.
 *
 * - `failure`: an engine that is required did not do its work, or its settings are wrong; or something new (or over a budget) is
 *   at least as bad as the level.
 * - `action_required`: a person must look. A required engine's findings could not be compared, or it did not see everything; or
 *   not one engine gave an answer; or the change was too large to look through for places where checks are switched off.
 * - `success`: nothing new; what did not run was not required, and the title says so.
 */
export function concludeQuality(input: ConclusionInput): 'success' | 'failure' | 'action_required' {
  const { report, settings, failLevel } = input;
  const isRequired = (engine: string): boolean => settings[engine]?.required ?? DEFAULT_ENGINE_SETTINGS.required;
  if (findUnfit(input).some(isRequired)) return 'failure';
  if ([...input.added, ...input.overBudget].some(({ severity }) => isAtLeast(severity, failLevel))) return 'failure';
  if (isUnanswered(report) || !input.isPatchWhole) return 'action_required';
  return findUncertain(input).some(isRequired) ? 'action_required' : 'success';
}

/** No engine ran, and not because the repository has nothing for it. */
function isUnanswered(report: EnginesReport): boolean {
  if (report.runs.some(({ mode, complete }) => mode === 'target' && complete)) return false;
  const isIdle = report.plans.length === 0 && report.configErrors.length === 0;
  return isIdle || findUnfit({ report }).length > 0;
}

/** Engines that did not do their work: failed, wrongly set, or without the dependencies that they need. Sorted, each once. */
export function findUnfit({ report }: Pick<QualityStory, 'report'>): readonly string[] {
  const missing = report.skipped.filter(({ why }) => why === 'dependencies_missing');
  return toNames([...report.engineErrors, ...report.configErrors, ...missing]);
}

/** Engines that ran and whose answer is not the whole one: not comparable and with findings, or not complete. Sorted, each once. */
export function findUncertain({
  report,
  comparisons,
}: Pick<QualityStory, 'report' | 'comparisons'>): readonly string[] {
  const unfit = new Set(findUnfit({ report }));
  const partial = report.runs.filter(({ mode, complete }) => mode === 'target' && !complete);
  return toNames([...partial, ...comparisons.filter(isOpen)]).filter((engine) => !unfit.has(engine));
}

/** Whether the comparison leaves findings of which nobody can say whether they are new. */
export function isOpen(comparison: EngineComparison): boolean {
  return comparison.kind === 'not_comparable'
    ? comparison.findings.length > comparison.existing.length
    : comparison.uncompared.length > 0;
}

function toNames(items: readonly { readonly engine: string }[]): readonly string[] {
  return [...new Set(items.map(({ engine }) => engine))].toSorted();
}
