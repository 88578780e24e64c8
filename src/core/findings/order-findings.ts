import { type Finding, type ParsedFinding, SEVERITIES } from '../model/finding.ts';

type Key = readonly (string | number | null)[];

/** A sorted copy. Keys are compared field by field: null first, then numbers ascending, then texts by code units. */
export function sortByKey<T>(items: readonly T[], toKey: (item: T) => Key): readonly T[] {
  const keyed = items.map((item) => ({ item, key: toKey(item) }));
  return keyed.toSorted((left, right) => compareKeys(left.key, right.key)).map(({ item }) => item);
}

/**
 * Sorts by path, line, column, rule and message (missing values first), then by all other fields, so that the input order never
 * matters for findings that differ.
 */
export function sortByPlace<T extends ParsedFinding>(findings: readonly T[]): readonly T[] {
  return sortByKey(findings, toPlaceKey);
}

/** In reading order: new before known, then the worst severity, then by place. */
export function orderFindings(findings: readonly Finding[], isNew: (finding: Finding) => boolean): readonly Finding[] {
  return sortByKey(findings, (finding) => [
    isNew(finding) ? 0 : 1,
    SEVERITIES.indexOf(finding.severity),
    ...toPlaceKey(finding),
    finding.tool,
    finding.fingerprint,
  ]);
}

function toPlaceKey(finding: ParsedFinding): Key {
  const { path, line, column, rule, message, kind, testId, identity, severity, endLine, native } = finding;
  return [path, line, column, rule, message, kind, testId, identity, SEVERITIES.indexOf(severity), endLine, native];
}

function compareKeys(left: Key, right: Key): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? null;
    if (value !== other) return isBefore(value, other) ? -1 : 1;
  }
  return 0;
}

function isBefore(left: string | number | null, right: string | number | null): boolean {
  if (left === null) return true;
  return right !== null && left < right;
}
