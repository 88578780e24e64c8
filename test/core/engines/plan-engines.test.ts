import { describe, expect, it } from 'vitest';
import { type PlannedEngines, planEngines } from '../../../src/core/engines/plan-engines.ts';
import type { EngineMode, EngineSpec, ModeRequest, TargetMode } from '../../../src/core/model/engine.ts';
import { aPlanRequest, aSpec, FILES, planOne, someSettings } from '../../support/plan-builders.ts';

const SRC = ['src/a.py', 'src/b.py', 'src/pkg/d.py'];
const ALL = ['lib/c.py', ...SRC];
const NODE: EngineSpec['launchers'][number] = { kind: 'node', script: 'eslint/bin/eslint.js' };
const PYTHON: EngineSpec['launchers'][number] = { kind: 'python', module: 'pytest', distribution: 'pytest' };

/** `mode: target target` of what would run. */
function runsOf({ toRun }: PlannedEngines): readonly string[] {
  return toRun.flatMap(({ plans }) => plans.map(({ mode, targets }) => `${mode}: ${targets.join(' ')}`));
}

function targetsOf({ plans }: PlannedEngines, mode: EngineMode): readonly string[] | undefined {
  return plans.find((plan) => plan.mode === mode)?.targets;
}

describe('the scope of a plan', () => {
  it.each<[string, Parameters<typeof planOne>[0], readonly string[], readonly string[], string]>([
    ['the paths asked for', { cli: ['lib'], env: ['src'], settings: { paths: ['.'] } }, ['lib/c.py'], SRC, 'env'],
    ['the environment', { env: ['src'], settings: { paths: ['.'] } }, SRC, SRC, 'env'],
    ['the policy', { cli: ['lib'], settings: { paths: ['src'] } }, ['lib/c.py'], SRC, 'config'],
    ['the root', { cli: ['lib'] }, ['lib/c.py'], ALL, 'default'],
    ['the root in both modes', {}, ALL, ALL, 'default'],
  ])('is that of %s, and TARGET never sees paths that were asked for (000.R2 to R4)', (_w, given, ...rest) => {
    const [current, target, targetSource] = rest;
    const planned = planOne(given);

    expect(targetsOf(planned, 'current')).toEqual(current);
    expect(targetsOf(planned, 'target')).toEqual(target);
    expect(planned.scopes.find(({ mode }) => mode === 'target')?.source).toBe(targetSource);
  });

  it('is told with its source, before it is narrowed to what is for the engine', () => {
    expect(planOne({ cli: ['lib/', './web'] }).scopes).toEqual([
      { engine: 'ruff', project: '.', mode: 'current', source: 'cli', paths: ['lib', 'web'] },
      { engine: 'ruff', project: '.', mode: 'target', source: 'default', paths: ['.'] },
    ]);
  });

  it('leaves changed files that are gone, and those of other languages, out (000.R8)', () => {
    const planned = planOne({ cli: ['src/gone.py', 'README.md', 'src/a.py'] });

    expect(runsOf(planned)).toEqual(['current: src/a.py', `target: ${ALL.join(' ')}`]);
  });

  it('falls through where the changed files are not known: one run, TARGET’s (000.R15, C5)', () => {
    const planned = planOne({ cli: null });

    expect(runsOf(planned)).toEqual([`target: ${ALL.join(' ')}`]);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'target' }]);
  });
});

describe('an absolute path in the settings', () => {
  const settings = { paths: ['/repo/src'], cwd: '/repo/src', config: '/repo/ruff.toml' };

  it('is one of the repository where that is known to lie there (000.R5)', () => {
    const { plans, configErrors } = planOne({ root: '/repo', settings });

    expect(configErrors).toEqual([]);
    expect(plans.find(({ mode }) => mode === 'target')).toMatchObject({
      ...{ targets: SRC, cwd: 'src', configPath: 'ruff.toml' },
    });
  });

  it('leads outside everywhere else', () => {
    expect(planOne({ root: '/elsewhere', settings }).configErrors).toHaveLength(3);
    expect(planOne({ settings }).configErrors).toHaveLength(3);
  });
});

