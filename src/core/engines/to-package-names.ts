import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';

/** Fields of a package.json that hold packages by name. */
type DependencyField = 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies';

/** Names of the packages in some fields of the text of a package.json; of what cannot be parsed none. */
export function toPackageNames(text: string, fields: readonly DependencyField[]): ReadonlySet<string> {
  const manifest = parseJsonObject(text);
  return new Set(fields.flatMap((field) => toKeys(manifest?.[field])));
}

function toKeys(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}
