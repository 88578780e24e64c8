/** What the lines of a text say, in order; or the first line that says nothing that is known. */
export type LinesReading<Value> =
  | { readonly kind: 'ok'; readonly values: readonly Value[] }
  | { readonly kind: 'invalid'; readonly why: string };

const MAX_SHOWN_LENGTH = 200;

/**
 * Reads a text line by line, blank ones left out. `read` gives what a line says, which may be nothing, or null for a line of no
 * known shape: then the whole text is invalid, as half of it would look like a better one (resolution C2).
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
