import { describe, expect, it } from 'vitest';
import type { EngineSettings } from '../../src/core/model/policy.ts';
import type { FoundProjects } from '../../src/core/projects/detect-projects.ts';
import { chooseProjects, toUnused } from '../../src/engines/choose-projects.ts';
import { mypy } from '../../src/engines/python/mypy.ts';
import { aSpec, someSettings } from '../support/plan-builders.ts';

const FOUND: FoundProjects = {
  taken: [
    { project: 'a', why: 'a/x.toml' },
    { project: 'b', why: 'b/x.toml' },
  ],
  left: [{ project: 'aa', why: 'it is a fixture' }],
};
const NONE: FoundProjects = { taken: [], left: [] };
const FILES = ['a/x.toml', 'b/x.toml', 'c/y.py'];

function choose(settings: Partial<EngineSettings>, found = FOUND, configPath: string | null = null) {
  const facts = { files: FILES, texts: {} };
  const { projects, error, considered } = chooseProjects({
    ...{
      spec: aSpec({ detection: { files: ['x.toml'] } }),
      settings: someSettings(settings),
      configPath,
      found,
      facts,
    },
  });
  return { projects: projects.map(({ project }) => project), message: error?.message ?? null, considered };
}

describe('the projects of an engine', () => {
  it.each<[string, Partial<EngineSettings>, FoundProjects, readonly string[]]>([
    ['those that were found', {}, FOUND, ['a', 'b']],
    ['the root where nothing was found', {}, NONE, ['.']],
    ['those that the policy names, in canonical form', { projects: ['./c/', 'a', 'c'] }, FOUND, ['a', 'c']],
    ['the root if the policy names it', { projects: ['.'] }, FOUND, ['.']],
    ['the root where a folder to run in is set', { cwd: 'a' }, FOUND, ['.']],
    ['the root if it is switched off', { enabled: false }, FOUND, ['.']],
  ])('are %s', (_what, settings, found, expected) => {
    expect(choose(settings, found)).toMatchObject({ projects: expected, message: null });
  });

  it('are the root where somebody chose a configuration file', () => {
    expect(choose({}, FOUND, 'a/x.toml').projects).toEqual(['.']);
  });

  it.each<[string, readonly string[], string]>([
    ['no folder of the repository', ['a', 'gone'], '"projects": "gone" is not a folder of the repository'],
    ['a folder outside', ['../x'], '"projects": "../x" leads outside of the repository'],
    ['nothing', [], '"projects": an empty list, which switches the engine off'],
    ['too many', Array.from({ length: 3001 }, (_, index) => `d${String(index)}`), '"projects": at most 3000'],
  ])('are an error where the policy names %s, and then none', (_what, projects, message) => {
    expect(choose({ projects })).toMatchObject({ projects: [], message });
  });

  it('are an error if there are too many, which asks for names', () => {
    const taken = Array.from({ length: 3001 }, (_, index) => ({ project: `d${String(index)}`, why: '' }));

    expect(choose({}, { taken, left: [] })).toMatchObject({
      projects: [],
      message: 'it has 3001 projects; at most 3000 can be checked at a time: name them under "projects"',
    });
  });

  it('are told with their reasons, and so is what is none (E21)', () => {
    expect(choose({}).considered).toEqual([
      { engine: 'ruff', project: 'a', isTaken: true, why: 'a/x.toml' },
      { engine: 'ruff', project: 'aa', isTaken: false, why: 'it is a fixture' },
      { engine: 'ruff', project: 'b', isTaken: true, why: 'b/x.toml' },
    ]);
    expect(choose({}, NONE).considered).toEqual([
      { engine: 'ruff', project: '.', isTaken: true, why: 'there is no x.toml' },
    ]);
    expect(choose({ projects: ['c'] }).considered[0]?.why).toBe('the policy names it');
  });

  it('of an engine that does not run are told, too', () => {
    const spec = aSpec({
      detection: { pythonSection: ['[tool.x', '[x]'], nodePackage: 'x', cargoSection: ['[lints.x'] },
    });

    expect(toUnused(spec, NONE)).toEqual([
      {
        engine: 'ruff',
        project: null,
        isTaken: false,
        why: 'there is no section [tool.x …], no section [x], no section [lints.x …], no package.json that depends on x',
      },
    ]);
    expect(toUnused(aSpec(), FOUND).map(({ project, isTaken }) => [project, isTaken])).toEqual([
      ['a', false],
      ['b', false],
      ['aa', false],
    ]);
    expect(toUnused(aSpec(), NONE)[0]?.why).toBe('it is not looked for');
  });
});

describe('what mypy itself would check (E7)', () => {
  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['nothing without a configuration', {}, false],
    ['nothing without a list', { 'a/mypy.ini': '[mypy]\nstrict = true\n' }, false],
    ['files', { 'a/mypy.ini': '[mypy]\nstrict = true\n  files = src\n' }, true],
    ['packages', { 'a/setup.cfg': '[metadata]\nname = x\n[mypy]\npackages=x\n' }, true],
    ['modules of the pyproject.toml', { 'a/pyproject.toml': '[project]\n[tool.mypy]\nmodules = ["x"]\n' }, true],
    ['no list of another section', { 'a/mypy.ini': '[mypy]\n[mypy-x.*]\nfiles = src\n' }, false],
    [
      'no list of a table below',
      { 'a/pyproject.toml': '[tool.mypy]\n[[tool.mypy.overrides]]\nmodules = "x"\n' },
      false,
    ],
    [
      'nothing if the first configuration has no list',
      { 'a/mypy.ini': '[mypy]\n', 'a/setup.cfg': '[mypy]\nfiles=x' },
      false,
    ],
    ['nothing of the root', { 'mypy.ini': '[mypy]\nfiles=x' }, false],
  ])('is %s', (_what, texts, expected) => {
    const facts = { files: FILES, texts };
    const found: FoundProjects = { taken: [{ project: 'a', why: '' }], left: [] };
    const of = (configPath: string | null, own = facts) =>
      chooseProjects({ spec: mypy, settings: someSettings(), configPath, found, facts: own }).projects;

    expect(of(null)).toEqual([{ project: 'a', hasOwnScope: expected }]);
    expect(of('x.ini', { ...facts, texts: { ...texts, 'x.ini': '[mypy]\nfiles=y' } })).toEqual([
      { project: '.', hasOwnScope: true },
    ]);
  });
});
