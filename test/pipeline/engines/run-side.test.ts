import { describe, expect, it } from 'vitest';
import { parseRunId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import { createRunSide } from '../../../src/pipeline/engines/create-run-side.ts';
import type { Side, SideRequest, SideResult } from '../../../src/pipeline/quality/quality-side.ts';
import { fakeSha } from '../../support/builders.ts';
import { createFakeGit } from '../../support/fake-git.ts';
import { createFakeSandbox, type FakeSandbox } from '../../support/fake-sandbox.ts';
import { createFakeSessionFiles } from '../../support/fake-session-files.ts';
import { aPolicy, aProgram, createFakeCache, createMemoryLog } from './fake-host.ts';

const HEAD = fakeSha('head');
const TESTS = aProgram('tests', { kind: 'test', isCacheable: false });

interface Arranged {
  readonly sandbox: FakeSandbox;
  readonly run: (request?: Partial<SideRequest>) => Promise<SideResult>;
}

function arrange(texts: Readonly<Record<string, string>>, dependencies: Side['dependencies']): Arranged {
  const git = createFakeGit({ branch: 'b', headSha: HEAD, onPush: () => undefined, journal: [] });
  git.texts({ head: { 'a.py': '', ...texts } });
  const sandbox = createFakeSandbox();
  const files = createFakeSessionFiles();
  const catalogue = [aProgram('lint'), TESTS];
  const runSide = createRunSide({
    files,
    git,
    sandbox,
    log: createMemoryLog(),
    catalogue,
    concurrency: 2,
    maxTimeoutSeconds: null,
  });
  const mirror = { repositoryId: 1, gitDir: '/m', objectsDir: '/m/objects' };
  const side: Side = {
    key: toPullRequestKey(1, 2),
    repository: { runId: parseRunId('session-1'), mirror, controlDir: '/c', workDir: '/w', headSha: HEAD },
    name: 'head',
    treeSha: HEAD,
    slot: { index: 0, uid: null, gid: null },
    dependencies,
    cache: createFakeCache(),
  };
  const request: SideRequest = {
    ...{ policy: aPolicy({ lint: {}, tests: {} }), mode: 'target', only: null, paths: null, timeoutSeconds: null },
    refresh: false,
  };
  return { sandbox, run: (change) => runSide(side, { ...request, ...change }, AbortSignal.timeout(5000)) };
}

describe('the engines of one side', () => {
  it('run in the sandbox with the dependencies mounted read-only, and are told by what was asked for', async () => {
    const mount = { source: '/d/node_modules', target: '/workspace/node_modules', writable: false };
    const { sandbox, run } = arrange({}, [mount]);

    const { report, specs, sight } = await run();

    expect(report.runs.map(({ engine, complete }) => [engine, complete])).toEqual([
      ['lint', true],
      ['tests', true],
    ]);
    expect(specs.map(({ id }) => id)).toEqual(['lint', 'tests']);
    expect([sight('lint', 'b.py'), sight('lint', 'b.md')]).toEqual([true, false]);
    const command = sandbox.commands.find(({ argv }) => argv[0] === 'lint' && argv[1] === 'a.py');
    expect(command?.mounts).toContainEqual(mount);
    expect(command?.mounts.filter(({ writable }) => writable).map(({ target }) => target)).toEqual([
      '/workspace',
      '/home/agent',
      '/ratchet/artifacts',
    ]);
    expect(command).toMatchObject({ cwd: '/workspace', stdin: '', timeoutMs: 1000 });
  });

  it('run over the paths that were asked for, where that is a scope of its own', async () => {
    const { run } = arrange({ 'b.py': '' }, []);

    const { report } = await run({ mode: 'both', paths: ['b.py'], only: ['lint'] });

    expect(report.plans.map(({ mode, targets }) => [mode, targets])).toEqual([
      ['current', ['b.py']],
      ['target', ['a.py', 'b.py']],
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, Side['dependencies']]>([
    ['could not be prepared', {}, null],
    ['are needed and nobody prepares them', { 'package-lock.json': '{}' }, []],
    ['are named by a manifest and nobody prepares them', { 'package.json': '{"dependencies":{"a":"1"}}' }, []],
  ])('leave tests out where dependencies %s', async (_, texts, dependencies) => {
    const { run } = arrange(texts, dependencies);

    const { report } = await run();

    expect(report.skipped).toEqual([{ engine: 'tests', why: 'dependencies_missing' }]);
    expect(report.runs.map(({ engine }) => engine)).toEqual(['lint']);
  });

  it('run all where nothing is prepared because nothing is needed', async () => {
    const { run } = arrange({ 'package.json': '{}' }, []);

    expect((await run()).report.skipped).toEqual([]);
  });
});
