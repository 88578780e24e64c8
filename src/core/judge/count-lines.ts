/** The lines of a text, without their ends; none for a missing file. */
export function toTextLines(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(/\r?\n/u);
}

/** How often each line stands there. */
export function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
