import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { listChanges } from '../../../src/core/policy/list-changes.ts';

describe('listChanges', () => {
  it('finds nothing between equal policies', () => {
    expect(listChanges(DEFAULT_POLICY, structuredClone(DEFAULT_POLICY))).toEqual([]);
  });

  it('names each setting in full, with both values as JSON', () => {
    const after = {
      ...DEFAULT_POLICY,
      maxAttempts: 5,
      ci: { ...DEFAULT_POLICY.ci, required: ['build'], ignore: [] },
      labels: { enable: null, hold: null },
      merge: { ...DEFAULT_POLICY.merge, regenerate: [{ path: 'a', command: 'b' }] },
      validate: ['npm test'],
    };

    expect(listChanges(DEFAULT_POLICY, after)).toEqual([
      { name: 'maxAttempts', before: '3', after: '5' },
      { name: 'ci.required', before: 'null', after: '["build"]' },
      { name: 'merge.regenerate', before: '[]', after: '[{"path":"a","command":"b"}]' },
      { name: 'labels.hold', before: '"ratchet:hold"', after: 'null' },
      { name: 'validate', before: 'null', after: '["npm test"]' },
    ]);
  });
});
