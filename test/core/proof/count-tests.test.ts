import { describe, expect, it } from 'vitest';
import { createTestCounter } from '../../../src/core/proof/count-tests.ts';

function count(output: string, ...more: readonly string[]): number | null {
  const counter = createTestCounter();
  for (const piece of [output, ...more]) counter.push(Buffer.from(piece));
  return counter.end();
}

describe('how many tests ran, as a runner says', () => {
  it.each([
    ['Vitest', ' Test Files  1 failed | 2 passed (3)\n      Tests  2 failed | 10 passed | 1 skipped (13)\n', 12],
    [
      'Vitest in colours',
      '\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[32m4 passed\u001B[39m\u001B[22m\u001B[90m (4)\u001B[39m\n',
      4,
    ],
    ['Jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 9 passed, 12 total\n', 10],
    ['pytest', '========= 1 failed, 9 passed, 2 skipped, 1 warning in 0.12s =========\n', 10],
    ['pytest -q', '9 passed, 1 error in 1.20s\n', 10],
    ['pytest with xfail', '===== 3 passed, 1 xfailed, 2 deselected in 61.20s (0:01:01) =====\n', 4],
    ['pytest with nothing but skipped tests', '===== 3 skipped in 0.01s =====\n', 0],
    ['Mocha', '  9 passing (12ms)\n  2 pending\n  1 failing\n', 10],
    ['Playwright', '  1 failed\n    [chromium] › a.spec.ts:3:1 › adds\n  5 passed (1.2s)\n', 6],
    ["Node's runner", 'ℹ tests 4\nℹ pass 2\nℹ fail 1\nℹ skipped 1\n', 3],
    ['TAP', '# tests 3\n# pass  3\n', 3],
    ['TAP without a sum', '1..4\nok 1 - adds\nnot ok 2 - subtracts\nok 3 - later # SKIP\nok 4\n', 3],
    ['TAP with a sum', 'ok 1 - adds\nok 2 - subtracts\n# pass  2\n', 2],
    ['pytest -qq', '..F.s..... [ 83%]\nEx [100%]\n', 11],
    ['Bun', ' 5 pass\n 1 fail\n', 6],
    ['Go, verbose', '=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n=== RUN   TestSub\n--- FAIL: TestSub (0.00s)\n', 2],
    [
      'Go as JSON',
      '{"Action":"run","Package":"a","Test":"TestAdd"}\n{"Action":"pass","Package":"a","Test":"TestAdd"}\n',
      1,
    ],
    [
      'Cargo, by crate',
      'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n',
      5,
    ],
    ['nextest', '     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 0 skipped\n', 3],
    ['unittest', 'Ran 5 tests in 0.001s\n\nOK\n', 5],
    ['unittest with skipped tests', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, skipped=2)\n', 3],
    [
      'Maven, without the lines of classes',
      '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\n[INFO] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1\n',
      4,
    ],
    ['RSpec', '12 examples, 1 failure, 2 pending\n', 10],
    ['ExUnit', '1 doctest, 5 tests, 1 failure, 2 excluded\n', 4],
    ['minitest', '5 runs, 9 assertions, 1 failures, 0 errors, 2 skips\n', 3],
    ['PHPUnit', 'OK (5 tests, 9 assertions)\n', 5],
    ['PHPUnit with failures', 'Tests: 5, Assertions: 9, Failures: 1, Skipped: 1.\n', 4],
    ['.NET', 'Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6\n', 5],
    ['CTest', '90% tests passed, 1 tests failed out of 10\n', 10],
    ['GoogleTest', '[==========] 10 tests from 2 test suites ran. (3 ms total)\n', 10],
    ['Deno', 'ok | 5 passed | 0 failed (12ms)\n', 5],
    ['AVA', '  5 tests passed\n  1 test failed\n', 6],
    ['several runners of one command', '9 passed in 0.12s\n      Tests  4 passed (4)\n', 13],
    ['windows line ends', '9 passed in 0.12s\r\n', 9],
  ])('%s', (_runner, output, expected) => {
    expect(count(output)).toBe(expected);
  });

  it.each([
    ['a program without tests', 'ok\n'],
    ['nothing', ''],
    ['go without -v, which names no test', 'ok  \tacme/sum\t0.003s\n'],
    ['a sentence about tests', 'I ran 5 tests and 3 passed, Tests are nice\n'],
  ])('is not known from %s', (_what, output) => {
    expect(count(output)).toBeNull();
  });

  it('is read across pieces, and without a last line end', () => {
    expect(count('9 pas', 'sed in 0.', '12s')).toBe(9);
  });

  it('is read after a flood of equal lines', () => {
    expect(count(`${'\n'.repeat(500)}9 passed in 0.12s\n`)).toBe(9);
  });

  it('is never below nothing', () => {
    expect(count('OK (skipped=3)\n')).toBe(0);
  });
});
