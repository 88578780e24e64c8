import { toByteLength } from '../text/cut-bytes.ts';

/** The first lines that fit into `maxBytes`, each with its line break, and the number of the others. */
export function fitLines(
  lines: readonly string[],
  maxBytes: number,
): { readonly fitting: readonly string[]; readonly rest: number } {
  let left = maxBytes;
  const end = lines.findIndex((line) => {
    left -= toByteLength(line) + 1;
    return left < 0;
  });
  const fitting = end === -1 ? lines : lines.slice(0, end);
  return { fitting, rest: lines.length - fitting.length };
}
