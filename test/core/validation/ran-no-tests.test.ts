import { describe, expect, it } from 'vitest';
import { ranNoTests } from '../../../src/core/validation/ran-no-tests.ts';

describe('ranNoTests', () => {
  it.each([
    ['jest', 'No tests found, exiting with code 0'],
    ['vitest', 'No test files found, exiting with code 0'],
    ['mocha', '\n\n  0 passing (1ms)\n'],
    ['node', '\u001B[34mℹ tests 0\u001B[39m\nℹ suites 0\nℹ pass 0'],
    ['node as TAP', '1..0\n# tests 0\n# pass 0'],
    ['pytest', 'collected 0 items\n\n=== no tests ran in 0.01s ==='],
    ['unittest', '\n-----\nRan 0 tests in 0.000s\n\nOK'],
    ['go', '?   \texample.com/a\t[no test files]'],
    ['go with a filter', 'testing: warning: no tests to run\nPASS'],
    ['cargo', 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed'],
    ['maven', 'Tests run: 0, Failures: 0, Errors: 0'],
    ['phpunit', 'No tests executed!'],
    ['rspec', '0 examples, 0 failures'],
    ['mocha after a linter', '✓ lint\n\n  0 passing (1ms)'],
    ['node, where all are skipped', 'ℹ tests 5\nℹ pass 0\nℹ fail 0\nℹ skipped 5'],
    ['jest, where all are skipped', 'Tests:       5 skipped, 5 total'],
    ['pytest, where all are skipped', '===== 5 skipped in 0.01s ====='],
    ['pytest, where none is selected', '3 deselected, 1 warning in 0.01s'],
  ])('sees that %s ran nothing', (_tool, output) => {
    expect(ranNoTests(output)).toBe(true);
  });

  it.each([
    ['jest', 'Tests:       5 passed, 5 total'],
    ['vitest', ' Test Files  2 passed (2)\n      Tests  7 passed (7)'],
    ['mocha', '  3 passing (5ms)\n  0 pending'],
    ['jest with some skipped', 'Tests:       1 skipped, 2 passed, 3 total'],
    ['pytest with some skipped', '2 passed, 1 skipped in 0.01s'],
    ['node', 'ℹ tests 3\nℹ pass 3\nℹ fail 0'],
    ['TAP', 'TAP version 13\nok 1 - adds\n1..1'],
    ['pytest', 'collected 3 items\n\n3 passed in 0.01s'],
    ['unittest', 'Ran 3 tests in 0.001s\n\nOK'],
    ['go', '?   \ta\t[no test files]\nok  \tb\t0.004s'],
    ['go from its cache', '?   \ta\t[no test files]\nok  \tb\t(cached)'],
    ['cargo', 'running 2 tests\ntest result: ok. 2 passed\n\nDoc-tests a\nrunning 0 tests\ntest result: ok. 0 passed'],
    ['maven', 'Tests run: 0\nTests run: 4, Failures: 0'],
    ['phpunit', 'OK (3 tests, 5 assertions)'],
    ['a workspace in which one package has none', 'No tests found, exiting with code 0\nTests: 2 passed, 2 total'],
    ['a script of its own', 'all is well'],
    ['a silent one', ''],
    ['a build', 'compiled with 0 warnings'],
    ['a text about tests', 'lint: 12 files, no problems'],
  ])('believes %s', (_tool, output) => {
    expect(ranNoTests(output)).toBe(false);
  });
});
