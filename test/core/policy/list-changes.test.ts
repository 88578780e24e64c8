import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_SETTINGS, DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
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

  it('tells of engines what a file would say, by its names: what came, what changed and what went', () => {
    const settings = { ...DEFAULT_ENGINE_SETTINGS, args: ['--x'] };
    const base = {
      auto: false,
      failLevel: 'medium',
      engines: { tsc: DEFAULT_ENGINE_SETTINGS, eslint: settings },
    } as const;
    const before = { ...DEFAULT_POLICY, engines: base };
    const after = {
      ...DEFAULT_POLICY,
      engines: {
        ...base,
        auto: true,
        engines: { eslint: { ...settings, args: ['--y'] }, mypy: { ...DEFAULT_ENGINE_SETTINGS, enabled: false } },
      },
    };

    expect(listChanges(before, after)).toEqual([
      { name: 'engines.auto', before: 'false', after: 'true' },
      { name: 'engines.eslint.args', before: '["--x"]', after: '["--y"]' },
      { name: 'engines.mypy', before: 'null', after: 'false' },
      { name: 'engines.tsc', before: 'true', after: 'null' },
    ]);
    expect(
      listChanges(DEFAULT_POLICY, { ...before, engines: { auto: true, failLevel: 'medium', engines: {} } }),
    ).toEqual([{ name: 'engines', before: 'null', after: '{"auto":true,"failLevel":"medium"}' }]);
  });
});
