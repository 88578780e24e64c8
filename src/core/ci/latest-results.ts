import { newestBy } from '../lists/newest-by.ts';
import type { CheckResult } from '../model/pull-request.ts';
import { isCalledOff, toSignal } from './check-signal.ts';

/** A result whose head is any text: the command line accepts any input, the server only full object names. */
export type CiResult = Omit<CheckResult, 'headSha'> & { readonly headSha: string };

/**
 * The results that count, of all results at one head: the newest of each (source, app, name, event, workflow), so that a re-run
 * replaces the earlier result, while the `push` and `pull_request` runs of one job both count (traps 82 and 142). Superseded
 * results are left out (traps 1 and 2). Sorted, so that the input order does not matter.
 */
export function toLatestResults<Result extends CiResult>(results: readonly Result[]): readonly Result[] {
  const live = results.filter(createLive(results));
  const latest = newestBy(live, toKey, isNewer);
  const newestOfJob = newestBy(live, toJobKey, isNewer);
  return [...latest]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, result]) => result)
    .filter((result) => !isCalledOff(result) || newestOfJob.get(toJobKey(result)) === result);
}

/**
 * Supersession is a fact of workflow runs, not of names or times: a run that is cancelled before its matrix expands leaves names
 * that no other run has. A newer run of the workflow supersedes what was called off in an older one, even if another event
 * started it. Everything else in the older run still counts, because a live job may belong to it. The older run as a whole
 * counts only while it runs: its later jobs do not exist yet.
 */
function createLive(results: readonly CiResult[]): (result: CiResult) => boolean {
  // A run that skipped all of its jobs tested nothing, so it replaces nothing.
  const working = results.filter(({ conclusion }) => conclusion !== 'skipped');
  const newestOfWorkflow = newestBy(working, toWorkflowKey, isOfNewerRun);
  const newestOfEvent = newestBy(working, toEventKey, isOfNewerRun);
  return (result) => {
    if (isCalledOff(result))
      return result.isRunGreen !== true && !isOlder(result, newestOfWorkflow.get(toWorkflowKey(result)));
    if (result.isRun !== true || toSignal(result) === 'running') return true;
    return !isOlder(result, newestOfEvent.get(toEventKey(result)));
  };
}

function isOlder(result: CiResult, newest: CiResult | undefined): boolean {
  return newest !== undefined && isOfNewerRun(newest, result);
}

function isOfNewerRun(a: CiResult, b: CiResult): boolean {
  return toRunNumber(a) > toRunNumber(b);
}

function toRunNumber({ runNumber }: CiResult): number {
  return runNumber ?? 0;
}

function toWorkflowKey({ workflow }: CiResult): string {
  return JSON.stringify([workflow ?? null]);
}

function toEventKey({ workflow, event }: CiResult): string {
  return JSON.stringify([workflow ?? null, event]);
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

/** A workflow may have the name of one of its jobs. */
function toJob(result: CiResult): readonly (string | number | boolean | null)[] {
  const { source, appId, workflow = null, isRun = false } = result;
  return [toComparableName(result), source, appId, workflow, isRun];
}

/** Equal for names that GitHub treats as one check: the context of a status ignores case, the name of a check run does not. */
export function toComparableName({ source, name }: Pick<CiResult, 'source' | 'name'>): string {
  return source === 'status' ? name.toLowerCase() : name;
}

/**
 * A skipped job proves nothing, so it is older than any result of the job. Otherwise the newer run decides, then the start, then
 * the id; the rest only makes the order total for repeated rows of one id.
 */
function isNewer(a: CiResult, b: CiResult): boolean {
  const order =
    compare(toWeight(a), toWeight(b)) ||
    toRunNumber(a) - toRunNumber(b) ||
    compare(toStart(a), toStart(b)) ||
    a.id - b.id ||
    compare(toEnd(a), toEnd(b)) ||
    compare(a.status, b.status) ||
    compare(a.conclusion ?? '', b.conclusion ?? '') ||
    compare(a.event ?? '', b.event ?? '');
  return order > 0;
}

function toWeight({ conclusion }: CiResult): number {
  return conclusion === 'skipped' ? 0 : 1;
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
