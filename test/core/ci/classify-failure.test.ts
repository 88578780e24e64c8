import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/core/ci/classify-failure.ts';
import { toFailureLines } from '../../../src/core/ci/to-failure-lines.ts';
import type { LogFailure } from '../../../src/core/evidence/log-failure.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { aLogFailure } from '../../support/builders.ts';

const LOST = '##[error]The runner has received a shutdown signal.';
const OFFLINE =
  'npm error network request to https://registry.npmjs.org/x failed, reason: connect ETIMEDOUT 1.2.3.4:443';
const LOCKED = '##[error]The job was not started because your account is locked due to a billing issue.';
const LATE = 'Error: Test timed out in 5000ms.';

function of(
  lines: readonly string[],
  failures: readonly LogFailure[] = [],
  conclusion: CheckResult['conclusion'] = 'failure',
) {
  return classifyFailure({ check: { conclusion }, failures, lines });
}

/** What test runners print of failing tests. */
const TESTS = [
  ' FAIL  test/a.test.ts > adds',
  'FAIL src/a.test.js',
  '  ● adds › one and one',
  ' ✗ test/b.test.ts > shows the title',
  '  1) adds one',
  '  2 failing',
  'not ok 3 - adds',
  'Tests:       1 failed, 3 passed, 4 total',
  '--- FAIL: TestAdd (0.00s)',
  'FAIL\texample.org/x\t0.01s',
  'FAILED tests/test_a.py::test_add',
  'tests/test_a.py::test_add FAILED',
  'E       assert 1 == 2',
  '=== 1 failed, 3 passed in 0.1s ===',
  'FAIL: test_add (tests.TestA)',
  'FAILED (failures=1)',
  'rspec ./spec/a_spec.rb:3 # adds',
  '3 examples, 1 failure',
  '3 runs, 4 assertions, 1 failures, 0 errors, 0 skips',
  '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0',
  'ATest > adds FAILED',
  '3 tests completed, 1 failed',
  '- adds *** FAILED ***',
  'test a::adds ... FAILED',
  'test result: FAILED. 1 passed; 1 failed',
  "thread 'a' panicked at src/lib.rs:3:5:",
  'Failed asserting that 1 matches expected 2.',
  'Failed!  - Failed:     1, Passed:     3',
  'Failed Adds.One [3 ms]',
  '3 tests, 1 failure',
  '[  FAILED  ] Add.One',
  '75% tests passed, 1 tests failed out of 4',
  "Test Case '-[AddTests testOne]' failed (0.1 seconds).",
];

/** What compilers, linters and assertions print. */
const WRONG = [
  'src/a.c:3:1: error: no such thing',
  'src/a.ts(3,5): error TS2322: no',
  'error[E0425]: cannot find value `ETIMEDOUT` in this scope',
  './net.go:10:2: undefined: ETIMEDOUT',
  "  3:10  error  'ECONNRESET' is not defined  no-undef",
  '✖ 1 problem (1 error, 0 warnings)',
  'net.py:10:80: E501 line too long (99 > 79 characters)',
  'net.py:10: error: Module has no attribute "ETIMEDOUT"  [attr-defined]',
  '[ERROR] Net.java:[12,8] cannot find symbol',
  'e: file:///x/Net.kt:12:8 Unresolved reference: ETIMEDOUT',
  '[error] Net.scala:12:8: not found: value ETIMEDOUT',
  'Net.cs(12,8): error CS0103: The name does not exist in the current context',
  'a.o: undefined reference to `connect`',
  'error: could not compile `x` (lib) due to 1 previous error',
  'ERROR: Coverage for lines (79%) does not meet global threshold (80%)',
  '12 files inspected, 3 offenses detected',
  'AssertionError: 502 != 500',
  'expected 502 to equal 500',
  'status = 500; want 502 Bad Gateway, got 500',
  "ModuleNotFoundError: No module named 'toomanyrequests'",
  'java.lang.NullPointerException',
  'panic: runtime error: index out of range',
  'Segmentation fault (core dumped)',
  '    Expected: 3',
  '    Received: 2',
];

