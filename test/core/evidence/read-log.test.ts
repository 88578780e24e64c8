import { describe, expect, it } from 'vitest';
import { createLogDecoder } from '../../../src/core/evidence/decode-log.ts';
import { createLogReader, readLog } from '../../../src/core/evidence/read-log.ts';

const failuresOf = (...lines: readonly string[]): ReturnType<typeof readLog>['failures'] =>
  readLog(lines.join('\n'), 8192).failures;

describe('readLog', () => {
  it('joins a failed test of JUnit with its assertion and the frame of the repository', () => {
    const [group] = failuresOf(
      'adds(com.acme.SumTest)  Time elapsed: 0.01 sec  <<< FAILURE!',
      'java.lang.AssertionError: expected:<3> but was:<4>',
      '\tat org.junit.Assert.fail(Assert.java:88)',
      '\tat com.acme.SumTest.adds(SumTest.java:12)',
    );

    expect(group).toMatchObject({
      failure: {
        ...{ kind: 'test', tool: 'junit', testId: 'adds(com.acme.SumTest)', path: 'com/acme/SumTest.java', line: 12 },
        ...{ message: 'java.lang.AssertionError: expected:<3> but was:<4>', from: 0, to: 4 },
      },
      count: 1,
      lines: [0, 1, 3],
    });
  });

  it('takes the innermost frame in code of the project for the place of a report by a sanitizer', () => {
    const [group] = failuresOf(
      '2: ==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010',
      '2:     #0 0x455084 in free /tmp/llvm.src/projects/compiler-rt/lib/asan/asan_malloc.cc:88:3',
      '2:     #1 0x5558887188ba in Cart::total(Cart const&, int) /home/runner/work/shop/src/cart.cpp:12:7',
      '2:     #2 0x7f1 in main /home/runner/work/shop/src/main.cpp:3',
    );

    expect(group?.failure).toMatchObject({ kind: 'exception', path: '/home/runner/work/shop/src/cart.cpp', line: 12 });
  });

  it.each([
    [
      'pytest',
      ['___ test_adds ___', '', '>   assert 3 == 4', 'E   assert 3 == 4', '', 'tests/test_sum.py:12: AssertionError'],
      { kind: 'test', testId: 'test_adds', path: 'tests/test_sum.py', line: 12, message: 'assert 3 == 4' },
    ],
    [
      'go',
      ['--- FAIL: TestSum (0.00s)', '    sum_test.go:9: got 3, want 4'],
      { kind: 'test', testId: 'TestSum', path: 'sum_test.go', line: 9, message: 'got 3, want 4' },
    ],
    [
      'jest',
      ['  ● sum › adds', '', '    Error: no', '', '      at Object.add (src/sum.test.ts:9:3)'],
      { kind: 'test', testId: 'sum › adds', path: 'src/sum.test.ts', line: 9, column: 3, message: 'Error: no' },
    ],
    [
      'python, whose innermost frame is the last of the repository',
      [
        ...['Traceback (most recent call last):', '  File "app/a.py", line 1, in <module>', '    go()'],
        ...[
          '  File "app/b.py", line 2, in go',
          '  File "/usr/lib/python3/json.py", line 3, in loads',
          'ValueError: no',
        ],
      ],
      { kind: 'exception', path: 'app/b.py', line: 2, message: 'ValueError: no' },
    ],
    [
      'jest with an error of the compiler, whose place is worth more than its second message',
      [
        '  ● sum',
        '',
        '    src/sum.ts(3,5): error TS2322: no',
        '    Error: later',
        '    src/b.ts(4,5): error TS2322: no',
      ],
      { kind: 'test', testId: 'sum', path: 'src/sum.ts', line: 3, message: 'no', to: 5 },
    ],
    [
      'rustc',
      ['error[E0308]: mismatched types', '  --> src/sum.rs:3:5', '   |'],
      { kind: 'place', tool: 'rustc', rule: 'E0308', path: 'src/sum.rs', line: 3, column: 5 },
    ],
    [
      'rustc with a second place',
      ['error[E0308]: mismatched types', '  --> src/sum.rs:3:5', '   |', '  ::: src/other.rs:9:1'],
      { kind: 'place', tool: 'rustc', path: 'src/sum.rs', line: 3, from: 0, to: 4 },
    ],
    [
      'flake8, but not a frame below it',
      ["a.py:3:1: F821 undefined name 'b'", '  File "b.py", line 9, in <module>'],
      { kind: 'place', path: 'a.py', line: 3, from: 0, to: 1 },
    ],
    [
      'java with a cause',
      [
        'Exception in thread "main" com.acme.SumException: no',
        '\tat com.acme.Sum.add(Sum.java:3)',
        'Caused by: java.io.IOException: closed',
        '\t... 3 more',
      ],
      { kind: 'exception', path: 'com/acme/Sum.java', message: 'com.acme.SumException: no', to: 3 },
    ],
  ])('joins the lines of %s', (_tool, lines, expected) => {
    const groups = failuresOf(...lines);

    expect(groups).toHaveLength(1);
    expect(groups[0]?.failure).toMatchObject(expected);
  });

  it('takes the code that pytest shows of a failed test for no failure, and its innermost own frame for the place', () => {
    const code = Array.from({ length: 30 }, (_, index) => `    value = ${index}`);
    const [group, ...others] = failuresOf(
      ...['____ test_adds ____', '', '    def test_adds():', ...code, '>       add(1)', '', 'tests/test_sum.py:40: '],
      ...['_ _ _ _', '', '    def add(a):', '        raise TypeError("no")', ...code, '>       check(a)', ''],
      ...[
        'src/sum.py:77: in check',
        ...code,
        '    """FAIL if the error is not found"""',
        '>       raise ValueError(a)',
      ],
      ...['E       ValueError: 1', '', '/usr/lib/python3/site-packages/lib.py:508: ValueError'],
      ...[
        '---- Captured stderr call ----',
        'Error: in what the test printed',
        '==== short summary ====',
        'Error: later',
      ],
    );

    expect(group).toMatchObject({
      failure: { kind: 'test', testId: 'test_adds', path: 'src/sum.py', line: 77, message: 'ValueError: 1' },
      frames: [35, 72],
    });
    expect(others.map(({ failure: { message } }) => message)).toEqual([
      'Error: in what the test printed',
      'Error: later',
    ]);
  });

  it.each([
    ['another test', ['____ test_other ____'], ['test', 'test']],
    ['the end of the step', ['##[error]Process completed with exit code 1.'], ['test', 'exit']],
    [
      'too many other lines',
      [...Array.from({ length: 151 }, () => 'x'), 'a.py:3: in f', 'Error: no'],
      ['test', 'exception'],
    ],
  ])('ends what pytest shows of a test at %s', (_what, lines, kinds) => {
    const groups = failuresOf('____ test_adds ____', ...lines);

    expect(groups.map(({ failure: { kind } }) => kind)).toEqual(kinds);
    expect(groups[0]?.failure.path).toBeNull();
  });

  it.each([
    ['another section', '=================================== FAILURES ==================================='],
    ['a test that was expected to fail', 'test_net.py::test_gets_an_error xfail'],
    ['a test that passed', 'test_net.py::test_fails_well PASSED                     [ 50%]'],
    ['a skipped test', 'test_net.py::test_no_such_host SKIPPED (no network) [ 50%]'],
    ['the same in capital letters', 'test_net.py::test_error XFAIL'],
  ])('takes %s for nothing that a failed test of pytest says', (_what, line) => {
    const [group, ...others] = failuresOf('test_sum.py::test_adds FAILED', line);

    expect(group?.failure).toMatchObject({ message: 'test_sum.py::test_adds FAILED', from: 0, to: 1 });
    expect(others.filter(({ failure: { kind } }) => kind !== 'mention')).toEqual([]);
  });

  it('keeps the first test that says more than its name, however many failures follow', () => {
    const said = Array.from({ length: 110 }, (_, at) => `    first ${at}`);
    const many = Array.from({ length: 3000 }, (_, at) => [
      `____ test_t${at} ____`,
      'x'.repeat(200),
      `E   no way ${at}`,
    ]);
    const { kept } = readLog(['____ test_first ____', 'E   no', ...said, ...many.flat()].join('\n'), 8192);

    expect([...Array(112).keys()].every((index) => kept.has(index))).toBe(true);
    expect(kept.size).toBeLessThan(3 * 3000);
  });

  it('names files in notes of a build tool behind those near failures', () => {
    const { names } = readLog(
      [
        '[INFO] /app/src/Old.java: uses unchecked operations',
        ...Array.from({ length: 50 }, () => ['[INFO] Building', 'see src/Other.java', '[DEBUG] src/Debug.java']).flat(),
        '[WARNING] /app/src/Older.java: uses a deprecated API.',
        ...Array.from({ length: 50 }, (_, at) => `x${at}`),
        'src/near.c:1:1: error: no',
      ].join('\n'),
      8192,
    );

    expect(names).toEqual(['src/near.c', '/app/src/Older.java', '/app/src/Old.java']);
  });

  it('still knows a far frame of a test', () => {
    const [group] = failuresOf(
      '____ test_adds ____',
      ...Array.from({ length: 150 }, (_, at) => `x${at}`),
      'a.py:3: in f',
    );

    expect(group?.failure).toMatchObject({ path: 'a.py', line: 3 });
  });

  it('keeps the first and the last frames of the project, and none of others', () => {
    const frames = Array.from({ length: 9 }, (_, index) => [
      `  File "app/f${index}.py", line 1, in f`,
      `  File "/usr/lib/python3/g${index}.py", line 1, in g`,
    ]);
    const [group] = failuresOf('Traceback (most recent call last):', ...frames.flat(), 'ValueError: no');

    expect(group?.frames).toEqual([1, 3, 11, 13, 15, 17]);
  });

  it('knows the file that stands above the places of eslint, until an empty line', () => {
    const groups = failuresOf(
      '/app/src/a.ts',
      '  3:5  error  Missing semicolon  semi',
      '  9:1  error  Unexpected any  @typescript-eslint/no-explicit-any',
      '',
      '  1:2  error  Nobody knows where  semi',
    );

    expect(groups.map(({ failure: { path, line, rule } }) => [path, line, rule])).toEqual([
      ['/app/src/a.ts', 3, 'semi'],
      ['/app/src/a.ts', 9, '@typescript-eslint/no-explicit-any'],
      [null, null, null],
    ]);
  });

  it('knows the file above the places of eslint, though an empty line is between them', () => {
    const groups = failuresOf(
      '/app/src/a.ts',
      '',
      '  3:5  error  Missing semicolon  semi',
      '',
      '  9:1  error  No  semi',
    );

    expect(groups.map(({ failure: { path, line } }) => [path, line])).toEqual([
      ['/app/src/a.ts', 3],
      [null, null],
    ]);
  });

  it('counts equal failures once, whatever their lines and numbers are', () => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `x.py:${index + 1}:9: E501 line too long (${index + 80} > 79)`,
    );

    expect(failuresOf(...lines, 'y.py:1:9: E501 line too long (80 > 79)').map(({ count }) => count)).toEqual([100, 1]);
  });

  it('keeps the first and the last of very many failures', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `src/${'a'.repeat(index % 70)}/${index}.c:3:5: error: no`);
    const groups = failuresOf(...lines);

    expect(groups).toHaveLength(2000);
    expect(groups[0]?.failure.path).toBe('src//0.c');
    expect(groups.at(-1)?.failure.path).toBe(lines.at(-1)?.split(':')[0]);
  });

  it('tells steps of GitHub apart, though a program shows commands too', () => {
    const { steps, failures } = readLog(
      [
        '##[group]Run npm ci',
        '##[endgroup]',
        'Error: in the first step',
        '##[group]Run npm test',
        '$ vitest run',
        'Error: in the second step',
        '##[error]Process completed with exit code 1.',
      ].join('\n'),
      8192,
    );

    // The line that closes a group is not shown, and has no index.
    expect(steps).toEqual([{ command: 'npm test', from: 2, exit: 5 }]);
    expect(failures.map(({ failure: { step, kind } }) => [step, kind])).toEqual([
      ['npm ci', 'exception'],
      ['npm test', 'exception'],
      ['npm test', 'exit'],
    ]);
  });

  it('tells steps of Travis apart by the command that an exit repeats', () => {
    const { steps } = readLog(
      [
        'travis_fold:start:a\r\u001B[0K$ make',
        '$ inner',
        'The command "make" exited with 2.',
        'The command "other" exited with 1.',
      ].join('\n'),
      8192,
    );

    expect(steps).toEqual([
      { command: 'make', from: 0, exit: 2 },
      { command: 'other', from: 2, exit: 3 },
    ]);
  });

  it('knows no command of an exit that none stands before', () => {
    const { steps } = readLog('fine\n##[error]Process completed with exit code 1.', 8192);

    expect(steps).toEqual([{ command: '', from: 0, exit: 1 }]);
  });

  it('takes the last goal of a failed Maven build for a step that ends where the summary begins', () => {
    const lines = [
      ...[
        '$ mvn verify',
        '[INFO] --- jar:3.0:jar (default-jar) @ core ---',
        '[INFO] Building jar',
        '[INFO] BUILD SUCCESS',
      ],
      ...['[INFO] BUILD FAILURE', '[INFO] Reactor Summary:'],
      ...[
        '[INFO] --- license:3.0:check (headers) @ core ---',
        'Missing header',
        '[INFO] Reactor Summary for core 1.0:',
      ],
      ...['[INFO] core ... FAILURE', '[INFO] BUILD FAILURE', 'The command "mvn verify" exited with 1.'],
    ];

    expect(readLog(lines.join('\n'), 8192).steps).toEqual([
      { command: 'license:3.0:check (headers) @ core', from: 6, exit: 8 },
      { command: 'mvn verify', from: 0, exit: 11 },
    ]);
  });

  it('takes the last goal of a Maven build without a summary up to its end', () => {
    const { steps } = readLog('[INFO] --- compiler:3.1:compile @ core ---\nno\n[INFO] BUILD FAILURE', 8192);

    expect(steps).toEqual([{ command: 'compiler:3.1:compile @ core', from: 0, exit: 2 }]);
  });

  it('keeps the first and the last of very many steps', () => {
    const log = Array.from(
      { length: 250 },
      (_, index) => `$ make ${index}\nThe command "make ${index}" exited with 2.\n`,
    );
    const { steps } = readLog(log.join(''), 8192);

    expect(steps).toHaveLength(200);
    expect([0, 99, 100, 199].map((index) => steps[index]?.command)).toEqual([
      'make 0',
      'make 99',
      'make 150',
      'make 249',
    ]);
  });

  it('reads job and step out of the lines of gh run view', () => {
    const { tail } = readLog('build\tRun tests\t2026-01-01T00:00:00.1Z a\tb', 8192);

    expect(tail).toEqual([{ index: 0, text: 'a\tb' }]);
  });

  const LINES = ['ok é', 'src/a.ts(3,5): error TS2322: größer', 'src/b.ts(3,5): error TS2322: größer', 'end'];
  const TEXT = LINES.join('\r\n');

  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
    ['UTF-16', Buffer.from(TEXT, 'utf16le')],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
    ['big-endian UTF-16', Buffer.from(TEXT, 'utf16le').swap16()],
    ['big-endian UTF-16 with a mark', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(TEXT, 'latin1')],
  ])('reads %s in pieces of any size', (_encoding, bytes) => {
    for (const size of [1000, 7]) {
      const reader = createLogReader(8192);
      // The encoding shows in the first piece, which the adapter cuts at 64 KiB.
      reader.push(bytes.subarray(0, 60));
      for (let from = 60; from < bytes.length; from += size) reader.push(bytes.subarray(from, from + size));

      expect(reader.end().tail.map(({ text }) => text)).toEqual(LINES);
    }
  });

  it('decodes a line of another encoding alone', () => {
    const reader = createLogReader(8192);
    reader.push(Buffer.concat([Buffer.from('größer\n'), Buffer.from('größer\n', 'latin1'), Buffer.from('größer')]));

    expect(reader.end().tail.map(({ text }) => text)).toEqual(['größer', 'größer', 'größer']);
  });

  it('reads a character whose bytes come in two pieces of a long line', () => {
    const reader = createLogReader(200_000);
    const bytes = Buffer.from('é'.repeat(50_000));
    reader.push(bytes.subarray(0, 70_001));
    reader.push(bytes.subarray(70_001));

    expect(reader.end().tail[0]?.text).toMatch(/^é+…$/u);
  });

  it('gives a long line that is no text at once, and does not wait for its end', () => {
    expect(createLogDecoder().push(new Uint8Array(70_000).fill(0x80))).toBe('€'.repeat(70_000));
  });

  it('keeps the lines of steps before all others when there is too much', () => {
    const failures = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `src/${count}-${index}.c:1:1: error: ${'y'.repeat(1900)}`);
    const start = ['##[group]Run npm test', 'one', 'two', 'three'];
    const exit = '##[error]Process completed with exit code 1.';
    const { kept } = readLog([...start, ...failures(100), exit, ...failures(200)].join('\n'), 8192);

    expect([kept.get(0), kept.get(104)]).toEqual([start[0], exit]);
    // All of them would not fit.
    expect(kept.has(103)).toBe(false);
  });

  it('keeps sure failures before words when there is too much', () => {
    const fine = (name: string): readonly string[] => Array.from({ length: 60 }, (_, index) => `${name} line ${index}`);
    const { kept } = readLog(
      [
        ...['cannot find it', ...fine('words'), 'src/a.c:3:5: error: no', ...fine('sure')],
        // The long lines below these failures make the reader choose.
        ...Array.from({ length: 8 }, (_, index) => [
          `src/${index}.c:1:1: error: no`,
          ...Array.from({ length: 39 }, () => `${index} ${'y'.repeat(1900)}`),
        ]).flat(),
      ].join('\n'),
      8192,
    );
    const texts = [...kept.values()];

    expect(texts).toContain('words line 2');
    expect(texts).not.toContain('words line 20');
    expect(texts).toContain('sure line 20');
  });
});
