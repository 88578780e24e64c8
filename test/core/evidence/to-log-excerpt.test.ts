import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinLines } from '../../../src/core/evidence/choose-lines.ts';
import { toNamesLine } from '../../../src/core/evidence/name-files.ts';
import { isFailureLine } from '../../../src/core/evidence/recognise-line.ts';
import { toLogExcerpt } from '../../../src/core/evidence/to-log-excerpt.ts';

const LIMITS = { maxBytes: 10_000 };

function lines(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join('\n');
}

describe('toLogExcerpt', () => {
  it('takes colours, timestamps, group marks and progress bars out', () => {
    const log = [
      '\uFEFF2026-01-01T00:00:00.1234567Z \u001B[31mError: no\u001B[0m way',
      '2026-01-01T00:00:00Z ##[group]Run npm test',
      '##[endgroup]',
      '\u001B]8;;https://example.com\u0007link\u001B]8;;\u0007',
      '10%\r50%\r100%',
      'done\r',
      '',
    ].join('\r\n');

    expect(toLogExcerpt(log, LIMITS)).toBe('Error: no way\n##[group]Run npm test\nlink\n100%\ndone');
  });

  it('shows a log that fits whole', () => {
    const log = lines(1000, (index) => `line ${index}`);

    expect(toLogExcerpt(log, { maxBytes: log.length })).toBe(log);
    expect(toLogExcerpt(log, { maxBytes: log.length - 1 })).not.toBe(log);
  });

  it('shows the failure with what is around it, and the end, and names the gaps', () => {
    const log = lines(5000, (index) => (index === 300 ? 'AssertionError: 1 != 2' : `line ${index}`));
    const excerpt = toLogExcerpt(log, LIMITS).split('\n');

    expect(excerpt[0]).toBe('… 295 lines left out …');
    expect(excerpt[6]).toBe('AssertionError: 1 != 2');
    expect(excerpt).toContain('line 316');
    expect(excerpt).not.toContain('line 317');
    expect(excerpt.at(-1)).toBe('line 4999');
  });

  it('keeps the end and the first failure when not all fits', () => {
    const log = lines(2000, (index) => (index % 100 === 50 ? `error ${index}` : `line ${index}`));
    const excerpt = toLogExcerpt(log, { maxBytes: 6000 });

    expect(excerpt).toContain('line 1999');
    expect(excerpt).toContain('error 50\n');
    expect(excerpt).not.toContain('error 550\n');
  });

  it('prefers failures in code of the repository to those in code of others', () => {
    const paths = ['node_modules/a/first.js', 'src/own.js', 'node_modules/b/last.js'];
    const log = paths.map((path) => `${path}:1:1: error: ${'x'.repeat(800)}\n${lines(100, () => 'fine')}`).join('\n');
    const excerpt = toLogExcerpt(log, { maxBytes: 1200 });

    expect(excerpt).toContain('src/own.js:1:1: error: x');
    expect(excerpt).not.toContain('first.js:1:1');
    expect(excerpt).not.toContain('last.js:1:1');
  });

  it('says how many lines a gap has', () => {
    const shown = [1, 2, 4, 7].map((index) => ({ index, text: `line ${index}` }));

    expect(joinLines(shown).split('\n')).toEqual([
      ...['… 1 line left out …', 'line 1', 'line 2', '… 1 line left out …', 'line 4'],
      ...['… 2 lines left out …', 'line 7'],
    ]);
  });

  it('names only so many files near failures as there is room for', () => {
    const names = ['src/one.ts', 'src/two.ts', 'src/three.ts'];
    const label = 'Also named near failures: ';

    expect(toNamesLine(names, '', { maxBytes: label.length + 16, resolve: null })).toBe(`${label}one.ts, two.ts`);
    expect(toNamesLine(names, '', { maxBytes: label.length + 15, resolve: null })).toBe(`${label}one.ts`);
    expect(toNamesLine(names, '', { maxBytes: label.length + 8, resolve: null })).toBe(`${label}one.ts`);
    expect(toNamesLine(names, '', { maxBytes: label.length + 7, resolve: null })).toBe('');
  });

  it.each([
    'Error: x',
    'FAILED tests/a.py',
    '1 failing',
    '✖ a',
    'not ok 3 - b',
    '##[error]Process',
    'panic: oh',
    'E       assert 1 == 2',
  ])('knows %s for a failure', (line) => {
    const log = lines(500, (index) => (index === 100 ? line : 'fine'));

    expect(toLogExcerpt(log, LIMITS)).toContain(line);
    expect(isFailureLine(line)).toBe(true);
    expect(isFailureLine('fine')).toBe(false);
  });

  it('cuts long lines, and gives nothing of an empty log', () => {
    expect(toLogExcerpt(`error ${'x'.repeat(100_000)}`, LIMITS)).toHaveLength(2001);
    expect(toLogExcerpt('', LIMITS)).toBe('');
    expect(toLogExcerpt('\n\n', LIMITS)).toBe('');
    expect(toLogExcerpt('error', { maxBytes: 3 })).toBe('');
  });

  it('stays in its limit and shows no control characters, whatever the log', () => {
    const piece = fc.constantFrom(
      'error',
      '\n',
      '\r',
      '\u001B[1m',
      'é',
      '😀',
      '\u0000',
      '2026-01-01T00:00:00Z ',
      '##[group]',
      'x',
      '\u202E',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), fc.nat({ max: 400 }), (pieces, maxBytes) => {
        const excerpt = toLogExcerpt(pieces.join(''), { maxBytes });

        expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(maxBytes);
        expect(excerpt).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u202E\uFFFD]/u);
      }),
    );
  });
});