describe('a tool that has nothing to do without certain files', () => {
  const spec = { targetMode: 'packages', needs: ['**/d.py'] } as const;

  it('runs on all of a scope that has one, and not on a scope without', () => {
    expect(runsOf(planOne({ spec, cli: ['lib'] }))).toEqual(['target: lib src src/pkg']);
    expect(runsOf(planOne({ spec, cli: ['src'] }))).toEqual(['current: src src/pkg', 'target: lib src src/pkg']);
    expect(planOne({ spec: { ...spec, needs: ['**/gone.py'] } }).skipped).toEqual([
      { engine: 'ruff', project: '.', why: 'no_applicable_files' },
    ]);
  });
});

describe('the modes of an engine', () => {
  it.each<[ModeRequest, readonly string[] | null, readonly string[], string]>([
    ['current', ['lib'], ['current: lib/c.py'], 'current'],
    ['current', null, [`current: ${ALL.join(' ')}`], 'current'],
    ['target', ['lib'], [`target: ${ALL.join(' ')}`], 'target'],
    ['target', null, [`target: ${ALL.join(' ')}`], 'target'],
    ['both', ['lib'], ['current: lib/c.py', `target: ${ALL.join(' ')}`], 'both'],
    ['both', null, [`target: ${ALL.join(' ')}`], 'target'],
    ['both', ['./src/', 'lib'], [`target: ${ALL.join(' ')}`], 'target'],
  ])('asked for as %s, with the paths %j, run as %j (000.R13 to R16)', (request, cli, runs, ran) => {
    const planned = planOne({ request, cli });

    expect(runsOf(planned)).toEqual(runs);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran }]);
  });

  it.each<[ModeRequest, readonly EngineMode[]]>([
    ['current', ['current']],
    ['target', ['target']],
    ['both', ['current', 'target']],
  ])('asked for as %s are each planned, run or not (000.R9)', (request, modes) => {
    for (const cli of [null, ['lib'], ['docs']]) {
      expect(planOne({ request, cli }).plans.map(({ mode }) => mode)).toEqual(modes);
    }
  });

  it('run the very plans that were compared (000.R44)', () => {
    const { plans, toRun } = planOne({ cli: ['lib'] });

    expect(toRun.map(({ plans: run }) => run)).toEqual([plans]);
    expect(toRun[0]?.plans[0]).toBe(plans[0]);
    expect(toRun[0]?.plans[1]).toBe(plans[1]);
  });

  it('are told apart engine by engine, never for all at once (000.R12)', () => {
    const specs = [aSpec(), aSpec({ id: 'mypy', targetMode: 'project' }), aSpec({ id: 'tsc', globs: ['**/*.ts'] })];
    const planned = planEngines(aPlanRequest({ specs, scope: { cli: ['lib'], env: null } }));

    expect(planned.dedup).toEqual([
      { engine: 'mypy', project: '.', ran: 'target' },
      { engine: 'ruff', project: '.', ran: 'both' },
      { engine: 'tsc', project: '.', ran: 'target' },
    ]);
  });

  it.each<[string, Parameters<typeof planOne>[0]]>([
    ['arguments', { settings: { args: ['-v'] } }],
    ['a configuration file', { settings: { config: 'ruff.toml' } }],
    ['variables', { settings: { env: { A: '1' } } }],
    ['a profile', { settings: { profile: 'x' } }],
    ['a folder', { settings: { cwd: 'src' } }],
  ])('have the same %s, so that these never keep them apart (000.R3, R18)', (_what, given) => {
    const [current, target] = planOne(given).plans;

    expect(current).toEqual({ ...target, mode: 'current' });
    expect(planOne(given).dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'target' }]);
  });
});

