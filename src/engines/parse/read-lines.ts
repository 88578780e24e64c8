/** The values of a text's lines in order, or the first line of an unknown form. */
export type LinesReading<Value> =
  | { readonly kind: 'ok'; readonly values: readonly Value[] }
  | { readonly kind: 'invalid'; readonly why: string };

const MAX_SHOWN_LENGTH = 200;

/**
 * Reads a text line by line, skipping blank lines. `read` returns the values of a line (possibly none), or null for an unknown
 * form, which makes the whole text invalid: half of it would look like fewer problems (resolution C2).
 */
export function readLines<Value>(
  text: string,
  tool: string,
  read: (line: string) => readonly Value[] | null,
): LinesReading<Value> {
  const values: Value[] = [];
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (line.trim() === '') continue;
    const said = read(line);
    if (said === null) {
      const shown = line.slice(0, MAX_SHOWN_LENGTH);
      return { kind: 'invalid', why: `line ${String(index + 1)} is nothing that ${tool} writes: ${shown}` };
    }
    values.push(...said);
  }
  return { kind: 'ok', values };
}
