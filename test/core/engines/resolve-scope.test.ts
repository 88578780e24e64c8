import { describe, expect, it } from 'vitest';
import type { CanonicalScope } from '../../../src/core/engines/canonical-scope.ts';
import { resolveScope, type ScopeSources } from '../../../src/core/engines/resolve-scope.ts';
import type { EngineMode } from '../../../src/core/model/engine.ts';

const scope = (...paths: readonly string[]): CanonicalScope => ({ kind: 'scope', paths });
const OUTSIDE: CanonicalScope = { kind: 'invalid', problems: ['x'] };
const NOTHING: ScopeSources = { cli: null, env: null, config: null };

describe('resolveScope', () => {
  it.each<[EngineMode, Partial<ScopeSources>, string, readonly string[]]>([
    ['current', { cli: scope('c'), env: scope('e'), config: scope('p') }, 'cli', ['c']],
    ['current', { env: scope('e', 'f'), config: scope('p') }, 'env', ['e', 'f']],
    ['current', { config: scope('p') }, 'config', ['p']],
    ['current', {}, 'default', ['.']],
    ['target', { cli: scope('c'), env: scope('e'), config: scope('p') }, 'env', ['e']],
    ['target', { cli: scope('c'), config: scope('p') }, 'config', ['p']],
    ['target', { cli: scope('c') }, 'default', ['.']],
    ['target', {}, 'default', ['.']],
  ])('of %s takes the strongest source whole, row %# (000.R1 to R4)', (mode, said, source, paths) => {
    expect(resolveScope(mode, { ...NOTHING, ...said })).toEqual({ kind: 'scope', source, paths });
  });

  it.each<[Partial<ScopeSources>]>([
    [{}],
    [{ env: scope('e') }],
    [{ config: scope('p') }],
    [{ env: scope() }],
    [{ config: OUTSIDE }],
  ])('is the same in both modes as long as nobody names paths, row %# (000.R1, R3)', (said) => {
    expect(resolveScope('current', { ...NOTHING, ...said })).toEqual(resolveScope('target', { ...NOTHING, ...said }));
  });

  it('takes an empty list of changed files for what it is, and not for silence (C5)', () => {
    const sources = { ...NOTHING, cli: scope(), config: scope('p') };

    expect(resolveScope('current', sources)).toEqual({ kind: 'scope', source: 'cli', paths: [] });
    expect(resolveScope('target', sources)).toEqual({ kind: 'scope', source: 'config', paths: ['p'] });
  });

  it.each<[string, Partial<ScopeSources>, string]>([
    ['the policy', { config: scope() }, 'config'],
    ['the policy, beside paths that were asked for', { config: scope(), cli: scope('c') }, 'config'],
    ['the policy, beside the environment', { config: scope(), env: scope('e') }, 'config'],
    ['the environment', { env: scope(), cli: scope('c'), config: scope('p') }, 'env'],
    ['both', { env: scope(), config: scope() }, 'env'],
  ])('switches off in both modes by an empty list of %s (000.R25, C5)', (_what, said, source) => {
    for (const mode of ['current', 'target'] as const) {
      expect(resolveScope(mode, { ...NOTHING, ...said })).toEqual({ kind: 'switched_off', source });
    }
  });

  it.each<[string, Partial<ScopeSources>, string]>([
    ['the policy', { config: OUTSIDE, env: scope('e'), cli: scope('c') }, 'config'],
    ['the environment', { env: OUTSIDE, config: scope() }, 'env'],
  ])('tells of paths of %s that cannot be used, in both modes', (_what, said, source) => {
    for (const mode of ['current', 'target'] as const) {
      expect(resolveScope(mode, { ...NOTHING, ...said })).toEqual({ kind: 'invalid', source, problems: ['x'] });
    }
  });

  it('tells of paths asked for that cannot be used to CURRENT only (000.R3)', () => {
    expect(resolveScope('current', { ...NOTHING, cli: OUTSIDE })).toEqual({ ...OUTSIDE, source: 'cli' });
    expect(resolveScope('target', { ...NOTHING, cli: OUTSIDE })).toMatchObject({ kind: 'scope', source: 'default' });
  });
});
