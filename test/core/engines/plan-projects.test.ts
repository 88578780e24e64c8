import { describe, expect, it } from 'vitest';
import { createFindOwners, createSight } from '../../../src/core/engines/create-sight.ts';
import { findCarried, findConfigs } from '../../../src/core/engines/find-carried.ts';
import { toExcludesFrom, toTargetsFrom } from '../../../src/core/engines/find-targets.ts';
import { findUncovered } from '../../../src/core/engines/find-uncovered.ts';
import { findInnerProjects } from '../../../src/core/engines/own-files.ts';
import { findConfigFiles } from '../../../src/core/engines/run-signature.ts';
import type { EnginePlan, TargetMode } from '../../../src/core/model/engine.ts';
import { planOne } from '../../support/plan-builders.ts';

const FILES = ['a/x.py', 'a/inner/y.py', 'b/z.py', 'main.py', 'README.md'].toSorted();
const PROJECTS = ['.', 'a', 'a/inner', 'b'];

function planAll(change: Parameters<typeof planOne>[0], projects: readonly string[] = PROJECTS, hasOwnScope = false) {
  const of = projects.map((project) => ({ project, hasOwnScope }));
  return planOne({ files: FILES, projects: { ruff: of }, ...change });
}

function pick(plans: readonly EnginePlan[]): unknown {
  return plans.map(({ project, mode, cwd, targets, excludes }) => [project, mode, cwd, targets, excludes]);
}

describe('a project without a file for its engine', () => {
  it.each([
    ['is skipped', false, false],
    ['is planned where the tool has something to do there all the same (E9)', true, true],
  ])('%s', (_title, reachesOut, isPlanned) => {
    const of = [{ project: 'b/config', hasOwnScope: false, reachesOut }];
    const { plans, skipped } = planOne({ files: FILES, projects: { ruff: of }, spec: { targetMode: 'project' } });

    expect(plans.map(({ targets }) => targets)).toEqual(isPlanned ? [['b/config'], ['b/config']] : [[], []]);
    expect(skipped.map(({ why }) => why)).toEqual(isPlanned ? [] : ['no_applicable_files']);
  });
});

describe('plans of projects', () => {
  it.each<[TargetMode, readonly unknown[]]>([
    [
      'files',
      [
        ['.', ['main.py'], []],
        ['a', ['a/x.py'], []],
        ['a/inner', ['a/inner/y.py'], []],
        ['b', ['b/z.py'], []],
      ],
    ],
    [
      'paths',
      [
        ['.', ['.'], ['a', 'b']],
        ['a', ['a'], ['a/inner']],
        ['a/inner', ['a/inner'], []],
        ['b', ['b'], []],
      ],
    ],
    [
      'packages',
      [
        ['.', ['.'], []],
        ['a', ['a'], []],
        ['a/inner', ['a/inner'], []],
        ['b', ['b'], []],
      ],
    ],
    [
      'project',
      [
        ['.', ['.'], ['a', 'b']],
        ['a', ['a'], ['a/inner']],
        ['a/inner', ['a/inner'], []],
        ['b', ['b'], []],
      ],
    ],
  ])('of a tool for %s have its own targets, and the folder of the project', (targetMode, expected) => {
    const { plans } = planAll({ request: 'target', spec: { targetMode } });

    expect(plans.map(({ project, targets, excludes }) => [project, targets, excludes])).toEqual(expected);
    expect(plans.map(({ cwd }) => cwd)).toEqual(PROJECTS);
  });

  it('narrow to the paths that somebody asks for', () => {
    const { plans, skipped, dedup } = planAll({
      request: 'current',
      cli: ['a/x.py', 'b'],
      spec: { targetMode: 'paths' },
    });

    expect(pick(plans)).toEqual([
      ['.', 'current', '.', [], []],
      ['a', 'current', 'a', ['a/x.py'], []],
      ['a/inner', 'current', 'a/inner', [], []],
      ['b', 'current', 'b', ['b'], []],
    ]);
    expect(skipped.map(({ project }) => project)).toEqual(['.', 'a/inner']);
    expect(dedup.map(({ project, ran }) => `${project} ${ran}`)).toEqual([
      '. none',
      'a current',
      'a/inner none',
      'b current',
    ]);
  });

  it('of a whole-project tool leave projects out that lie elsewhere, and are equal in both modes otherwise', () => {
    const { dedup } = planAll({ cli: ['b/z.py'], spec: { targetMode: 'project' } });

    expect(dedup.map(({ project, ran }) => `${project} ${ran}`)).toEqual([
      '. target',
      'a target',
      'a/inner target',
      'b target',
    ]);
    const current = planAll({ request: 'current', cli: ['b/z.py'], spec: { targetMode: 'project' } });
    expect(current.dedup.map(({ ran }) => ran)).toEqual(['current', 'none', 'none', 'current']);
  });

  it('differ for each project, and the root is the project where nothing is known', () => {
    const hashes = planAll({ request: 'target' }).plans.map(({ hash }) => hash);

    expect(new Set(hashes).size).toBe(PROJECTS.length);
    const root = planAll({ request: 'target', files: ['main.py'] }, ['.']).plans;
    expect(planOne({ request: 'target', files: ['main.py'] }).plans).toEqual(root);
  });

  it('leave the path to the tool only where nobody set a scope; the plan keeps it, and equal plans run once (S23)', () => {
    const toFlags = (change: Parameters<typeof planOne>[0]) =>
      planAll({ spec: { targetMode: 'project' }, ...change }, ['.'], true).toRun.flatMap(({ plans }) =>
        plans.map(({ mode, targets, usesToolScope }) => [mode, targets, usesToolScope]),
      );

    expect(toFlags({})).toEqual([['target', ['.'], true]]);
    expect(toFlags({ cli: ['a'] })).toEqual([['target', ['.'], true]]);
    expect(toFlags({ request: 'current', cli: ['a'] })).toEqual([['current', ['.'], false]]);
    expect(toFlags({ settings: { paths: ['.'] } })).toEqual([['target', ['.'], false]]);
    expect(toFlags({ env: ['b'] })).toEqual([['target', ['.'], false]]);
    const [own, set] = [{}, { settings: { paths: ['.'] } }].map(
      (change) => planAll({ request: 'target', ...change }, ['.'], true).plans[0],
    );
    expect(own?.hash).toBe(set?.hash);
    expect(own?.scopeHash).not.toBe(set?.scopeHash);
  });

  it('run at the root in a folder that a person names, and look at that folder (E2)', () => {
    const [plan] = planOne({
      files: FILES,
      request: 'target',
      settings: { cwd: 'a' },
      spec: { targetMode: 'paths' },
    }).plans;

    expect(plan).toMatchObject({ project: '.', cwd: 'a', targets: ['a'] });
    expect(toTargetsFrom({ targets: plan?.targets ?? [], cwd: 'a' })).toEqual(['.']);
    expect(toExcludesFrom({ excludes: ['a/inner', 'b'], cwd: 'a' })).toEqual(['inner', '../b']);
  });
});

