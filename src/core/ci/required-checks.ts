import { findNearest } from '../commands/find-nearest.ts';
import type { MissingCheck } from '../model/snapshot.ts';
import { type CiResult, compareText, toComparableName } from './latest-results.ts';

/** The results of required checks; all results if the policy requires none. A workflow run has a name of another kind. */
export function toRequired<Result extends CiResult>(
  latest: readonly Result[],
  required: readonly string[] | null,
): readonly Result[] {
  if (required === null) return latest;
  const wanted = new Set(required.flatMap(toWantedKeys));
  return latest.filter((check) => check.isRun !== true && wanted.has(toNameKey(check)));
}

/**
 * The required checks without a result, each with the nearest name among the results of checks that are not required: a job of
 * a reusable workflow is named `ci / test`, one of a matrix `test (20)`.
 */
export function findMissing(required: readonly string[] | null, latest: readonly CiResult[]): readonly MissingCheck[] {
  const wanted = new Set((required ?? []).flatMap(toWantedKeys));
  const jobs = latest.filter(({ isRun }) => isRun !== true);
  const seen = new Set(jobs.map(toNameKey));
  const others = [...new Set(jobs.filter((check) => !wanted.has(toNameKey(check))).map(({ name }) => name))];
  return (required ?? [])
    .filter((name) => !toWantedKeys(name).some((key) => seen.has(key)))
    .map((name) => ({ name, near: findNear(name, others.sort(compareText)) }));
}

/** A required name may be that of a check run or of a commit status. */
function toWantedKeys(name: string): readonly string[] {
  return [toNameKey({ source: 'check_run', name }), toNameKey({ source: 'status', name })];
}

function toNameKey(check: Pick<CiResult, 'source' | 'name'>): string {
  return `${check.source} ${toComparableName(check)}`;
}

/** What people take for the name of a check, likeliest first: without its matrix, its caller, or what it calls. */
const TO_SHORT: readonly ((name: string) => string)[] = [
  (name) => name,
  withoutMatrix,
  (name) => name.slice(name.lastIndexOf('/') + 1),
  (name) => withoutMatrix(name.slice(name.lastIndexOf('/') + 1)),
  (name) => name.slice(0, name.includes('/') ? name.indexOf('/') : 0),
];

function withoutMatrix(name: string): string {
  return name.replace(/\s*\([^()]*\)\s*$/u, '');
}

function findNear(missing: string, names: readonly string[]): string | null {
  for (const toShort of TO_SHORT) {
    const found = names.find((name) => isAlike(toShort(name), missing) || isAlike(name, toShort(missing)));
    if (found !== undefined) return found;
  }
  return findNearest(missing, names, Math.min(2, Math.floor(missing.length / 3)));
}

/** Equal but for case, blanks and punctuation. */
function isAlike(name: string, other: string): boolean {
  const plain = toPlainName(name);
  return plain !== '' && plain === toPlainName(other);
}

function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
