import { describe, expect, it } from 'vitest';
import type { FailureGroup, FailureSign } from '../../../src/core/evidence/log-failure.ts';
import {
  findRepeatedFailures,
  toLater,
  toRepeatedBytes,
  toRepeatedLines,
} from '../../../src/core/evidence/repeated-failures.ts';

/** A failure at line `at` of the log, in `lib/f<at>.c`. */
function aPlace(at: number, change: Partial<FailureSign> = {}): FailureGroup {
  const sign = {
    tool: null,
    path: `lib/f${at}.c`,
    line: at,
    column: null,
    rule: null,
    testId: null,
    message: 'is gone',
  };
  const failure = { kind: 'place' as const, ...sign, step: null, from: at, to: at + 1, ...change };
  return { failure, count: 1, lastFrom: at, lines: [at], frames: [] };
}

function places(count: number, change: Partial<FailureSign> = {}, from = 0): readonly FailureGroup[] {
  return Array.from({ length: count }, (_, at) => aPlace(from + at, change));
}

/** How many places each group has, and its message. */
function find(failures: readonly FailureGroup[], maxBytes = 0): readonly string[] {
  return findRepeatedFailures(failures, maxBytes).map((group) => `${group.failures.length} ${group.message}`);
}

/** Failed tests, each with a name of its own. */
function tests(
  count: number,
  toMessage: (at: number) => string,
  change: Partial<FailureSign> = {},
): readonly FailureGroup[] {
  return Array.from({ length: count }, (_, at) =>
    aPlace(at, { kind: 'test', path: 'sum.py', testId: `test_t${at}`, message: toMessage(at), ...change }),
  );
}

const NO_ROOM = { bytesPerLine: 0, resolve: null };

describe('places with the same message in many files', () => {
  it('are those that more than eight have, most of them first', () => {
    expect(find(places(8))).toEqual([]);
    expect(find(places(9))).toEqual(['9 is gone']);
    const more = { message: 'has moved' };
    expect(find([...places(9), ...places(11, more, 20), ...places(10, { rule: 'X' }, 40)])).toEqual([
      '11 has moved',
      '10 is gone',
      '9 is gone',
    ]);
  });

  it('are places with a path alone', () => {
    expect(find([...places(8), aPlace(9, { path: null })])).toEqual([]);
    expect(find([...places(8), { ...aPlace(9), failure: { ...aPlace(9).failure, kind: 'mention' } }])).toEqual([]);
  });

  it('are none where there is room for all their lines', () => {
    // `lib/f0.c` and `is gone` are 15 bytes.
    expect(find(places(9), 9 * 15)).toEqual([]);
    expect(find(places(9), 9 * 15 - 1)).toEqual(['9 is gone']);
  });

  it.each([
    ['names of code and numbers', (at: number) => `Part${at} is_x${at} "gone${at}"  is\tgone, Part.${at}: now.`, 1],
    ['words behind the twelfth', (at: number) => `${'a '.repeat(12)}${'x'.repeat(at + 1)}`, 1],
    ['the twelfth word', (at: number) => `${'a '.repeat(11)}${'x'.repeat(at + 1)}`, 0],
    ['blanks', (at: number) => `is${' '.repeat(at + 1)}gone`, 1],
    ['marks behind words', (at: number) => `is gone${',:;.!?'[at % 2] ?? ''}`, 0],
    ['words', (at: number) => `is ${'x'.repeat(at + 1)}`, 0],
  ])('are told by their message, by %s', (_what, toMessage, count) => {
    expect(find(Array.from({ length: 9 }, (_, at) => aPlace(at, { message: toMessage(at) })))).toHaveLength(count);
  });

  it('are told by their tool and rule', () => {
    expect(find([...places(5), ...places(5, { tool: 'tsc' }, 10)])).toEqual([]);
    expect(find([...places(5), ...places(5, { rule: 'X' }, 10)])).toEqual([]);
  });

  it('have the first of their messages, cut', () => {
    const [first] = find(Array.from({ length: 9 }, (_, at) => aPlace(at, { message: `${at}${'x'.repeat(98)}😀y` })));
    expect(first).toBe(`9 0${'x'.repeat(98)}\uFFFD`);
  });

  it('are worth less from the ninth on', () => {
    const later = toLater(findRepeatedFailures([...places(10), ...places(9, { rule: 'X' }, 20)], 0));
    expect([...later].map(({ failure }) => failure.from)).toEqual([8, 9, 28]);
  });
});