describe('what a project has', () => {
  it('are the files that no project inside has', () => {
    const planned = planAll({ request: 'target', spec: { targetMode: 'paths' } });
    const sight = createSight(planned);
    const seen = (project: string): readonly string[] =>
      FILES.filter((path) => sight({ engine: 'ruff', project }, path));

    expect(PROJECTS.map(seen)).toEqual([['main.py'], ['a/x.py'], ['a/inner/y.py'], ['b/z.py']]);
    expect(createFindOwners(planned.plans).get('ruff')?.('a/inner/new.py')).toBe('a/inner');
    expect(findInnerProjects(['b', 'a', '.', 'a/inner']).get('.')).toEqual(['a', 'b']);
  });

  it('are the configuration files from its folder up to the root', () => {
    const spec = { id: 'ruff', configFiles: ['ruff.toml', '**/pyproject.toml'] };
    const files = ['ruff.toml', 'a/ruff.toml', 'a/inner/ruff.toml', 'b/ruff.toml', 'b/pyproject.toml', 'ab/ruff.toml'];
    const of = (project: string) => findConfigFiles(spec, { configPath: null, project }, files);

    expect(of('.')).toEqual(['b/pyproject.toml', 'ruff.toml']);
    expect(of('a/inner')).toEqual(['a/inner/ruff.toml', 'a/ruff.toml', 'b/pyproject.toml', 'ruff.toml']);
    const plans = PROJECTS.map((project) => ({ engine: 'ruff', project, configPath: null }));
    expect(findCarried(findConfigs({ plans, specs: [spec], files }), [])).toEqual(
      files.filter((path) => path !== 'ab/ruff.toml').toSorted(),
    );
  });

  it('are no paths elsewhere: nobody looks at those', () => {
    const specs = [{ id: 'ruff', globs: ['**/*.py'] }];
    const projects = { ruff: [{ project: 'a' }] };

    expect(findUncovered({ paths: ['a', 'b', 'main.py'], specs, settings: {}, projects, files: FILES })).toEqual([
      'b',
      'main.py',
    ]);
    expect(findUncovered({ paths: ['a', 'b', 'README.md'], specs, settings: {}, files: FILES })).toEqual(['README.md']);
  });
});
