import { findIdle } from '../engines/find-idle.ts';
import type { EngineRun } from '../model/engine.ts';
import type { EnginesReport } from '../model/engine-report.ts';
import { toProjectKey, toProjectName } from '../model/project.ts';
import type { CheckStory } from './check-story.ts';
import { toInstallWords } from './install-words.ts';

/** Something that `ratchet check` did not look at, or not wholly. */
export interface Gap {
  /** Name of the engine, with its project; null: it concerns the check as a whole. */
  readonly engine: string | null;
  readonly why: string;
}

/** What nothing looks at: requested paths, an engine that was asked for, or everything. */
function toUnlooked(report: EnginesReport): readonly Gap[] {
  const { uncoveredPaths } = report;
  const idle = findIdle(report);
  const covered = uncoveredPaths.length === 0 ? [] : [{ engine: null, why: toUncoveredWords(uncoveredPaths) }];
  return idle === null ? covered : [...covered, { engine: null, why: idle }];
}

/** For example `no engine checks these files: README.md`. */
export function toUncoveredWords(paths: readonly string[]): string {
  return `no engine checks these files: ${paths.join(', ')}`;
}

/** All of them, in the order: what nothing looks at, settings, failures, missing dependencies, incomplete runs, the change itself. */
export function listGaps(story: CheckStory): readonly Gap[] {
  const { report, comparison } = story;
  const hasFailed = (run: EngineRun): boolean =>
    report.engineErrors.some((error) => toProjectKey(error) === toProjectKey(run) && error.mode === run.mode);
  const unread = { engine: null, why: 'the change since the base was not read whole' };
  return [
    ...toUnlooked(report),
    ...report.configErrors.map(({ engine, code, message }) => ({ engine, why: `${code}: ${message}` })),
    ...report.engineErrors.map(({ mode, kind, message, ...error }) => ({
      engine: toProjectName(error),
      why: `${kind} (${mode}): ${message}`,
    })),
    ...report.skipped
      .filter(({ why }) => why === 'dependencies_missing')
      .map((one) => ({ engine: toProjectName(one), why: `it could not run, as ${toInstallWords(story)}` })),
    ...report.runs
      .filter((run) => !run.complete && !hasFailed(run))
      .map(({ incompleteWhy, ...run }) => ({
        engine: toProjectName(run),
        why: `incomplete: ${incompleteWhy ?? 'it failed'}`,
      })),
    ...(comparison?.isPatchWhole === false ? [unread] : []),
  ];
}
