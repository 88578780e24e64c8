import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';

/** Fields of package.json whose keys are package names. */
type DependencyField = 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies';

/** Package names in some fields of a package.json, given as text; empty if it cannot be parsed. */
export function toPackageNames(text: string, fields: readonly DependencyField[]): ReadonlySet<string> {
  const manifest = parseJsonObject(text);
  return new Set(fields.flatMap((field) => toKeys(manifest?.[field])));
}

function toKeys(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}
