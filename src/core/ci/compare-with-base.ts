import type { Diagnosis } from '../model/workspace.ts';
import { isRed, toSignal } from './check-signal.ts';
import { type CiResult, toComparableName, toLatestResults } from './latest-results.ts';

/**
 * Names of the red jobs that are red at the merge base too, apart by whether the tip of the base branch has repaired them. The
 * event is not compared, because the base and a pull request run on different events; App and workflow are. If the base has
 * several results of a job, all must be red, because no agent is started for such a job.
 */
export function compareWithBase(
  failing: readonly CiResult[],
  { atBase, atTip }: { readonly atBase: readonly CiResult[]; readonly atTip: readonly CiResult[] },
): Pick<Diagnosis, 'redOnBase' | 'repairedOnBase'> {
  const isRedAtBase = createFinder(failing, atBase, isRed);
  const isGreenAtTip = createFinder(failing, atTip, (result) => toSignal(result) === 'green');
  const red = [...new Set(failing.map(({ name }) => name))].filter(isRedAtBase);
  return {
    redOnBase: red.filter((name) => !isGreenAtTip(name)),
    repairedOnBase: red.filter(isGreenAtTip),
  };
}

/** Whether all results of each failing job of a name are so. */
function createFinder(
  failing: readonly CiResult[],
  results: readonly CiResult[],
  isSo: (result: CiResult) => boolean,
): (name: string) => boolean {
  const latest = toLatestResults(results);
  return (name) =>
    failing
      .filter((check) => check.name === name)
      .every((check) => {
        const same = latest.filter((result) => isSameJob(result, check));
        return same.length > 0 && same.every(isSo);
      });
}

function isSameJob(a: CiResult, b: CiResult): boolean {
  if (a.source !== b.source || toComparableName(a) !== toComparableName(b) || a.appId !== b.appId) return false;
  return a.workflow === undefined || b.workflow === undefined || a.workflow === b.workflow;
}
