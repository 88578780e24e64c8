import { describe, expect, it } from 'vitest';
import { normaliseLine } from '../../../src/core/ci/normalise-line.ts';

const ID = '0b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5e';
const HASH = '4ec46eb1'.repeat(5);
const LETTERS = 'abcdef'.repeat(12);

/** In any line, also in one that compares values: the line must not show what changes from run to run. */
const ALWAYS: readonly (readonly [string, string])[] = [
  ['at 2026-01-02T03:04:05+0100', 'at <time>'],
  ['at 2026-01-02T03:04:05-01:00', 'at <time>'],
  ['at 2026-01-02_03_04_05,678Z-a', 'at <time>-a'],
  ['at 2026-01-02 03:04', 'at <time>'],
  [`of ${ID}`, 'of <id>'],
  [`of ${ID.toUpperCase()}`, 'of <id>'],
  [`of ${ID}a`, `of ${ID}a`],
  ['at 0xC000123456', 'at <address>'],
  ['of main.go:12 +0x1d', 'of main.go:<place> <offset>'],
  ['of a:1234 +0x1d5', 'of a:1234 <offset>'],
  ['of a:1234 +0x1d5 b', 'of a:1234 +0x1d5 b'],
  ['of a +0x1d5', 'of a +0x1d5'],
  ['of Cart@1a2b3c', 'of Cart@<address>'],
  ['of me @1a2b3c', 'of me @1a2b3c'],
  ['in /private/var/folders/q1/x_9f+/T/a-1.b/c', 'in <temp>/c'],
  ['in /tmp/build-1/x', 'in <temp>/x'],
  ['in /tmp/1/x', 'in <temp>/x'],
  ['in /tmp/2026-build/x', 'in <temp>/x'],
  ['in /tmp/a/b/c-12-d.e: no', 'in <temp>: no'],
  ['in "/tmp/a1"', 'in "<temp>"'],
  ['in (/tmp/a1)', 'in (<temp>)'],
  ['in /tmp/a1 and b', 'in <temp> and b'],
  ['in /tmp/a1', 'in <temp>'],
  ['in /tmp/a b2', 'in /tmp/a b2'],
  ['in /home/runner/work/_temp/1a-b.sh', 'in <temp>.sh'],
  ['in C:\\Users\\me\\AppData\\Local\\Temp\\x1.a\\b', 'in <temp>\\b'],
  ['in D:\\a\\_temp\\x-1.ps1', 'in <temp>'],
  ['in a.ts:12', 'in a.ts:<place>'],
  ['in a.ts:12:15', 'in a.ts:<place>'],
  ['in a.ts[12,15]', 'in a.ts(<place>)'],
  ['in [L1950] of', 'in [<place>] of'],
  ['in [L1950', 'in [L1950'],
  ['by [gw12]', 'by [worker]'],
  ['in 75 (0:01:15)', 'in 75'],
  ['in 75(10:01:15)', 'in 75'],
  ['in 1m23s', 'in <duration>'],
  ['in 12m 3s', 'in <duration>'],
  ['in 12 min 30 s', 'in <duration>'],
  ['in 10h20min', 'in <duration>'],
  ['in 1 h 2 m', 'in <duration>'],
  ['adds (10.0012s)', 'adds (<duration>)'],
  ['adds (0.001 ms)', 'adds (<duration>)'],
  ['adds (0.01 s)', 'adds (0.01 s)'],
  ['time="0.012"', 'time="#"'],
  ['of (12/345)', 'of (#/#)'],
  ['of (  1/3)', 'of (#/#)'],
  ['of 1/3', 'of 1/3'],
  ['of .....', 'of ...'],
  ['on Friday, Jan 2, 2026', 'on <date>'],
  ['on Fri  January 12', 'on <date>'],
  ['on Jan.  2', 'on <date>'],
  ['on Sept 30 2026', 'on <date>'],
  ['on Sat Nov 28 x', 'on <date> x'],
];

