import { describe, expect, it } from 'vitest';
import { listEngineIds, readEngineSource, toSourceConfigs } from '../../../src/core/engines/engine-source.ts';
import { someSettings } from '../../support/plan-builders.ts';

describe('what the environment says about engines', () => {
  it('is paths as PATH has them, and a configuration file for each engine (000.R2, 000.R21)', () => {
    const source = readEngineSource({
      RATCHET_PATHS: 'src::test',
      RATCHET_GO_VET_CONFIG: 'go.toml',
      RATCHET_ESLINT_CONFIG: '',
      RATCHET_GONE_CONFIG: 'gone.yml',
      RATCHET_POLICY_FILE: 'policy.yml',
    });

    expect(source.paths).toEqual(['src', 'test']);
    expect(toSourceConfigs(source, ['eslint', 'go-vet', 'tsc'])).toEqual({ 'go-vet': 'go.toml' });
  });

  it.each([
    [{}, null],
    [{ RATCHET_PATHS: undefined }, null],
    [{ RATCHET_PATHS: '' }, []],
    [{ RATCHET_PATHS: ':' }, []],
  ])('is no scope only where it is not set: %j', (given, paths) => {
    expect(readEngineSource(given).paths).toEqual(paths);
  });

  it('concerns the engines that are known, and those of the policy', () => {
    const policy = { engines: { own: someSettings({}), eslint: someSettings({}) } };

    expect(listEngineIds([{ id: 'tsc' }, { id: 'eslint' }], policy)).toEqual(['eslint', 'own', 'tsc']);
    expect(listEngineIds([{ id: 'tsc' }], null)).toEqual(['tsc']);
  });
});
