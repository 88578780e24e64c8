import { describe, expect, it } from 'vitest';
import { prepareEngines } from '../../../src/pipeline/engines/run-engines.ts';
import { aPolicy, aProgram, aRequest, createFakeHost, runOn } from './fake-host.ts';

const LINT = aProgram('lint-a', { targetMode: 'paths', detection: { files: ['lint-a.toml'] } });
const FILES = ['a/lint-a.toml', 'a/x.py', 'b/lint-a.toml', 'b/y.py', 'lint-a.toml', 'vendor/lint-a.toml', 'z.py'];

describe('engines in several projects', () => {
  it('run in each, with artifacts of their own, and tell where', async () => {
    const host = createFakeHost({
      files: FILES,
      run: ({ argv }) => (argv[1] === 'b' ? { stdout: 'b/y.py:1\n', exit: { exitCode: 1 } } : {}),
    });
    const { runs, dedup, projects } = await runOn(host, { catalogue: [LINT] });
    const started = host.invocations.filter(({ name }) => name !== 'versions');

    expect(started.map(({ cwd, argv }) => [cwd, argv]).toSorted()).toEqual([
      ['.', ['lint-a', '.']],
      ['a', ['lint-a', 'a']],
      ['b', ['lint-a', 'b']],
    ]);
    expect(new Set(started.map(({ name }) => name)).size).toBe(3);
    expect(started.map(({ name }) => name).toSorted()[0]).toBe('lint-a-target');
    expect(
      runs.map(({ project, findings }) => [project, findings.map(({ path, project: own }) => [path, own])]),
    ).toEqual([
      ['.', []],
      ['a', []],
      ['b', [['b/y.py', 'b']]],
    ]);
    expect(new Set(runs.map(({ signature }) => signature)).size).toBe(3);
    expect(dedup.map(({ project, ran }) => [project, ran])).toEqual([
      ['.', 'target'],
      ['a', 'target'],
      ['b', 'target'],
    ]);
    expect(projects.map(({ project, isTaken }) => [project, isTaken])).toEqual([
      ['.', true],
      ['a', true],
      ['b', true],
      ['vendor', false],
    ]);
  });

  it('leave findings in files of another project to that project', async () => {
    const host = createFakeHost({
      files: FILES,
      run: () => ({ stdout: 'a/x.py:1\nz.py:1\nelsewhere.py:1\n', exit: { exitCode: 1 } }),
    });
    const { runs } = await runOn(host, { catalogue: [LINT] });

    expect(runs.map(({ project, findings }) => [project, findings.map(({ path }) => path)])).toEqual([
      ['.', ['elsewhere.py', 'z.py']],
      ['a', ['a/x.py']],
      ['b', []],
    ]);
    expect(runs.every(({ complete }) => complete)).toBe(true);
  });

  it('are those that the policy names, adds and excludes, and a wrong name switches off that engine only', async () => {
    const toProjects = async (
      policy: Parameters<typeof aPolicy>[0],
      projects?: { add: string[]; exclude: string[] },
    ) => {
      const request = aRequest({ policy: { ...aPolicy(policy), ...(projects === undefined ? {} : { projects }) } });
      const host = createFakeHost({ files: FILES });
      const { planned, report } = await prepareEngines({ host, catalogue: [LINT] }, request);
      return [planned.toRun.map(({ project }) => project), report.configErrors.map(({ message }) => message)];
    };

    expect(await toProjects({ 'lint-a': {} })).toEqual([['.', 'a', 'b'], []]);
    expect(await toProjects({ 'lint-a': { projects: ['b'] } })).toEqual([['b'], []]);
    expect(await toProjects({ 'lint-a': {} }, { add: [], exclude: ['a'] })).toEqual([['.', 'b'], []]);
    expect(await toProjects({ 'lint-a': {} }, { add: ['../x', 'vendor'], exclude: ['.'] })).toEqual([['a', 'b'], []]);
    expect(await toProjects({ 'lint-a': { projects: ['gone'] } })).toEqual([
      [],
      ['"projects": "gone" is not a folder of the repository'],
    ]);
  });

  it('are planned where there are 2,000, and each reads its own configuration once', async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `packages/p${String(index)}`);
    const files = names
      .flatMap((name) => [`${name}/lint-a.toml`, `${name}/x.py`, `${name}/y.py`, `${name}/z.md`])
      .toSorted();
    const host = createFakeHost({ files });
    const start = performance.now();
    const { runs } = await runOn(host, { catalogue: [LINT], concurrency: 32 });

    expect(runs).toHaveLength(2000);
    expect(host.reads.filter((path) => path === 'packages/p7/lint-a.toml')).toHaveLength(1);
    // Quadratic work takes minutes.
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
