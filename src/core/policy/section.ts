/** Values by key. */
export type Section = Readonly<Record<string, unknown>>;

/** Whether a value is a section, that is, a mapping of keys. */
export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
