import { expect, it } from 'vitest';
import { BASE_POLICY_MARK } from '../../../src/core/policy/base-policy-mark.ts';
import { QUALITY_CHECK_NAME } from '../../../src/core/quality/check-name.ts';

it('is the name of no check run', () => {
  expect([QUALITY_CHECK_NAME, 'Ratchet', 'Ratchet / config']).not.toContain(BASE_POLICY_MARK);
});