describe('an engine with nothing to do', () => {
  it.each<[string, Parameters<typeof planOne>[0]]>([
    ['no file of it is in scope', { cli: ['README.md'], env: ['web'] }],
    ['nothing was changed', { cli: [], request: 'current' }],
    ['the paths of its policy hold nothing of it', { settings: { paths: ['docs'] } }],
    ['the repository is empty', { files: [] }],
    ['it looks at nothing', { spec: { globs: [] } }],
    ['the project has no file of it', { spec: { targetMode: 'project', globs: ['**/*.go'] } }],
  ])('is skipped, without a mistake of anybody, where %s (C5)', (_what, given) => {
    const planned = planOne(given);

    expect(planned.toRun).toEqual([]);
    expect(planned.skipped).toEqual([{ engine: 'ruff', project: '.', why: 'no_applicable_files' }]);
    expect(planned.configErrors).toEqual([]);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'none' }]);
    expect(planned.plans.every(({ enabled, targets }) => !enabled && targets.length === 0)).toBe(true);
  });

  it.each([[['README.md']], [[]]])(
    'in CURRENT alone, asked for %j, still runs in TARGET, and is not skipped',
    (cli) => {
      const planned = planOne({ cli });

      expect(runsOf(planned)).toEqual([`target: ${ALL.join(' ')}`]);
      expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'target' }]);
      expect(planned.skipped).toEqual([]);
      expect(planned.plans.map(({ enabled }) => enabled)).toEqual([false, true]);
    },
  );

  it('in TARGET alone still runs in CURRENT', () => {
    const planned = planOne({ cli: ['src/a.py'], settings: { paths: ['web'] } });

    expect(runsOf(planned)).toEqual(['current: src/a.py']);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'current' }]);
    expect(planned.skipped).toEqual([]);
  });

  it('never takes a scope that holds nothing for one that holds all (000.R8)', () => {
    for (const targetMode of ['files', 'paths', 'packages'] as const) {
      expect(planOne({ request: 'current', cli: ['docs'], spec: { targetMode } }).toRun).toEqual([]);
    }
  });

  it('is skipped where its policy switches it off, and nothing else is told of it', () => {
    const planned = planOne({ settings: { enabled: false, paths: [], config: 'gone.toml', cwd: '../x' } });

    expect(planned.toRun).toEqual([]);
    expect(planned.skipped).toEqual([{ engine: 'ruff', project: '.', why: 'disabled' }]);
    expect(planned.configErrors).toEqual([]);
    expect(planned.plans.map(({ enabled, targets }) => [enabled, targets])).toEqual([
      [false, []],
      [false, []],
    ]);
  });
});

describe('an engine whose dependencies are missing', () => {
  it.each<[string, Partial<EngineSpec>]>([
    ['is started from node_modules', { launchers: [NODE] }],
    ['runs tests', { kind: 'test', launchers: [PYTHON] }],
    ['measures tests', { kind: 'coverage' }],
  ])('is skipped where it %s', (_what, spec) => {
    const planned = planOne({ dependencies: 'missing', spec, cli: ['lib'] });

    expect(planned.toRun).toEqual([]);
    expect(planned.skipped).toEqual([{ engine: 'ruff', project: '.', why: 'dependencies_missing' }]);
    expect(planned.plans.map(({ enabled, targets }) => [enabled, targets])).toEqual([
      [false, []],
      [false, []],
    ]);
    expect(planOne({ dependencies: 'ready', spec }).skipped).toEqual([]);
  });

  it.each<[string, Partial<EngineSpec>]>([
    ['a program of the machine', {}],
    ['a module of the interpreter', { kind: 'type', launchers: [PYTHON] }],
    ['either', { launchers: [NODE, { kind: 'program', name: 'biome', versionArgs: [] }] }],
  ])('runs where it is %s', (_what, spec) => {
    expect(planOne({ dependencies: 'missing', spec }).dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'target' }]);
  });

  it('is skipped for want of files where it has none', () => {
    const planned = planOne({ dependencies: 'missing', spec: { launchers: [NODE] }, files: [] });

    expect(planned.skipped).toEqual([{ engine: 'ruff', project: '.', why: 'no_applicable_files' }]);
  });
});

