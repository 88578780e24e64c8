import { isWhole, toExitCode } from '../engines/summarize-runs.ts';
import type { EngineConfigError } from '../model/engine.ts';
import { isOpen } from '../quality/conclude-quality.ts';
import { type CheckStory, toAllFindings, toNewFingerprints } from './check-story.ts';

/**
 * Exit code of `ratchet check`, and so whether its last line is good news: 0 nothing found; 1 something was (with a base: something
 * new, or something of which nobody can say that it is not); 2 a setting that cannot be used, and nothing found; 3 an engine could
 * not run or did not see everything, or the change was too large to look through, and nothing found.
 */
export function concludeCheck(story: CheckStory): 0 | 1 | 2 | 3 {
  const { report, comparison } = story;
  // Of what cannot be compared only that counts which the base does not have.
  const hasDiagnostics =
    comparison === null
      ? toAllFindings(story).length > 0
      : toNewFingerprints(story).size > 0 || comparison.engines.some(isOpen);
  const isAllSeen = isWhole(report) && comparison?.isPatchWhole !== false;
  return toExitCode({ hasDiagnostics, isWhole: isAllSeen }) || toConfigExit(report.configErrors);
}

/** An empty scope is a way to switch an engine off; every other mistake in a setting is bad input. */
export function toConfigExit(errors: readonly EngineConfigError[]): 0 | 2 {
  return errors.some(({ code }) => code !== 'EMPTY_SCOPE') ? 2 : 0;
}
