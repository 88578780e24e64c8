import { describe, expect, it } from 'vitest';
import { mergePolicy } from '../../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY, toOperatorPolicyOf } from '../../../src/core/policy/operator-policy.ts';

const WIDGET = { owner: 'Acme', name: 'Widget' };

describe('a dry run that the operator orders', () => {
  it.each([['acme'], ['ACME/widget'], ['other', 'acme/widget']])(
    'holds a repository that pushes to observing: %j',
    (...observe) => {
      const operator = toOperatorPolicyOf(
        { defaults: {}, ceilings: { mode: 'push', maxAttempts: 5 }, observe },
        WIDGET,
      );
      const { policy, clamped } = mergePolicy([{ mode: 'push' }], operator);

      expect(policy.mode).toBe('observe');
      expect(clamped.join()).toContain('mode: push → observe (operator)');
      expect(operator.ceilings.maxAttempts).toBe(5);
    },
  );

  it.each([[[]], [['acme/other']], [['acm']], [['widget']], [['acme/widget/x']]])(
    'leaves other repositories alone: %j',
    (observe) => {
      const operator = { defaults: {}, ceilings: {}, observe };

      expect(toOperatorPolicyOf(operator, WIDGET)).toBe(operator);
      expect(toOperatorPolicyOf(NO_OPERATOR_POLICY, WIDGET)).toBe(NO_OPERATOR_POLICY);
    },
  );
});