describe('an explicitly empty scope', () => {
  it.each<[string, Parameters<typeof planOne>[0]]>([
    ['in the policy', { settings: { paths: [] } }],
    ['in the policy, beside paths that were asked for', { settings: { paths: [] }, cli: ['src'] }],
    ['in the policy, beside the environment', { settings: { paths: [] }, env: ['src'] }],
    ['in the environment', { env: [], settings: { paths: ['src'] } }],
    ['for a whole project', { settings: { paths: [] }, spec: { targetMode: 'project' } }],
    ['with CURRENT alone', { settings: { paths: [] }, cli: ['src'], request: 'current' }],
    ['with TARGET alone', { settings: { paths: [] }, request: 'target' }],
  ])('%s switches the engine off and is one mistake, in every mode (000.R25 to R27, C5)', (_what, given) => {
    const planned = planOne(given);

    expect(planned.toRun).toEqual([]);
    expect(planned.configErrors).toMatchObject([{ engine: 'ruff', code: 'EMPTY_SCOPE' }]);
    expect(planned.plans.every(({ enabled }) => !enabled)).toBe(true);
    expect(planned.skipped).toEqual([]);
    expect(planned.scopes).toEqual([]);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'none' }]);
  });

  it('is not the same as one that nobody named (000.R25, C5)', () => {
    expect(planOne({ settings: { paths: null } }).configErrors).toEqual([]);
    expect(runsOf(planOne({ settings: { paths: null } }))).toEqual([`target: ${ALL.join(' ')}`]);
  });

  it('says where it stands', () => {
    expect(planOne({ settings: { paths: [] } }).configErrors[0]?.message).toContain('"paths": an empty list');
    expect(planOne({ env: [] }).configErrors[0]?.message).toContain('RATCHET_PATHS of the environment: an empty list');
  });

  it('leaves every other engine as it is (000.R11, R28)', () => {
    const specs = [aSpec(), aSpec({ id: 'flake8' })];
    const settings = { ruff: someSettings({ paths: [] }) };
    const alone = planEngines(aPlanRequest({ specs: [aSpec({ id: 'flake8' })] }));
    const planned = planEngines(aPlanRequest({ specs, settings }));

    expect(planned.toRun).toMatchObject([{ spec: { id: 'flake8' }, plans: alone.toRun[0]?.plans }]);
    expect(planned.configErrors.map(({ engine }) => engine)).toEqual(['ruff']);
  });
});

