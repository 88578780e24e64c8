import type { CheckResult } from '../model/pull-request.ts';

/** A result whose head is any text: the command line takes what it is given, the server only full object names. */
export type CiResult = Omit<CheckResult, 'headSha'> & { readonly headSha: string };

/**
 * The newest result of each (source, app, name, event, workflow): a re-run replaces what it repeats, a `push` and a
 * `pull_request` run of one job stand side by side (traps 82 and 142). Sorted, so the order of the input is irrelevant.
 */
export function toLatestResults<Result extends CiResult>(results: readonly Result[]): readonly Result[] {
  const newest = new Map<string, Result>();
  for (const result of results) {
    const key = toKey(result);
    const known = newest.get(key);
    if (known === undefined || compareAge(known, result) < 0) newest.set(key, result);
  }
  return [...newest].sort(([a], [b]) => compareText(a, b)).map(([, result]) => result);
}

/** Text order by code unit, the same on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function toKey(result: CiResult): string {
  return JSON.stringify([result.name, result.source, result.appId, result.event, result.workflow ?? null]);
}

/** Older first. The ids decide between equal instants; the rest only makes the order total for repeated rows of one id. */
function compareAge(a: CiResult, b: CiResult): number {
  return (
    compareNumber(toStart(a), toStart(b)) ||
    a.id - b.id ||
    compareNumber(toEnd(a), toEnd(b)) ||
    compareText(a.status, b.status) ||
    compareText(a.conclusion ?? '', b.conclusion ?? '')
  );
}

function compareNumber(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** What has not started is newer than all that has. */
function toStart({ startedAt, completedAt, status }: CiResult): number {
  if (startedAt !== null) return startedAt;
  return status === 'completed' ? (completedAt ?? -Infinity) : Infinity;
}

/** Of two rows of one id, the completed one was read later. */
function toEnd({ status, completedAt }: CiResult): number {
  return status === 'completed' ? (completedAt ?? Number.MAX_SAFE_INTEGER) : -Infinity;
}