/** In a line that compares nothing, and kept in one that does. */
const OTHERWISE: readonly (readonly [string, string])[] = [
  ['see http://a.example/b?c=1a&d="x"', 'see http://a.example/b?<query>"x"'],
  ['see https://a.example/b?c=1a', 'see https://a.example/b?<query>'],
  ['at 17MB/s', 'at <speed>'],
  ['at 17.52 KiB/s', 'at <speed>'],
  ['took 12e5', 'took #'],
  ['took 1.69e-41', 'took #'],
  ['took 1.695E+4', 'took #'],
  ['at 13:04:05', 'at <time>'],
  ['at 3:04:05AM', 'at <time>'],
  ['at 3:04:05.12 PM', 'at <time>'],
  ['from 10.20.30.40', 'from <ip>'],
  ['rake-12.33.21/a', 'rake-#/a'],
  ['of a@v1.22', 'of a@v#'],
  ['of a/1.22', 'of a/#'],
  ['rake12.3', 'rake12.3'],
  [`of ${HASH}`, 'of <hash>'],
  [`of ${LETTERS.slice(0, 40)}`, 'of <hash>'],
  [`of ${LETTERS.slice(0, 64)}`, 'of <hash>'],
  [`of ${LETTERS.slice(0, 50)}`, `of ${LETTERS.slice(0, 50)}`],
  ['of a4ec46e', 'of <hash>'],
  ['of 12345-a', 'of 12345-a'],
  ['in 3s', 'in <duration>'],
  ['in 31.25 secs ok', 'in <duration> ok'],
  ['in 3 minutes 12 seconds', 'in <duration>'],
  ['in 2 hours', 'in <duration>'],
  ['in 12ns, 3µs', 'in <duration> , <duration>'],
  ['in 3 stores', 'in # stores'],
  ['duration_ms 38.125', '<duration>'],
  ['"durationMs": 38', '"<duration>'],
  ['process 4821 and pid 77', 'process # and pid #'],
  ['of worker 12, thread 3', 'of worker #, thread #'],
  ['database "test_71"', 'database "test_#"'],
  ['in my_db_31', 'in my_db_#'],
  ['in test_31_a', 'in test_31_a'],
  ['3 files', '# files'],
  ['31.25 of', '# of'],
  ['21 files, 30 rows', '# files, # rows'],
  ['a 3.4.5 b', 'a 3.4.5 b'],
  ['of 3-a', 'of 3-a'],
];

/** A limit, a code and a count of failures say what failed. */
const KEPT = [
  'timeout 5 ms',
  'time out after 5 ms',
  'timed out in 5 s',
  'within 5 s',
  'exceeded 5 s',
  'a limit of 5 s',
  'limit 5',
  'fired after 20 ms',
  'fired after 20ms',
  'line 3 of the schema',
  'code 3',
  'status 404',
  'http 404',
  'exit 3',
  'error 3',
  'returned 3',
  'signal 9',
  'version 3',
  'v3',
  'v 3',
  '==3',
  '1 failed',
  '12 failures',
  'a, 12 failing',
  '3 errors',
  '1 error',
  '(3 problems',
  'a | 2 problems',
];

/** Words and marks of a line that compares. */
const COMPARING = [
  ...['assert a', 'asserts a', 'expect a', 'expects a', 'expected a', 'expecting a', 'received a', 'actual a'],
  ...['actually a', 'want a', 'wanted a', 'got a', 'wrong a', 'mismatch a', 'mismatched a', 'digest a', 'checksum a'],
  ...[
    'instead a',
    'should a',
    'differ a',
    'differs a',
    'equal a',
    'equals a',
    'a != b',
    'a == b',
    'a === b',
    'a !== b',
  ],
  ...['- a', '+ a', 'E a'],
];

describe('normaliseLine', () => {
  it.each(ALWAYS)('makes of %j, also where values are compared, %j', (line, expected) => {
    expect(normaliseLine(`expected ${line}`)).toBe(`expected ${expected}`);
    expect(normaliseLine(line)).not.toBe('');
  });

  it.each(OTHERWISE)('makes of %j %j, and leaves it where values are compared', (line, expected) => {
    expect(normaliseLine(line)).toBe(expected);
    expect(normaliseLine(`expected ${line}`)).toBe(`expected ${line}`);
  });

  it.each(KEPT)('keeps %j', (line) => {
    expect(normaliseLine(line)).toBe(line);
  });

  it.each(COMPARING)('keeps the values of a line like %j', (line) => {
    const text = line === 'E a' ? 'E    a' : line;
    expect(normaliseLine(`${text} 17`)).toBe(`${line} 17`);
  });

  it.each(['gotten', 'x - a', 'x + a', 'Ea', 'E a', 'unexpected', 'equality', 'a=b', 'shoulder'])(
    'takes %j for no comparison',
    (line) => {
      expect(normaliseLine(`${line} 17`)).toBe(`${line} #`);
    },
  );

  it('takes the process of a sanitizer at the beginning of a line only', () => {
    expect(normaliseLine('==4821==ERROR')).toBe('==ERROR');
    expect(normaliseLine('a ==4821==ERROR')).toBe('a ==4821==ERROR');
  });

  it('begins to count characters before it removes blanks', () => {
    expect(normaliseLine(`   ${'x'.repeat(500)}`)).toBe('x'.repeat(397));
    expect(normaliseLine(`${'x'.repeat(398)}   y`)).toBe('x'.repeat(398));
    expect(normaliseLine('a 3 ms ')).toBe('a <duration>');
  });
});
