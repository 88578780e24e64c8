import { describe, expect, it } from 'vitest';
import { createFailureCollector } from '../../../src/core/evidence/collect-failures.ts';
import { mayBeFailure } from '../../../src/core/evidence/recognise-line.ts';

interface Collected {
  /** `kind path:line:column = message, from-to`, of each failure. */
  readonly failures: readonly string[];
  /** Lines that tell the most, and frames, of each failure. */
  readonly telling: readonly (readonly [lines: readonly number[], frames: readonly number[]])[];
  /** What each line is taken for: the kind of failure that it begins, `frame`, or `-`. */
  readonly taken: string;
}

function collect(...lines: readonly string[]): Collected {
  const failures: string[] = [];
  const telling: (readonly [readonly number[], readonly number[]])[] = [];
  const collector = createFailureCollector(({ kind, path, line, column, message, from, to }, at) => {
    const place = [path, line, column].filter((part) => part !== null).join(':');
    failures.push(`${kind} ${place} = ${message}, ${from}-${to}`);
    telling.push([at.lines, at.frames]);
  });
  const taken = lines.map((text, index) => {
    const sign = collector.take({ text, index, step: null, isHinted: mayBeFailure(text) });
    return sign === null || sign === 'frame' ? (sign ?? '-') : sign.kind;
  });
  collector.end();
  return { failures, telling, taken: taken.join(' ') };
}

function failuresOf(...lines: readonly string[]): readonly string[] {
  return collect(...lines).failures;
}

/** Lines that say nothing. */
function fill(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `fine ${at}`);
}

const TEST = '--- FAIL: TestSum (0.00s)';
const ERROR = 'RangeError: no';
const FRAME = '    at add (src/a.js:3:5)';

describe('a failure and the lines that belong to it', () => {
  it('begins with one line, is joined by others, and may be followed by another one', () => {
    const { failures, telling, taken } = collect(TEST, ERROR, FRAME, 'all fine', 'src/b.c:1:1: error: gone');

    expect(taken).toBe('test - frame - place');
    expect(failures).toEqual([`test src/a.js:3:5 = ${ERROR}, 0-3`, 'place src/b.c:1:1 = gone, 4-5']);
    expect(telling).toEqual([
      [[0, 1, 2], [2]],
      [[4], []],
    ]);
  });

  it.each([
    ['a test', TEST, 20],
    ['an exception', ERROR, 10],
  ])('has frames within reach: %s', (_what, first, reach) => {
    expect(collect(first, ...fill(reach), FRAME).telling[0]?.[1]).toEqual([reach + 1]);
    expect(collect(first, ...fill(reach + 1), FRAME).telling).toEqual([[[0], []]]);
    // Each line that joins moves the reach on.
    expect(collect(first, ...fill(reach), FRAME, ...fill(reach), FRAME).telling[0]?.[1]).toEqual([
      reach + 1,
      2 * reach + 2,
    ]);
  });

  it('is a place once rustc has shown it, with a shorter reach', () => {
    const error = 'error[E0308]: mismatched types';
    const shown = [error, '  --> src/a.rs:3:5'];

    expect(failuresOf(...shown)).toEqual(['place src/a.rs:3:5 = mismatched types, 0-2']);
    expect(failuresOf(...shown, ...fill(3), '  ::: src/b.rs:9:1')).toEqual([
      'place src/a.rs:3:5 = mismatched types, 0-6',
    ]);
    expect(failuresOf(...shown, ...fill(4), '  ::: src/b.rs:9:1')).toEqual([
      'place src/a.rs:3:5 = mismatched types, 0-2',
    ]);
    expect(failuresOf(error, ...fill(10), '  --> src/a.rs:3:5')).toHaveLength(1);
  });

  it.each([
    ['an exit', 'Process completed with exit code 1.'],
    ['a mention', 'permission denied'],
    ['a place', 'src/b.c:1:1: error: gone'],
  ])('is never joined by anything where it is %s', (_what, first) => {
    expect(collect(first, FRAME, '    Caused by: no').telling[0]).toEqual([[0], []]);
  });
});

