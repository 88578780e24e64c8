/**
 * Whether a tool's version is at least `minimum` (such as `1.11`). Only the leading numbers count. False for an unknown version.
 */
export function isVersionAtLeast(version: string | null, minimum: string): boolean {
  if (version === null) return false;
  const [have, need] = [toNumbers(version), toNumbers(minimum)];
  const differs = need.findIndex((number, index) => number !== (have[index] ?? 0));
  return have.length > 0 && (differs === -1 || (have[differs] ?? 0) > (need[differs] ?? 0));
}

function toNumbers(version: string): readonly number[] {
  const found = /\d{1,9}(?:\.\d{1,9}){0,3}/u.exec(version)?.[0];
  return found === undefined ? [] : found.split('.').map(Number);
}