describe('a setting that cannot be used', () => {
  const OFF = { enabled: false, targets: [], configPath: null, cwd: '.' };

  it.each<[string, Parameters<typeof planOne>[0], string, string]>([
    [
      'paths outside',
      { settings: { paths: ['src', '../x'] }, cli: ['src'] },
      'INVALID_SETTING',
      '"paths": "../x" leads',
    ],
    ['paths of the environment outside', { env: ['/x'] }, 'INVALID_SETTING', 'the environment: "/x" leads'],
    ['a folder outside', { settings: { cwd: '../x' } }, 'INVALID_SETTING', '"cwd" is "../x"'],
    ['a folder that there is not', { settings: { cwd: 'docs' } }, 'INVALID_SETTING', '"cwd" is "docs"'],
    ['a file for a folder', { settings: { cwd: 'src/a.py' } }, 'INVALID_SETTING', '"cwd" is "src/a.py"'],
    [
      'a configuration file that there is not',
      { settings: { config: 'x.toml' } },
      'CONFIG_MISSING',
      'file "x.toml" is',
    ],
    ['a configuration file outside', { settings: { config: '../ruff.toml' } }, 'CONFIG_MISSING', 'file "../ruff.toml"'],
    ['a folder for a configuration file', { settings: { config: 'src' } }, 'CONFIG_MISSING', 'file "src" is'],
  ])('(%s) switches the engine off in both modes, and is told once', (_what, given, code, message) => {
    const planned = planOne(given);

    expect(planned.toRun).toEqual([]);
    expect(planned.configErrors).toMatchObject([{ engine: 'ruff', code }]);
    expect(planned.configErrors[0]?.message).toContain(message);
    expect(planned.plans).toMatchObject([OFF, OFF]);
    expect(planned.skipped).toEqual([]);
  });

  it('is told beside every other one, all at once', () => {
    const planned = planOne({ settings: { paths: ['/b', '..'], config: 'x.toml', cwd: 'docs' } });

    expect(planned.configErrors.map(({ code }) => code)).toEqual([
      'INVALID_SETTING',
      'CONFIG_MISSING',
      'INVALID_SETTING',
    ]);
    expect(planned.configErrors[0]?.message).toContain('".." leads outside of the repository; "/b" leads');
  });

  it('leaves every other engine as it is (000.R28)', () => {
    const specs = [aSpec(), aSpec({ id: 'flake8' })];
    const planned = planEngines(aPlanRequest({ specs, settings: { ruff: someSettings({ config: 'gone.toml' }) } }));

    expect(planned.toRun.map(({ spec }) => spec.id)).toEqual(['flake8']);
  });

  it('in the paths that were asked for stops CURRENT, never TARGET (000.R3)', () => {
    const planned = planOne({ cli: ['../x'] });

    expect(runsOf(planned)).toEqual([`target: ${ALL.join(' ')}`]);
    expect(planned.dedup).toEqual([{ engine: 'ruff', project: '.', ran: 'target' }]);
    expect(planned.configErrors).toMatchObject([{ engine: 'ruff', code: 'INVALID_SETTING' }]);
    expect(planned.configErrors[0]?.message).toContain('the paths that were asked for: "../x" leads');
    expect(planOne({ cli: ['../x'], request: 'target' }).configErrors).toEqual([]);
  });

  it('in the paths that were asked for does not hide that dependencies are missing', () => {
    const planned = planOne({ cli: ['../x'], dependencies: 'missing', spec: { launchers: [NODE] } });

    expect(planned.toRun).toEqual([]);
    expect(planned.skipped).toEqual([{ engine: 'ruff', project: '.', why: 'dependencies_missing' }]);
  });
});

describe('the configuration file of an engine', () => {
  const FOUR = [...FILES, 'cli.toml', 'env.toml', 'policy.toml'];
  const configs = { cli: { ruff: './cli.toml' }, env: { ruff: 'env.toml' } };

  it.each<[string, Parameters<typeof planOne>[0], string | null]>([
    ['of the command', { configs, settings: { config: 'policy.toml' } }, 'cli.toml'],
    ['of the environment', { configs: { ...configs, cli: {} }, settings: { config: 'policy.toml' } }, 'env.toml'],
    ['of the policy', { settings: { config: 'policy.toml' } }, 'policy.toml'],
    ['that the tool finds by itself', {}, null],
    ['that is named for another engine', { configs: { cli: { mypy: 'cli.toml' }, env: {} } }, null],
  ])('is the one %s, in both modes alike, and kept in the plan (000.R21, R22, R24)', (_what, given, expected) => {
    const planned = planOne({ ...given, files: FOUR, cli: ['lib'] });

    expect(planned.plans.map(({ configPath }) => configPath)).toEqual([expected, expected]);
    expect(planned.configErrors).toEqual([]);
  });

  it('counts by its path alone: nobody looks into it (000.R23)', () => {
    const before = planOne({ settings: { config: 'ruff.toml' }, files: FILES });
    const after = planOne({ settings: { config: './ruff.toml' }, files: [...FILES, 'other.toml'] });

    expect(after.plans).toEqual(before.plans);
  });

  it('makes another plan where another one is chosen (000.R10)', () => {
    const [first] = planOne({ settings: { config: 'ruff.toml' } }).plans;
    const [second] = planOne({}).plans;

    expect(first?.hash).not.toBe(second?.hash);
  });
});

