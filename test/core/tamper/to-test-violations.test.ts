import { expect, it } from 'vitest';
import { toTestViolations } from '../../../src/core/tamper/to-test-violations.ts';

it('refuses for what is certain, and says what, where and why (001.R40)', () => {
  const held = { code: 'TIMEOUT_RAISED', path: 'a', line: 1, message: 'm', is: 'held' } as const;
  const skipped = {
    code: 'TEST_SKIPPED',
    path: 'a.test.js',
    line: 3,
    message: '"adds" is skipped.',
    is: 'rejected',
  } as const;
  const deleted = {
    code: 'TEST_DELETED',
    path: 'b.test.js',
    line: null,
    message: '"adds" is gone.',
    is: 'rejected',
  } as const;

  expect(toTestViolations([held, skipped, deleted])).toEqual([
    {
      code: 'TESTS_WEAKENED',
      paths: ['a.test.js'],
      message: 'TEST_SKIPPED in "a.test.js", line 3: "adds" is skipped.',
    },
    { code: 'TESTS_DELETED', paths: ['b.test.js'], message: 'TEST_DELETED in "b.test.js": "adds" is gone.' },
  ]);
});
