import { newestBy } from '../lists/newest-by.ts';
import type { CheckResult } from '../model/pull-request.ts';
import { isCalledOff } from './check-signal.ts';

/** A result whose head is any text: the command line accepts any input, the server only full object names. */
export type CiResult = Omit<CheckResult, 'headSha'> & { readonly headSha: string };

/**
 * The newest result of each (source, app, name, event, workflow): a re-run replaces the earlier result, while the `push` and
 * `pull_request` runs of one job both count (traps 82 and 142). A result that was called off is left out if a newer run of the
 * same job exists, of any event (traps 1 and 2). Sorted, so that the input order does not matter.
 */
export function toLatestResults<Result extends CiResult>(results: readonly Result[]): readonly Result[] {
  const latest = newestBy(results, toKey, isNewer);
  const newestOfJob = newestBy(results, toJobKey, isNewer);
  return [...latest]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, result]) => result)
    .filter((result) => !isCalledOff(result) || newestOfJob.get(toJobKey(result)) === result);
}

/** Order by code units, which is the same on every machine. */
export function compareText(a: string, b: string): number {
  return compare(a, b);
}

function toKey(result: CiResult): string {
  return JSON.stringify([...toJob(result), result.event]);
}

function toJobKey(result: CiResult): string {
  return JSON.stringify(toJob(result));
}

function toJob(result: CiResult): readonly (string | number | null)[] {
  return [toComparableName(result), result.source, result.appId, result.workflow ?? null];
}

/** Equal for names that GitHub treats as one check: the context of a status ignores case, the name of a check run does not. */
export function toComparableName({ source, name }: Pick<CiResult, 'source' | 'name'>): string {
  return source === 'status' ? name.toLowerCase() : name;
}

/** Ids decide between equal times; the rest only makes the order total for repeated rows of one id. */
function isNewer(a: CiResult, b: CiResult): boolean {
  const order =
    compare(toStart(a), toStart(b)) ||
    a.id - b.id ||
    compare(toEnd(a), toEnd(b)) ||
    compare(a.status, b.status) ||
    compare(a.conclusion ?? '', b.conclusion ?? '') ||
    compare(a.event ?? '', b.event ?? '');
  return order > 0;
}

function compare<Value extends number | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A result that has not started is newer than any that has. */
function toStart({ startedAt, completedAt, status }: CiResult): number {
  if (startedAt !== null) return startedAt;
  return status === 'completed' ? (completedAt ?? -Infinity) : Infinity;
}

/** Of two rows with one id, the completed one was read later. */
function toEnd({ status, completedAt }: CiResult): number {
  return status === 'completed' ? (completedAt ?? Number.MAX_SAFE_INTEGER) : -Infinity;
}
