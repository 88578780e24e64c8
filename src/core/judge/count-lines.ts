/** The lines of a text, without their ends; none for a missing file. */
export function toTextLines(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(/\r?\n/u);
}

/** How often each line of a text stands there, without the blanks around it. */
export function countLines(text: string | null): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of toTextLines(text)) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
}
