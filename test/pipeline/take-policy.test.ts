import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';
import { takePolicy } from '../../src/pipeline/look/take-policy.ts';
import { aPullRequest } from '../support/builders.ts';

const NONE = { policyText: null, organizationPolicyText: null };

describe('takePolicy', () => {
  it('is the built-in policy where there is no file', () => {
    expect(takePolicy(NONE, NO_OPERATOR_POLICY)).toEqual({
      policy: DEFAULT_POLICY,
      problems: [],
      clamped: [],
      organization: { kind: 'ok', layer: {} },
    });
  });

  it('puts the repository over the organisation over the operator, key by key, under the ceilings', () => {
    const operator = { defaults: { drafts: 'hold', maxAttempts: 1 }, ceilings: { maxAttempts: 5 } } as const;
    const organizationPolicyText = 'maxAttempts: 4\nci: {required: [build]}';
    const policyText = 'maxAttempts: 10\nci: {ignore: [lint]}';

    const { policy, problems, clamped } = takePolicy({ organizationPolicyText, policyText }, operator);

    expect(policy).toMatchObject({ drafts: 'hold', maxAttempts: 5, ci: { required: ['build'], ignore: ['lint'] } });
    expect(problems).toEqual([]);
    expect(clamped).toEqual(['maxAttempts: 10 → 5 (operator)']);
  });

  it('names the file and the line of each problem, and takes nothing from a file that has one', () => {
    const { policy, problems } = takePolicy(
      { organizationPolicyText: 'maxAttempts: 9\nmod: push', policyText: 'maxLaunchesPerDay: 9\nci: 5' },
      NO_OPERATOR_POLICY,
    );

    expect(problems).toEqual([
      'organisation\'s file in .github, line 2: unknown key "mod"; did you mean `mode`?',
      expect.stringMatching(/^line 2: `ci`: /),
    ]);
    expect(policy).toEqual(DEFAULT_POLICY);
  });

  it('keeps what the valid layer protects while the other is broken', () => {
    const organizationPolicyText = 'changes: {protectedPaths: ["legal/**"]}';

    const { policy, problems } = takePolicy({ organizationPolicyText, policyText: '[' }, NO_OPERATOR_POLICY);

    expect(problems).toHaveLength(1);
    expect(policy.changes.protectedPaths).toEqual(['legal/**']);
  });

  it('tells where two files that are valid contradict each other', () => {
    const files = { organizationPolicyText: 'ci: {required: [lint]}', policyText: 'ci: {ignore: [lint]}' };

    const { policy, problems } = takePolicy(files, NO_OPERATOR_POLICY);

    expect(problems).toEqual([expect.stringContaining('"lint" can never count')]);
    expect(policy.ci.required).toBeNull();
  });

  it('never obeys the head', () => {
    const facts = aPullRequest({ policyText: null, headPolicyText: 'mode: observe\nmaxAttempts: 20' });

    expect(takePolicy(facts, NO_OPERATOR_POLICY).policy).toEqual(DEFAULT_POLICY);
  });
});
