import { describe, expect, it } from 'vitest';
import { isFailingTest, isWrongCode } from '../../../src/core/ci/code-signs.ts';
import { FAILING_TESTS, WRONG_CODE } from './messages/code-messages.ts';

/** Words of failure, of which none says that a test or the code is wrong. */
const NEITHER = [
  '##[error]Process completed with exit code 1.',
  'connect ETIMEDOUT 1.2.3.4:443',
  'npm error network read ECONNRESET',
  '0 failing',
  '# fail 0',
  '0 failed',
  '0 errors generated.',
  '*** Failed to fetch a',
  'Tests run: 3, Failures: 0, Errors: 0',
  '3 examples, 0 failures',
  'FAILED (failures=0)',
  '=== 3 passed ===',
  'ok 3 - adds',
  'test cart::adds ... ok',
  'test result: ok. 3 passed',
  '100% tests passed, 0 tests failed out of 3',
  'Executed 3 tests, with 0 failures',
  '✖ failed to fetch a',
  '● Console',
  '0 errors',
  '0 files would be reformatted',
  'a.yml: error',
  'src/a.c:3:5: warning: wrong',
  'TypeError: fetch failed',
  'coverage 90',
  'all is as expected',
  '',
];

describe('a sign of the code', () => {
  it.each(FAILING_TESTS)('is a failing test: %s', (line) => {
    expect(isFailingTest(line)).toBe(true);
  });

  it.each(WRONG_CODE)('is wrong code: %s', (line) => {
    expect(isWrongCode(line)).toBe(true);
  });

  it.each(NEITHER)('is neither: %s', (line) => {
    expect([isFailingTest(line), isWrongCode(line)]).toEqual([false, false]);
  });

  it('is also known behind a mark of the runner, and in any case', () => {
    expect(isFailingTest('##[error]not ok 3')).toBe(true);
    expect(isFailingTest('FAIL: CART_TEST')).toBe(true);
    expect(isWrongCode('##[error]Error: Wanted but not invoked')).toBe(true);
  });
});
