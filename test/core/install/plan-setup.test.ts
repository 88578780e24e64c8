import { describe, expect, it } from 'vitest';
import { planSetup, type SetupPlan } from '../../../src/core/install/plan-setup.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { Policy } from '../../../src/core/model/policy.ts';

const TEXTS = { 'package-lock.json': '{}', 'poetry.lock': '', 'requirements.txt': 'a' };

function plan(change: Partial<Policy['install']>, setup: readonly string[] = [], hasRegistries = true): SetupPlan {
  const install = { ...DEFAULT_POLICY.install, ...change };
  return planSetup({ setup, install }, { tracked: Object.keys(TEXTS), texts: TEXTS, hasRegistries });
}

describe('planSetup', () => {
  it('runs what the policy names, and nothing else', () => {
    const expected = { source: 'policy', commands: ['make deps'], programs: [], notes: [] };

    expect(plan({}, ['make deps'])).toEqual({ ...expected, isConnected: true });
    expect(plan({ registries: false }, ['make deps'])).toEqual({ ...expected, isConnected: false });
    expect(plan({}, ['make deps'], false)).toEqual({ ...expected, isConnected: false });
  });

  it('installs what the lockfiles name', () => {
    expect(plan({})).toMatchObject({
      source: 'detected',
      commands: ['npm ci', 'poetry install --no-interaction --no-root'],
      programs: ['npm', 'poetry', 'python3'],
      isConnected: true,
    });
    expect(plan({}).notes).toHaveLength(1);
  });

  it.each<[string, SetupPlan, readonly string[]]>([
    ['is not wanted', plan({ detect: false }), []],
    [
      'may read no registry',
      plan({ registries: false }),
      ['The packages of package-lock.json, poetry.lock are not installed, because `install.registries` is off.'],
    ],
    [
      'cannot read a registry',
      plan({}, [], false),
      ['The packages of package-lock.json, poetry.lock are not installed, because this machine gives them no network.'],
    ],
    [
      'finds nothing',
      planSetup(DEFAULT_POLICY, { tracked: ['web/yarn.lock'], texts: {}, hasRegistries: false }),
      ['Only lockfiles of the root are found. web/yarn.lock is not: name the commands in `setup`.'],
    ],
  ])('installs nothing where detection %s', (_what, planned, notes) => {
    expect(planned).toMatchObject({ source: 'none', commands: [], programs: [], notes });
  });

  it('needs each program once', () => {
    const texts = { 'go.mod': '', 'go.sum': '', 'uv.lock': '' };
    const planned = planSetup(DEFAULT_POLICY, { tracked: Object.keys(texts), texts, hasRegistries: true });

    expect(planned.programs).toEqual(['uv', 'python3', 'go']);
  });
});
