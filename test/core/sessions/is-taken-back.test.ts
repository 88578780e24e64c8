import { describe, expect, it } from 'vitest';
import { type FileVersions, isTakenBack } from '../../../src/core/sessions/is-taken-back.ts';

const BEFORE = 'export function sum(a, b) {\n  return a - b;\n}\n';
const OURS = 'export function sum(a, b) {\n  return a + b;\n}\n';

/** A file that our commit changed and that was untouched until the pushes. */
function aFile(now: string | null, change: Partial<FileVersions> = {}): FileVersions {
  return { before: BEFORE, ours: OURS, previous: OURS, now, ...change };
}

describe('isTakenBack (S19, L6)', () => {
  const HOLDS: readonly (readonly [string, FileVersions])[] = [
    ['the old file', aFile(BEFORE)],
    ['the old lines among new ones', aFile(`// note\n${BEFORE}export const zero = 0;\n`)],
    ['the old lines next to a new one', aFile('export function sum(a, b) {\n  return a - b;\n  // why\n}\n')],
    ['the old lines with other line ends', aFile(BEFORE.replaceAll('\n', '\r\n'))],
    ['a file gone that we added', aFile(null, { before: null })],
    ['a file back that we deleted', aFile(BEFORE, { ours: null, previous: null })],
    ['a file back that we deleted, with a new line', aFile(`${BEFORE}// new\n`, { ours: null, previous: null })],
    ['a line gone that we only added', aFile(BEFORE, { ours: `${BEFORE}// ours\n`, previous: `${BEFORE}// ours\n` })],
    ['a line back that we only removed', aFile('a1\nb2\nc3', { before: 'a1\nb2', ours: 'a1', previous: 'a1\nc3' })],
    ['brackets alone', aFile('a\n', { before: 'a\n', ours: 'a\n}\n', previous: 'a\n}\n' })],
  ];
  it.each(HOLDS)('is %s', (_what, file) => {
    expect(isTakenBack([file])).toBe(true);
  });

  const NOT: readonly (readonly [string, FileVersions])[] = [
    ['our change, untouched', aFile(OURS)],
    ['our change in a file with other new lines', aFile(`// note\n${OURS}`)],
    ['a third version of the lines', aFile('export function sum(a, b) {\n  return Number(a) + Number(b);\n}\n')],
    ['a file that is gone', aFile(null)],
    ['what was restored before these pushes', aFile(`${BEFORE}// more\n`, { previous: BEFORE })],
    ['a file that our commit did not change', aFile('other', { ours: BEFORE })],
    ['half of what we changed', aFile('a1\nB2', { before: 'a1\nb2', ours: 'A1\nB2', previous: 'A1\nB2' })],
    ['a bracket that came or went', aFile('a\n}\nx\n', { before: 'a\n', ours: 'a\n}\n', previous: 'a\n}\n' })],
    ['another file in place of one that we added', aFile('other', { before: null })],
  ];
  it.each(NOT)('is not %s', (_what, file) => {
    expect(isTakenBack([file])).toBe(false);
  });

  it('is one restored file among others', () => {
    expect(isTakenBack([aFile(OURS), aFile(BEFORE)])).toBe(true);
    expect(isTakenBack([])).toBe(false);
  });
});