describe('the message of a failure', () => {
  it('is what follows where its first line has only the name', () => {
    expect(failuresOf(TEST, ERROR, 'TypeError: later')).toEqual([`test  = ${ERROR}, 0-3`]);
    expect(failuresOf('• Failure [0.1 seconds]', ERROR)).toEqual([`test  = ${ERROR}, 0-2`]);
    expect(failuresOf(TEST, '    a_test.go:9: got 3', '    a_test.go:12: got 4')).toEqual([
      'test a_test.go:9 = got 3, 0-3',
    ]);
    expect(failuresOf('Traceback (most recent call last):', '  File "a.py", line 3, in f', 'ValueError: no')).toEqual([
      'exception a.py:3 = ValueError: no, 0-3',
    ]);
  });

  it('is its own where it has one', () => {
    const own = 'FAILED tests/a.py::test_a - assert 1 == 2';

    expect(failuresOf(own, ERROR)).toEqual(['test tests/a.py = assert 1 == 2, 0-2']);
    expect(failuresOf(ERROR, '  a_test.go:9: got 3')).toEqual([`exception a_test.go:9 = ${ERROR}, 0-2`]);
  });
});

describe('the place of a failure', () => {
  it('is its first frame in code of the project, or else its first frame', () => {
    const foreign = '    at run (node_modules/x/b.js:1:1)';

    expect(collect(ERROR, foreign, FRAME, '    at go (src/c.js:9:9)')).toMatchObject({
      failures: [`exception src/a.js:3:5 = ${ERROR}, 0-4`],
      telling: [
        [
          [0, 2],
          [2, 3],
        ],
      ],
      taken: 'exception - frame frame',
    });
    expect(collect(ERROR, foreign)).toMatchObject({
      failures: [`exception node_modules/x/b.js:1:1 = ${ERROR}, 0-2`],
      telling: [[[0, 1], []]],
    });
    expect(failuresOf(ERROR, foreign, '    at x (node_modules/y/c.js:2:2)')).toEqual([
      `exception node_modules/x/b.js:1:1 = ${ERROR}, 0-3`,
    ]);
  });

  it('is that of its first line, unless this names a file without a line', () => {
    const placed = 'rspec ./spec/a_spec.rb:12 # Sum adds';

    expect(failuresOf(placed, '     # ./lib/b.rb:3:in add')).toEqual([`test spec/a_spec.rb:12 = ${placed}, 0-2`]);
    expect(failuresOf('FAIL src/a.test.ts', FRAME)).toEqual(['test src/a.js:3:5 = FAIL src/a.test.ts, 0-2']);
    expect(failuresOf('FAIL src/a.test.ts', '    at run (node_modules/x/b.js:1:1)')).toEqual([
      'test src/a.test.ts = FAIL src/a.test.ts, 0-2',
    ]);
  });

  it('is the last own frame of Python', () => {
    const lines = [
      '  File "a.py", line 1, in f',
      '  File "b.py", line 2, in g',
      '  File "/usr/lib/c.py", line 3, in h',
    ];

    expect(failuresOf('Traceback (most recent call last):', ...lines)[0]).toMatch(/^exception b\.py:2 /u);
  });

  it('is what a compiler names below a test, once', () => {
    const first = '    src/a.ts(3,5): error TS2322: no';
    const lines = [TEST, first, '    src/b.ts(4,5): error TS2322: no'];

    expect(failuresOf(...lines)).toEqual(['test src/a.ts:3:5 = no, 0-3']);
    expect(collect(...lines).telling).toEqual([[[0, 1], []]]);
    expect(failuresOf(TEST, 'src/a.js:3:5: TypeError: no')).toEqual(['test src/a.js:3:5 = TypeError: no, 0-2']);
  });
});