describe('classifyFailure', () => {
  it.each([...TESTS, ...WRONG])('takes %j for a failure of the code, whatever else the log says', (line) => {
    for (const lines of [[line], [OFFLINE, line], [line, LOST], [`##[error]${line}`]]) {
      expect(of(lines).class).toBe('code');
      expect(of(lines, [], 'timed_out').class).toBe('code');
    }
  });

  it('gives the line and the name of the rule, the last of several', () => {
    const other = 'npm error code ECONNRESET';

    expect(of([other, OFFLINE, 'bye'])).toEqual({
      ...{ class: 'infrastructure', line: OFFLINE, rule: 'npm', personLine: null },
    });
    expect(of([' FAIL  test/a.test.ts > adds'])).toMatchObject({ rule: 'failing-test' });
    expect(of([' FAIL  test/a.test.ts > adds', 'AssertionError: no'])).toMatchObject({
      ...{ line: 'AssertionError: no', rule: 'wrong-code' },
    });
  });

  it('knows nothing of a log that names no failure', () => {
    const nothing = { class: 'unknown', line: null, rule: null, personLine: null };

    expect(of([])).toEqual(nothing);
    expect(of(['building', 'done'])).toEqual(nothing);
  });

  it.each(['timed_out', 'startup_failure'] as const)('needs no line for %s', (conclusion) => {
    expect(of([], [], conclusion)).toMatchObject({ class: 'infrastructure', line: null, rule: 'conclusion' });
  });

  it('reads only the steps that failed, and of them nothing after their end', () => {
    const step = (...lines: readonly string[]) => ['##[group]Run x', OFFLINE, '##[endgroup]', ...lines];
    const end = '##[error]Process completed with exit code 1.';

    expect(of([...step(OFFLINE), ...step('no', end)]).class).toBe('unknown');
    expect(of([...step(OFFLINE, end), ...step('no')]).class).toBe('infrastructure');
    expect(of([...step('no', end, 'Post job cleanup.', OFFLINE)]).class).toBe('unknown');
    expect(of([OFFLINE, 'The command "npm ci" exited with 1.', 'AssertionError: later']).class).toBe('infrastructure');
  });

  it('takes a cause only where little was done after it', () => {
    const work = (count: number) => Array.from({ length: count }, (_, index) => `step ${String(index)}`);
    const unknownClient = 'unable to reach the licence server';

    expect(of([OFFLINE, ...work(119)]).class).toBe('infrastructure');
    expect(of([OFFLINE, ...work(120)]).class).toBe('unknown');
    expect(of([unknownClient, ...work(29)]).class).toBe('infrastructure');
    expect(of([unknownClient, ...work(30)]).class).toBe('unknown');
    expect(of(['AssertionError: no', ...work(1499), OFFLINE]).class).toBe('infrastructure');
    expect(of(['AssertionError: no', ...work(1498), OFFLINE]).class).toBe('code');
  });
});

describe('what failed, by kind', () => {
  const test = (testId: string, message = testId) => aLogFailure({ kind: 'test', testId, message });

  it('is the code where the log names a failing test or a place', () => {
    expect(of([LOST, OFFLINE], [test('adds')])).toMatchObject({ class: 'code', line: 'adds', rule: 'failing-test' });
    expect(of([OFFLINE], [aLogFailure({ kind: 'place', message: 'no semicolon' })])).toMatchObject({
      ...{ class: 'code', line: 'no semicolon', rule: 'wrong-code' },
    });
  });

  it('is not the code where the log only mentions a failure, or where an installer names a place', () => {
    expect(of([OFFLINE], [aLogFailure({ kind: 'mention' })]).class).toBe('infrastructure');
    expect(of([OFFLINE], [aLogFailure({ kind: 'exception' })]).class).toBe('infrastructure');
    const place = aLogFailure({ kind: 'place', message: 'github.com/a/b@v1.0.0: Get "https://proxy.golang.org": EOF' });
    expect(of([OFFLINE], [place]).class).toBe('infrastructure');
    expect(of(['x/y.go:3:2: github.com/a/b@v1.2.3: Get "https://proxy.golang.org/x": EOF']).class).toBe(
      'infrastructure',
    );
  });

  it('is a flake where all tests that failed ran out of time', () => {
    const lines = [' FAIL  a.test.ts > slow', LATE];

    expect(of(lines)).toMatchObject({ class: 'flake', line: LATE, rule: 'test-timeout' });
    expect(of(lines, [test('slow')]).class).toBe('flake');
    expect(of(lines, [test('slow'), test('slow again')]).class).toBe('flake');
    const unnamed = ['a', 'b', 'c'].map((message) => aLogFailure({ kind: 'test', message }));
    expect(of(lines, unnamed).class).toBe('code');
    expect(of(lines, [test('slow'), test('b'), test('c')]).class).toBe('code');
    expect(of([...lines, 'AssertionError: 1 != 2']).class).toBe('code');
  });

  it('is the code where a test failed in another way than by the time, though something else was out of reach', () => {
    expect(of([' FAIL  a.test.ts > listens', 'Error: listen EADDRINUSE: address already in use :::3000']).class).toBe(
      'code',
    );
    expect(of(['Error: listen EADDRINUSE: address already in use :::3000']).class).toBe('flake');
  });

  it('is left to a person where a line says so, also beside a client that failed (S21)', () => {
    expect(of([LOCKED, OFFLINE])).toMatchObject({ class: 'person', rule: 'person' });
    expect(of([LOCKED, OFFLINE]).line).toBe(LOCKED.slice('##[error]'.length));
    expect(of([LOCKED], [], 'startup_failure')).toMatchObject({ class: 'infrastructure' });
  });

  it('is the machine first and a person later, where a lost machine is their own', () => {
    const own = 'The self-hosted runner: build-7 lost communication with the server. Verify the machine is running.';

    expect(of([own])).toMatchObject({ class: 'infrastructure', rule: 'runner-lost', personLine: own });
  });
});

describe('toFailureLines', () => {
  it('marks the messages of annotations, and cleans all lines', () => {
    const log = '2026-01-01T00:00:00.0000000Z \u001B[31mred\u001B[0m\nnext';

    expect(toFailureLines({ messages: ['one\ntwo'], log })).toEqual(['##[error]one', 'two', 'red', 'next']);
    expect(toFailureLines({ messages: [], log: null })).toEqual([]);
  });
});
