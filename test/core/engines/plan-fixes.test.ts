import { describe, expect, it } from 'vitest';
import { planFixes } from '../../../src/core/engines/plan-fixes.ts';
import type { EnginePlan, EngineSpec } from '../../../src/core/model/engine.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';

function aPlan(engine: string, change: Partial<EnginePlan> = {}): EnginePlan {
  const rest = {
    project: '.',
    excludes: [],
    usesToolScope: false,
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
    env: {},
    cwd: '.',
    hash: '',
    scopeHash: '',
  };
  return { engine, mode: 'current', targets: ['.'], ...rest, ...change };
}

function plan(plans: readonly EnginePlan[], change: Partial<Parameters<typeof planFixes>[0]> = {}) {
  const files = ['a.ts', 'src/b.ts', 'src/c.py', 'style.css'];
  return planFixes({ specs: CATALOGUE, plans, mode: 'current', files, changed: null, ...change });
}

function toTargets(fixes: ReturnType<typeof planFixes>): readonly (readonly [string, readonly string[]])[] {
  return fixes.map(({ plan: { engine, targets } }) => [engine, targets]);
}

describe('the fixers of a check', () => {
  it('leave the files of a project inside of theirs to its own plan', () => {
    const plans = [
      aPlan('eslint', { excludes: ['src'] }),
      aPlan('eslint', { project: 'src', targets: ['src'], cwd: 'src' }),
    ];

    expect(toTargets(plan(plans))).toEqual([
      ['eslint', ['a.ts']],
      ['eslint', ['src/b.ts']],
    ]);
  });

  it('get the files of their engine by name, and those that lay out code come last', () => {
    expect(toTargets(plan(['biome', 'eslint', 'oxlint', 'ruff', 'stylelint'].map((id) => aPlan(id))))).toEqual([
      ['eslint', ['a.ts', 'src/b.ts']],
      ['oxlint', ['a.ts', 'src/b.ts']],
      ['ruff', ['src/c.py']],
      ['stylelint', ['style.css']],
      ['biome', ['a.ts', 'src/b.ts', 'style.css']],
    ]);
  });

  it.each<readonly [string, EnginePlan, Partial<Parameters<typeof planFixes>[0]>]>([
    ['the tool has none', aPlan('tsc'), {}],
    ['nobody knows the engine', aPlan('own'), {}],
    ['the plan does not run', aPlan('eslint', { enabled: false }), {}],
    ['the plan is of the other mode', aPlan('eslint', { mode: 'target' }), {}],
    ['no file is in its scope', aPlan('eslint', { targets: ['lib'] }), {}],
    ['no file of it changed', aPlan('eslint'), { changed: new Set(['src/c.py', 'gone.ts']) }],
  ])('are not run where %s', (_, one, change) => {
    expect(plan([one], change)).toEqual([]);
  });

  it('are kept to the scope, to their project, and to what changed', () => {
    expect(toTargets(plan([aPlan('eslint', { excludes: ['src'], usesToolScope: true })]))).toEqual([
      ['eslint', ['a.ts']],
    ]);
    expect(toTargets(plan([aPlan('eslint', { targets: ['src'] })]))).toEqual([['eslint', ['src/b.ts']]]);
    expect(toTargets(plan([aPlan('eslint')], { changed: new Set(['a.ts']) }))).toEqual([['eslint', ['a.ts']]]);
  });

  it.each([
    ['eslint', ['--fix']],
    ['biome', ['check', '--write']],
    ['oxlint', ['--fix']],
    ['stylelint', ['--fix']],
    ['ruff', ['check', '--output-format=json', '--fix']],
  ])('003.R16: are those of the tools, as fix runs that are never cached: %s', (id, start) => {
    const [fix] = plan([aPlan(id)]);
    const input = { artifacts: '/tmp/a', root: '/repo', version: '99.0.0', files: [] };
    const argv = fix?.spec.toCommands({ ...input, plan: fix.plan })[0] ?? [];

    expect(argv.slice(0, start.length)).toEqual(start);
    expect(argv).not.toContain('--no-fix');
    expect(fix?.spec).toMatchObject({ id, isFix: true, isCacheable: false } satisfies Partial<EngineSpec>);
    expect(fix?.spec.fixer).toBeUndefined();
  });
});
