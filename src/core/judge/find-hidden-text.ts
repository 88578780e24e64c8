import type { FilePatch } from '../patch/parse-patch.ts';

/**
 * Characters that make a line read as something else than it is: they change its direction, or have no width (CVE-2021-42574, T55).
 * Joiners and variation selectors have a use in emoji and in scripts other than Latin, so they count only next to ASCII, or in a
 * row.
 */
const HIDDEN =
  /[\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E007F}]|(?<=[!-"$-)+-/:-~])[\u200C\u200D\uFE00-\uFE0F\u{E0100}-\u{E01EF}]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2}|[\u200C\u200D](?=[!-~])/gu;

/** Files to which a change adds characters that people cannot see. A line that only moves within the file adds none. */
export function findHiddenText(files: readonly FilePatch[]): readonly FilePatch[] {
  return files.filter(({ added, removed }) => countHidden(added) > countHidden(removed));
}

/** Whether a name holds such a character. */
export function isHiddenName(path: string): boolean {
  return path.search(HIDDEN) !== -1;
}

function countHidden(lines: readonly string[]): number {
  let found = 0;
  for (const line of lines) found += line.match(HIDDEN)?.length ?? 0;
  return found;
}