describe('the names of such places', () => {
  it('take the bytes of all names, messages and labels', () => {
    // `is gone, ` and nine times `f0.c:0, `.
    expect(toRepeatedBytes(findRepeatedFailures(places(9), 0), null)).toBe(40 + 9 + 9 * 8);
    const two = findRepeatedFailures([...places(9), ...places(9, { rule: 'X' }, 10)], 0);
    expect(toRepeatedBytes(two, null)).toBe(2 * (40 + 9) + 9 * 8 + 9 * 10);
    expect(toRepeatedBytes([], null)).toBe(0);
    const resolve = (path: string): string | null => (path === 'lib/f0.c' ? 'x/lib/f0.c' : null);
    expect(toRepeatedBytes(findRepeatedFailures(places(9), 0), resolve)).toBe(40 + 9 + 9 * 8 + 6);
  });

  it('are those that no line shows', () => {
    const repeated = findRepeatedFailures(places(9), 0);
    const lines = [
      { index: 0, text: 'lib/f0.c:0: is gone' },
      { index: 1, text: 'cut off' },
      { index: 7, text: 'lib/f7.c:7: is gone' },
    ];
    expect(toRepeatedLines(repeated, lines, { maxBytes: 1000, ...NO_ROOM })).toEqual([
      'Also in other files, "is gone": f1.c:1, f2.c:2, f3.c:3, f4.c:4, f5.c:5, f6.c:6, f8.c:8',
    ]);
    const all = places(9).map(({ failure: { from, path } }) => ({ index: from, text: path ?? '' }));
    expect(toRepeatedLines(repeated, all, { maxBytes: 1000, ...NO_ROOM })).toEqual([]);
  });

  it('are as many as there is room for, over all groups', () => {
    const repeated = findRepeatedFailures([...places(9), ...places(9, { rule: 'X' }, 10)], 0);
    const show = (maxBytes: number, bytesPerLine = 0): readonly string[] =>
      toRepeatedLines(repeated, [], { maxBytes, bytesPerLine, resolve: null });
    const label = 'Also in other files, "is gone": ';

    expect(show(49 + 16)).toEqual([`${label}f0.c:0, f1.c:1`]);
    expect(show(49 + 15)).toEqual([`${label}f0.c:0`]);
    expect(show(49 + 16 + 5, 5)).toEqual([`${label}f0.c:0, f1.c:1`]);
    expect(show(49 + 16 + 4, 5)).toEqual([`${label}f0.c:0`]);
    expect(show(49)).toEqual([]);
    expect(show(49 + 72 + 49 + 10)[1]).toBe(`${label}f10.c:10`);
    expect(show(49 + 72 + 49 + 9)).toHaveLength(1);
  });

  it('are named once, by the path of the repository where it is known', () => {
    const same = places(9, { path: 'a/b.c', line: 3 });
    const resolve = (path: string): string | null => `src/${path}`;
    const repeated = findRepeatedFailures(same, 0);

    expect(toRepeatedLines(repeated, [], { maxBytes: 1000, bytesPerLine: 0, resolve })).toEqual([
      'Also in other files, "is gone": src/a/b.c:3',
    ]);
    const unplaced = findRepeatedFailures(places(9, { line: null }), 0);
    expect(toRepeatedLines(unplaced, [], { maxBytes: 40 + 9 + 12, ...NO_ROOM })).toEqual([
      'Also in other files, "is gone": f0.c, f1.c',
    ]);
  });
});

describe('tests with the same message', () => {
  const refused = (at: number): string => `ConnectionError: Pool(host='web${at}') could not connect`;

  it('are those that say why they failed, by their exception and its words', () => {
    expect(find(tests(9, refused))).toEqual(["9 ConnectionError: Pool(host='web0') could not connect"]);
    expect(find(tests(8, refused))).toEqual([]);
    expect(find(tests(9, (at) => `${at % 2 === 0 ? 'Type' : 'Value'}Error: there is no way`))).toEqual([]);
  });

  it('are equal where they have few words, as what is asserted tells them apart', () => {
    expect(find(tests(9, (at) => `AssertionError: expected to ${at}`))).toEqual([]);
    expect(find(tests(9, (at) => `AssertionError: expected ${at} to equal 3`))).toHaveLength(1);
    expect(find(tests(9, () => 'AssertionError: 3 != 4'))).toEqual(['9 AssertionError: 3 != 4']);
  });

  it('are none of which only the name is known', () => {
    expect(find(tests(9, (at) => `FAILED sum.py::test_t${at}`))).toEqual([]);
    expect(find(tests(9, refused, { testId: null }))).toEqual([]);
  });

  it('are told from places with the same words', () => {
    const words = 'Error: no way';
    expect(find([...tests(5, () => words), ...places(5, { message: words }, 20)])).toEqual([]);
  });

  it('are no failures of other kinds', () => {
    expect(find(tests(9, refused, { kind: 'exception' }))).toEqual([]);
  });

  it('are shown by a line only if it has the whole name', () => {
    const repeated = findRepeatedFailures(tests(9, refused, { testId: 'sum/adds' }), 0);
    const toLines = (text: string) => Array.from({ length: 9 }, (_, index) => ({ index, text }));
    const show = (text: string) => toRepeatedLines(repeated, toLines(text), { maxBytes: 1000, ...NO_ROOM });

    expect(show('✗ sum/adds')).toEqual([]);
    expect(show('✗ adds')).toHaveLength(1);
  });

  it('are named by their tests, without those that a line shows', () => {
    const repeated = findRepeatedFailures(
      tests(9, () => 'Error: no'),
      0,
    );
    const lines = [{ index: 3, text: '___ test_t3 ___' }];

    expect(toRepeatedLines(repeated, lines, { maxBytes: 1000, ...NO_ROOM })).toEqual([
      'Failed tests with a message like "Error: no": test_t0, test_t1, test_t2, test_t4, test_t5, test_t6, test_t7, test_t8',
    ]);
    expect(toRepeatedBytes(repeated, null)).toBe(40 + 11 + 9 * 9);
    expect([...toLater(repeated)].map(({ failure }) => failure.testId)).toEqual(['test_t8']);
  });
});
