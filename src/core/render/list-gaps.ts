import { findIdle } from '../engines/find-idle.ts';
import type { EngineRun } from '../model/engine.ts';
import type { EnginesReport } from '../model/engine-report.ts';
import { toProjectKey, toProjectName } from '../model/project.ts';
import type { CheckStory } from './check-story.ts';
import { toInstallWords } from './install-words.ts';
import { toEmptySubmoduleWords, toMovedSubmoduleWords } from './submodule-words.ts';

/** Something that `ratchet check` did not look at, or not wholly. */
export interface Gap {
  /** Name of the engine, with its project; null: it concerns the check as a whole. */
  readonly engine: string | null;
  readonly why: string;
}

/** What nothing looks at: requested paths, an engine that was asked for, or everything, and submodules that are not here. */
export function toUnlooked(report: EnginesReport): readonly string[] {
  const { uncoveredPaths } = report;
  const idle = findIdle(report);
  return [
    ...(uncoveredPaths.length === 0 ? [] : [`no engine checks these files: ${uncoveredPaths.join(', ')}`]),
    ...(idle === null ? [] : [idle]),
    ...toEmptySubmoduleWords(report),
  ];
}

/** All of them, in the order: what nothing looks at, settings, failures, missing dependencies, incomplete runs, the change itself. */
export function listGaps(story: CheckStory): readonly Gap[] {
  const { report, comparison } = story;
  const hasFailed = (run: EngineRun): boolean =>
    report.engineErrors.some((error) => toProjectKey(error) === toProjectKey(run) && error.mode === run.mode);
  const unread = { engine: null, why: 'the change since the base was not read whole' };
  return [
    ...toUnlooked(report).map((why) => ({ engine: null, why })),
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
    ...(comparison?.unlooked ?? []).map((path) => ({ engine: null, why: toMovedSubmoduleWords(path) })),
  ];
}
