import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { mergePolicy } from '../../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../../../src/core/policy/operator-policy.ts';
import type { PolicyLayer } from '../../../src/core/policy/policy-layer.ts';

describe('mergePolicy', () => {
  it('is the built-in policy where nobody sets anything', () => {
    expect(mergePolicy([], NO_OPERATOR_POLICY)).toEqual({ policy: DEFAULT_POLICY, clamped: [], problems: [] });
    expect(mergePolicy([{}, {}], NO_OPERATOR_POLICY)).toEqual({ policy: DEFAULT_POLICY, clamped: [], problems: [] });
  });

  it('takes each setting from the last layer that sets it', () => {
    const operator = { defaults: { maxAttempts: 1, maxLaunchesPerDay: 1, mode: 'suggest' }, ceilings: {} } as const;
    const organization: PolicyLayer = { maxAttempts: 2, maxLaunchesPerDay: 2 };
    const repository: PolicyLayer = { maxAttempts: 4 };

    const { policy } = mergePolicy([organization, repository], operator);

    expect(policy).toEqual({ ...DEFAULT_POLICY, maxAttempts: 4, maxLaunchesPerDay: 2, mode: 'suggest' });
  });

  it.each<[keyof PolicyLayer, PolicyLayer, PolicyLayer, object]>([
    ['ci', { ci: { required: ['build'] } }, { ci: { ignore: ['x'] } }, { required: ['build'], ignore: ['x'] }],
    [
      'merge',
      { merge: { updateBranch: false } },
      { merge: { resolveConflicts: false } },
      { updateBranch: false, resolveConflicts: false },
    ],
    ['reviews', { reviews: { fix: false } }, { reviews: { quietSeconds: 5 } }, { fix: false, quietSeconds: 5 }],
    ['labels', { labels: { enable: 'go' } }, { labels: { hold: null } }, { enable: 'go', hold: null }],
    ['changes', { changes: { maxFiles: 1 } }, { changes: { maxLines: 2 } }, { maxFiles: 1, maxLines: 2 }],
    [
      'agent',
      { agent: { model: 'm', budget: { usd: 1 } } },
      { agent: { budget: { calls: 2, tokens: 3 } } },
      { model: 'm', budget: { usd: 1, calls: 2, tokens: 3, minutes: null } },
    ],
  ])('merges the section %s key by key', (section, organization, repository, expected) => {
    const { policy } = mergePolicy([organization, repository], NO_OPERATOR_POLICY);

    expect(policy[section]).toEqual({ ...Object(DEFAULT_POLICY[section]), ...expected });
  });

  it('replaces lists, and a null takes a list away', () => {
    const organization: PolicyLayer = {
      ci: { ignore: ['a', 'b'], required: ['build'] },
      setup: ['make'],
      validate: ['x'],
    };
    const repository: PolicyLayer = { ci: { ignore: ['c'], required: null }, setup: [], validate: null };

    const { policy } = mergePolicy([organization, repository], NO_OPERATOR_POLICY);

    expect(policy).toMatchObject({ ci: { ignore: ['c'], required: null }, setup: [], validate: null });
  });

  it('never unprotects a path: protected paths only grow, each named once', () => {
    const operator = { defaults: { changes: { protectedPaths: ['deploy/**'] } }, ceilings: {} };
    const organization: PolicyLayer = { changes: { protectedPaths: ['legal/**', 'deploy/**'] } };
    const repository: PolicyLayer = { changes: { protectedPaths: [] } };

    const { policy } = mergePolicy([organization, repository], operator);

    expect(policy.changes.protectedPaths).toEqual(['deploy/**', 'legal/**']);
  });

  it('lets no layer raise what the operator caps, and says what it lowered', () => {
    const operator = { defaults: { maxAttempts: 9 }, ceilings: { maxAttempts: 5 } };

    expect(mergePolicy([{}], operator)).toMatchObject({ clamped: ['maxAttempts: 9 → 5 (operator)'] });
    expect(mergePolicy([{ maxAttempts: 10 }], operator).policy.maxAttempts).toBe(5);
    expect(mergePolicy([{ maxAttempts: 5 }], operator)).toMatchObject({ policy: { maxAttempts: 5 }, clamped: [] });
    expect(mergePolicy([{ maxAttempts: 4 }], operator)).toMatchObject({ policy: { maxAttempts: 4 }, clamped: [] });
  });

  it('tells where one layer requires what another ignores, and waits for nothing in vain until that is put right', () => {
    const requires: PolicyLayer = { ci: { required: ['test', 'codecov/patch'] } };
    const ignores: PolicyLayer = { ci: { ignore: ['codecov/*'] } };
    const line =
      '`ci.required`: "codecov/patch" can never count: `ignore` leaves it out; they come from different files';

    const merged = mergePolicy([requires, ignores], NO_OPERATOR_POLICY);

    expect(merged.problems).toEqual([line]);
    expect(merged.policy.ci).toMatchObject({ required: ['test'], ignore: ['codecov/*'] });
    expect(mergePolicy([requires, { ci: { ignore: ['*'] } }], NO_OPERATOR_POLICY).policy.ci.required).toBeNull();
    expect(mergePolicy([ignores], { defaults: requires, ceilings: {} }).problems).toEqual([line]);
  });

  it('tells where the label that enables is the one that holds, though they come from different layers', () => {
    const merged = mergePolicy(
      [{ labels: { hold: 'ratchet' } }, { labels: { enable: 'ratchet' } }],
      NO_OPERATOR_POLICY,
    );

    expect(merged.problems).toEqual([expect.stringMatching(/^`labels\.enable`: /u)]);
  });

  it('gives the same policy however often the same layer is put over it', () => {
    const paths = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(paths, fc.integer({ min: 0, max: 20 }), (protectedPaths, maxAttempts) => {
        const layer: PolicyLayer = { maxAttempts, changes: { protectedPaths } };

        expect(mergePolicy([layer, layer], NO_OPERATOR_POLICY)).toEqual(mergePolicy([layer], NO_OPERATOR_POLICY));
      }),
    );
  });
});
