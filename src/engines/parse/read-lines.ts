import type { Reading } from './read-json.ts';

const MAX_SHOWN_LENGTH = 200;

/** The values of a line (possibly none); null for an unknown form. */
export type ReadLine<Value> = (line: string) => readonly Value[] | null;

/**
 * Reads a text line by line, skipping blank lines. A line of an unknown form makes the whole text invalid: half of it would look
 * like fewer problems (resolution C2).
 */
export function readLines<Value>(text: string, tool: string, read: ReadLine<Value>): Reading<readonly Value[]> {
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
  return { kind: 'ok', value: values };
}
