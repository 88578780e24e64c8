import { findIdle } from '../engines/find-idle.ts';
import { isWhole, toExitCode } from '../engines/summarize-runs.ts';
import { isHarmless } from '../findings/severity.ts';
import type { EngineConfigError } from '../model/engine.ts';
import { isOpen } from '../quality/conclude-quality.ts';
import { type CheckStory, toAllFindings, toNewFingerprints } from './check-story.ts';

/**
 * Exit code of `ratchet check`, which also decides whether its last line is green. 0: nothing found. 1: findings (with
 * a base: new ones, or some that cannot be compared). 2: no findings, but an unusable setting. 3: no findings, but nothing ran, an
 * engine could not run or did not see everything, or the change was too large to be read or moves a submodule that is not here.
 */
export function concludeCheck(story: CheckStory): 0 | 1 | 2 | 3 {
  const { report, comparison } = story;
  // Engines that cannot be compared count only if they have findings that may be new.
  const isNew = toNewFingerprints(story);
  const failing = toAllFindings(story).filter((finding) => !isHarmless(finding));
  const hasDiagnostics =
    comparison === null
      ? failing.length > 0
      : failing.some(({ fingerprint }) => isNew.has(fingerprint)) || comparison.engines.some(isOpen);
  return toExitCode({ hasDiagnostics, isWhole: isEverythingRun(story) }) || toConfigExit(report.configErrors);
}

/** Whether every engine looked at all that it was asked to, and no setting is wrong. */
export function isAllSeen(story: CheckStory): boolean {
  return isEverythingRun(story) && toConfigExit(story.report.configErrors) === 0;
}

function isEverythingRun({ report, comparison }: CheckStory): boolean {
  return isWhole(report) && findIdle(report) === null && (comparison === null || isChangeSeen(comparison));
}

/** Whether the whole change was read and everything that it brings was looked at. */
export function isChangeSeen({
  isPatchWhole,
  unlooked,
}: Pick<NonNullable<CheckStory['comparison']>, 'isPatchWhole' | 'unlooked'>): boolean {
  return isPatchWhole && unlooked.length === 0;
}

/** Every error in a setting is bad input, here as in `ratchet config validate` and on a pull request. */
export function toConfigExit(errors: readonly EngineConfigError[]): 0 | 2 {
  return errors.length > 0 ? 2 : 0;
}
