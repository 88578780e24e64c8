import { isRed } from './check-signal.ts';
import { type CiResult, toComparableName, toLatestResults } from './latest-results.ts';

/**
 * Names of the red jobs that are red at the merge base too. The event is not compared, because the base and a pull request run
 * on different events; App and workflow are. If the base has several results of a job, all must be red, because no agent is
 * started for such a job.
 */
export function findRedOnBase(failing: readonly CiResult[], atBase: readonly CiResult[]): readonly string[] {
  const latest = toLatestResults(atBase);
  const names = new Set(failing.map(({ name }) => name));
  return [...names].filter((name) =>
    failing.filter((check) => check.name === name).every((check) => isRedIn(latest, check)),
  );
}

function isRedIn(latest: readonly CiResult[], check: CiResult): boolean {
  const same = latest.filter((result) => isSameJob(result, check));
  return same.length > 0 && same.every(isRed);
}

function isSameJob(a: CiResult, b: CiResult): boolean {
  if (a.source !== b.source || toComparableName(a) !== toComparableName(b) || a.appId !== b.appId) return false;
  return a.workflow === undefined || b.workflow === undefined || a.workflow === b.workflow;
}