describe('what else a plan gives an engine', () => {
  it('is what the policy says, in its order, over what the catalogue says (000.R9)', () => {
    const { plans } = planOne({
      spec: { env: { A: 'catalogue', B: 'catalogue' } },
      settings: { args: ['-b', '-a'], env: { B: 'policy' }, profile: 'strict', cwd: './src/' },
    });

    expect(plans).toMatchObject([
      { mode: 'current', args: ['-b', '-a'], env: { A: 'catalogue', B: 'policy' }, profile: 'strict', cwd: 'src' },
      { mode: 'target', args: ['-b', '-a'], env: { A: 'catalogue', B: 'policy' }, profile: 'strict', cwd: 'src' },
    ]);
  });

  it('is nothing where nothing is said, with targets all the same (000.R8)', () => {
    const [plan] = planOne({ request: 'target' }).plans;

    expect(plan).toMatchObject({ engine: 'ruff', args: [], env: {}, profile: null, cwd: '.', targets: ALL });
  });

  it('keeps arguments apart that stand in another order (000.R10)', () => {
    const [first] = planOne({ settings: { args: ['-a', '-b'] } }).plans;
    const [second] = planOne({ settings: { args: ['-b', '-a'] } }).plans;

    expect(first?.hash).not.toBe(second?.hash);
  });

  it('lets targets stay relative to the root, whatever the folder', () => {
    const { plans } = planOne({ settings: { cwd: 'src', paths: ['src/pkg'] } });

    expect(plans.map(({ targets }) => targets)).toEqual([['src/pkg/d.py'], ['src/pkg/d.py']]);
  });

  it.each<[TargetMode, readonly string[]]>([
    ['files', ALL],
    ['paths', ['.']],
    ['packages', ['lib', 'src', 'src/pkg']],
    ['project', ['.']],
  ])('are explicit targets for a tool for %s (000.R8)', (targetMode, expected) => {
    expect(targetsOf(planOne({ spec: { targetMode } }), 'target')).toEqual(expected);
  });

  it('makes CURRENT and TARGET of a whole project one run, whatever was changed (000.R15)', () => {
    for (const cli of [null, [], ['lib'], ['README.md']]) {
      const planned = planOne({ cli, spec: { targetMode: 'project' } });

      expect(runsOf(planned)).toEqual(['target: .']);
    }
  });

  it('does not take what every object has for a setting of an engine of that name', () => {
    const spec = { id: 'constructor' };
    const planned = planEngines(aPlanRequest({ specs: [aSpec(spec)] }));

    expect(planned.configErrors).toEqual([]);
    expect(planned.dedup).toEqual([{ engine: 'constructor', project: '.', ran: 'target' }]);
  });
});

describe('what runs over different content are compared by', () => {
  const scopeHashOf = (targetMode: TargetMode, files: readonly string[], env: readonly string[] | null): unknown => {
    const request = aPlanRequest({ specs: [aSpec({ targetMode })], files, scope: { cli: null, env } });
    return planEngines(request).plans.find(({ mode }) => mode === 'target')?.scopeHash;
  };

  it.each<TargetMode>(['files', 'paths', 'packages', 'project'])(
    'is the same where one of them has a file more, for a tool for %s',
    (targetMode) => {
      expect(scopeHashOf(targetMode, [...ALL, 'more/e.py'], null)).toBe(scopeHashOf(targetMode, ALL, null));
    },
  );

  it.each<TargetMode>(['files', 'paths', 'packages'])(
    'is another for another scope, also where the same targets come of it, for a tool for %s',
    (targetMode) => {
      expect(scopeHashOf(targetMode, SRC, ['src'])).not.toBe(scopeHashOf(targetMode, SRC, null));
    },
  );

  it('does not know the scope of a tool for whole projects, which sees everything anyway', () => {
    expect(scopeHashOf('project', SRC, ['src'])).toBe(scopeHashOf('project', SRC, null));
  });
});
