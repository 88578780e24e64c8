/** Exit codes of the programs that measure. */
export const EXIT = { measured: 0, missed: 1, wrongUse: 2, notMeasured: 3, interrupted: 130 } as const;

/** Columns of equal width, separated by two blanks. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length)));
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function toVerdict(met: boolean | null): string {
  if (met === null) return '';
  return met ? 'met' : 'MISSED';
}

/** @throws RangeError if the text is not a whole number from `least` to `most`. */
export function parseWholeNumber(text: string, what: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`${what} is a whole number from ${least} to ${most}, not "${text}"`);
}

/**
 * What the verdicts of all rows say together; null is a verdict without a goal. `isMeasured`: every row could be measured.
 */
export function toExitCode(verdicts: readonly (boolean | null)[], isMeasured: boolean, strict: boolean): number {
  if (!isMeasured) return EXIT.notMeasured;
  return strict && verdicts.includes(false) ? EXIT.missed : EXIT.measured;
}