describe('what belongs to another failure', () => {
  it.each([
    ['a place at the start of a line below a test', TEST, 'src/a.c:3:5: error: gone', 2],
    ['a place of a linter below an exception', ERROR, '  src/a.c:3:5: error: gone', 2],
    ['another test', TEST, '--- FAIL: TestOther (0.00s)', 2],
    ['an exit below a test', TEST, 'Process completed with exit code 1.', 2],
    ['an indented exit below a test', TEST, '  make: *** [x] Error 1', 2],
    ['another exception', ERROR, 'TypeError: no', 2],
    ['a mention below an exception', ERROR, 'permission denied', 2],
    ['a cause', ERROR, 'Caused by: java.io.IOException: closed', 1],
    ['an indented cause', ERROR, '  Caused by: java.io.IOException: closed', 1],
    ['a suppressed exception', ERROR, '  Suppressed: java.io.IOException: closed', 1],
    ['a wrapped one', ERROR, 'Wrapped by: java.io.IOException: closed', 1],
    ['a mention below a test', TEST, 'permission denied', 1],
    ['an exception below a test', TEST, ERROR, 1],
    ['an exception below a traceback', 'Traceback (most recent call last):', ERROR, 1],
    ['an exception that speaks of a cause', ERROR, 'RangeError: see Caused by', 2],
  ])('%s', (_what, first, second, count) => {
    expect(failuresOf(first, second)).toHaveLength(count);
  });
});

describe('a test that pytest shows with its code', () => {
  const BLOCK = '____ test_adds ____';

  it('has only what pytest marks for its message, and its last own frame for its place', () => {
    expect(
      collect(BLOCK, '    raise Oops("an error")', 'a.py:3: in f', 'E   ValueError: no', 'b.py:7: ValueError', 'fine'),
    ).toEqual({
      failures: ['test b.py:7 = ValueError: no, 0-5'],
      telling: [
        [
          [0, 3, 4],
          [2, 4],
        ],
      ],
      taken: 'test - frame - frame -',
    });
    expect(failuresOf(BLOCK, 'TypeError: of the code', 'E   assert 1 == 2')).toEqual(['test  = assert 1 == 2, 0-3']);
  });

  it.each(['==== short summary ====', '--- Captured stdout ---', '=== x'])('ends at %s', (line) => {
    expect(failuresOf(BLOCK, line, 'E   assert 1 == 2')).toHaveLength(2);
  });

  it.each(['== x ==', '-- x', 'x ==== x', '====', 'fine'])('does not end at %s', (line) => {
    expect(failuresOf(BLOCK, line, 'E   assert 1 == 2')).toHaveLength(1);
  });

  it('is a block only where its first line names no file', () => {
    const short = 'FAILED tests/a.py::test_a';

    expect(failuresOf(short, ...fill(30), 'E   assert 1 == 2')).toHaveLength(2);
    expect(failuresOf(BLOCK, ...fill(30), 'E   assert 1 == 2')).toHaveLength(1);
    expect(failuresOf(TEST, ...fill(30), ERROR)).toHaveLength(2);
  });
});

describe('the path above places', () => {
  const SEMI = '  3:5  error  Missing semicolon  semi';

  it.each([
    ['right above', ['src/a.ts', SEMI], 'place src/a.ts:3:5 = Missing semicolon, 1-2'],
    ['behind a level', ['[ERROR] src/a.ts', SEMI], 'place src/a.ts:3:5 = Missing semicolon, 1-2'],
    ['above an empty line', ['src/a.ts', '', SEMI], 'place src/a.ts:3:5 = Missing semicolon, 2-3'],
    ['above another path', ['src/b.ts', 'src/a.ts', SEMI], 'place src/a.ts:3:5 = Missing semicolon, 2-3'],
    ['above other lines', ['src/a.ts', 'fine', SEMI], 'place src/a.ts:3:5 = Missing semicolon, 2-3'],
    [
      'above a place of its own',
      ['src/a.ts', 'src/b.c:1:1: error: no', SEMI],
      'place src/a.ts:3:5 = Missing semicolon, 2-3',
    ],
  ])('counts %s', (_what, lines, failure) => {
    expect(failuresOf(...lines)).toContain(failure);
  });

  it.each([
    ['above two empty lines', ['src/a.ts', '', '', SEMI]],
    ['above a line and an empty one', ['src/a.ts', 'fine', '', SEMI]],
    ['where there is none', ['fine', SEMI]],
  ])('does not count %s', (_what, lines) => {
    expect(failuresOf(...lines)[0] ?? '').not.toContain('src/a.ts');
  });
});
