import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_SETTINGS, DEFAULT_ENGINES_POLICY } from '../../../src/core/model/default-policy.ts';

import { type EnginesLayer, mergeEngines } from '../../../src/core/policy/merge-engines.ts';
import { mergePolicy } from '../../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../../../src/core/policy/operator-policy.ts';

function merge(...layers: readonly (EnginesLayer | null | undefined)[]) {
  return layers.reduce<ReturnType<typeof mergeEngines>>((below, layer) => mergeEngines(below, layer), null);
}

describe('mergeEngines', () => {
  it('has no engines where no layer speaks of them', () => {
    expect(merge(undefined, undefined)).toBeNull();
  });

  it('keeps what is below a layer that does not speak of engines, and has none after one that switches them off', () => {
    expect(merge({ auto: true }, undefined)).toEqual({ ...DEFAULT_ENGINES_POLICY, auto: true });
    expect(merge({ auto: true, engines: { eslint: {} } }, null)).toBeNull();
    expect(merge({ auto: true, engines: { eslint: {} } }, null, { engines: {} })).toEqual(DEFAULT_ENGINES_POLICY);
  });

  it('takes each key from the last layer that sets it', () => {
    expect(merge({ auto: true, failLevel: 'low' }, { failLevel: 'high' })).toMatchObject({
      auto: true,
      failLevel: 'high',
    });
    expect(merge({ auto: true, failLevel: 'low' }, { auto: false })).toMatchObject({ auto: false, failLevel: 'low' });
  });

  it('takes each setting of projects from the last layer that sets it, and has none where no layer does', () => {
    expect(merge({ projects: { add: ['a'] } }, { projects: { exclude: ['b/**'] } })?.projects).toEqual({
      add: ['a'],
      exclude: ['b/**'],
    });
    expect(merge({ projects: { add: ['a'] } }, { projects: { add: [] } })?.projects).toEqual({ add: [], exclude: [] });
    expect(merge({ auto: true })).not.toHaveProperty('projects');
  });

  it('merges by engine, and each key by key; a list or a map replaces the one below it', () => {
    const below: EnginesLayer = {
      engines: { eslint: { args: ['a', 'b'], env: { A: '1' }, required: true }, mypy: { enabled: false } },
    };
    const above: EnginesLayer = { engines: { eslint: { args: ['c'], env: { B: '2' } }, tsc: { timeoutSeconds: 5 } } };

    expect(merge(below, above)?.engines).toEqual({
      eslint: { ...DEFAULT_ENGINE_SETTINGS, args: ['c'], env: { B: '2' }, required: true },
      mypy: { ...DEFAULT_ENGINE_SETTINGS, enabled: false },
      tsc: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 5 },
    });
  });

  it('takes no engine for one that every object has', () => {
    expect(merge({ engines: {} }, { engines: { constructor: { required: true } } })?.engines).toEqual({
      constructor: { ...DEFAULT_ENGINE_SETTINGS, required: true },
    });
  });
});

describe('mergePolicy', () => {
  it('merges the engines of operator, organisation and repository', () => {
    const operator = { defaults: { engines: { engines: { eslint: { timeoutSeconds: 60 } } } }, ceilings: {} };
    const layers = [{ engines: { engines: { eslint: { required: true } } } }, { engines: { auto: true } }];

    expect(mergePolicy(layers, operator).policy.engines).toEqual({
      auto: true,
      failLevel: 'medium',
      engines: { eslint: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 60, required: true } },
    });
    expect(mergePolicy([], NO_OPERATOR_POLICY).policy.engines).toBeNull();
  });
});
