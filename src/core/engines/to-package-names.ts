/** Fields of a package.json that hold packages by name. */
type DependencyField = 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies';

/** Names of the packages in some fields of the text of a package.json; of what cannot be parsed none. */
export function toPackageNames(text: string, fields: readonly DependencyField[]): ReadonlySet<string> {
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return new Set();
  return new Set(fields.flatMap((field) => toKeys(parsed[field])));
}

function toKeys(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
