import type { SkippedEngine } from '../model/engine.ts';
import type { EnginesReport } from '../model/engine-report.ts';
import { findAskedSubmodules } from './find-unlooked.ts';

const WHY: Readonly<Record<SkippedEngine['why'], string>> = {
  disabled: 'is switched off',
  no_applicable_files: 'has no file to look at',
  dependencies_missing: 'lacks its dependencies',
};

/** Whether paths were asked for, and no selected engine looks at any of them. */
export function isNothingCovered({ plans, requestedPaths, uncoveredPaths }: EnginesReport): boolean {
  return plans.length > 0 && requestedPaths.length > 0 && uncoveredPaths.length === requestedPaths.length;
}

/**
 * Why a check without findings does not show that all is well: no engine ran, or one that was asked for looked at nothing, or a
 * submodule was asked for. null if that is not so, or if the engines' errors give the reason. Paths that no engine looks at leave nothing to do.
 */
export function findIdle(report: EnginesReport): string | null {
  const [submodule] = findAskedSubmodules(report);
  if (submodule !== undefined) return `${submodule} is a submodule, a repository of its own: run ratchet check in it`;
  const { runs, engineErrors, configErrors, skipped, plans, requestedEngines } = report;
  if (configErrors.length > 0 || isNothingCovered(report)) return null;
  if (runs.length === 0 && engineErrors.length === 0 && plans.length === 0) return toNothingFound(report);
  const ran = new Set(runs.map(({ engine }) => engine));
  const idle = skipped.filter(
    ({ engine }) => !ran.has(engine) && (ran.size === 0 || requestedEngines.includes(engine)),
  );
  const words = new Set(idle.map(({ engine, why }) => `${engine} ${WHY[why]}`));
  return words.size === 0 ? null : [...words].join(', ');
}

function toNothingFound({ lookedFor }: EnginesReport): string {
  if (lookedFor.length === 0) return 'no engine is named in the policy';
  return `no engine was found: there is no sign of ${lookedFor.join(', ')} here; name one by --engine or in .github/ratchet.yml`;
}
