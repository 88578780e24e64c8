import { describe, expect, it } from 'vitest';
import { type EngineSource, NO_ENGINE_SOURCE } from '../../../src/core/engines/engine-source.ts';
import { parseRunId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import { createRunSide } from '../../../src/pipeline/engines/create-run-side.ts';
import type { Side, SideRequest, SideResult } from '../../../src/pipeline/quality/quality-side.ts';
import { fakeSha } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeGit } from '../../support/fake-git.ts';
import { createFakeSites, type FakeSites, toPrepared } from '../../support/fake-sites.ts';
import { aPolicy, aProgram, createFakeCache, createMemoryLog } from './fake-host.ts';

const HEAD = fakeSha('head');
const TESTS = aProgram('tests', { kind: 'test', isCacheable: false });

interface Arranged {
  readonly sites: FakeSites;
  readonly run: (request?: Partial<SideRequest>) => Promise<SideResult>;
}

function arrange(
  texts: Readonly<Record<string, string>>,
  dependencies: Side['dependencies'],
  { isSetupFailed = false, source = NO_ENGINE_SOURCE }: { isSetupFailed?: boolean; source?: EngineSource } = {},
): Arranged {
  const git = createFakeGit({ branch: 'b', headSha: HEAD, onPush: () => undefined, journal: [] });
  git.texts({ head: { 'a.py': '', ...texts } });
  const sites = createFakeSites();
  const catalogue = [aProgram('lint'), TESTS];
  const runSide = createRunSide({
    git,
    sites,
    log: createMemoryLog(),
    clock: createFakeClock(),
    catalogue,
    concurrency: 2,
    source,
    maxTimeoutSeconds: null,
  });
  const mirror = { repositoryId: 1, gitDir: '/m', objectsDir: '/m/objects' };
  const side: Side = {
    key: toPullRequestKey(1, 2),
    repository: { runId: parseRunId('session-1'), mirror, controlDir: '/c', headSha: HEAD },
    name: 'head',
    treeSha: HEAD,
    dependencies,
    isSetupFailed,
    cache: createFakeCache(),
  };
  const request: SideRequest = {
    ...{ policy: aPolicy({ lint: {}, tests: {} }), mode: 'target', only: null, paths: null, timeoutSeconds: null },
    refresh: false,
  };
  return { sites, run: (change) => runSide(side, { ...request, ...change }, AbortSignal.timeout(5000)) };
}

describe('the engines of one side', () => {
  it('run in sealed sites with the dependencies, and are told by what was asked for', async () => {
    const prepared = toPrepared({ repositoryId: 1, number: 2, hash: 'a1' }, ['node_modules']);
    const { sites, run } = arrange({}, prepared);

    const { report, specs, sight } = await run();

    expect(report.runs.map(({ engine, complete }) => [engine, complete])).toEqual([
      ['lint', true],
      ['tests', true],
    ]);
    expect(specs.map(({ id }) => id)).toEqual(['lint', 'tests']);
    expect(['b.py', 'b.md'].map((path) => sight({ engine: 'lint', project: '.' }, path))).toEqual([true, false]);
    const command = sites.commands.find(({ argv }) => argv[0] === 'lint' && argv[1] === 'a.py');
    expect(command).toMatchObject({ cwd: '.', stdin: '', timeoutMs: 1000, network: 'none', keepsHome: false });
    expect(command?.site).toMatchObject({
      ...{ network: 'none', limits: 'enforced', isolation: 'full', inputs: {}, programs: [] },
      tree: { treeSha: HEAD, hasHistory: false },
      dependencies: { key: prepared.key, paths: ['node_modules'] },
    });
    expect(sites.opened.map(({ name }) => name).toSorted()).toEqual(['lint-target', 'tests-target', 'versions']);
    expect(sites.heldSlots()).toBe(0);
    expect(sites.mostAtOnce()).toBeLessThanOrEqual(2);
  });

  it('run over the paths that were asked for, where that is a scope of its own', async () => {
    const { run } = arrange({ 'b.py': '' }, null);

    const { report } = await run({ mode: 'both', paths: ['b.py'], only: ['lint'] });

    expect(report.plans.map(({ mode, targets }) => [mode, targets])).toEqual([
      ['current', ['b.py']],
      ['target', ['a.py', 'b.py']],
    ]);
  });

  it('take scope and configuration of the service’s environment before those of the policy (000.R2, 000.R21)', async () => {
    const source = { paths: ['b.py'], configs: { LINT: 'lint.toml' } };
    const policy = aPolicy({ lint: { paths: ['a.py'], config: 'gone.toml' } });
    const { run } = arrange({ 'b.py': '', 'lint.toml': '' }, null, { source });

    const { report } = await run({ policy, mode: 'both', paths: ['a.py'], only: ['lint'] });

    expect(report.configErrors).toEqual([]);
    expect(report.plans.map(({ mode, targets, configPath }) => [mode, targets, configPath])).toEqual([
      ['current', ['a.py'], 'lint.toml'],
      ['target', ['b.py'], 'lint.toml'],
    ]);
  });

  it('are all switched off by an empty scope of the service’s environment, and that is no green (000.R25)', async () => {
    const { run } = arrange({}, null, { source: { paths: [], configs: {} } });

    const { report } = await run({ paths: ['a.py'] });

    expect(report.runs).toEqual([]);
    expect(report.configErrors.map(({ engine, code }) => [engine, code])).toEqual([
      ['lint', 'EMPTY_SCOPE'],
      ['tests', 'EMPTY_SCOPE'],
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['could not be prepared', {}, true],
    ['are needed and nobody prepares them', { 'package-lock.json': '{}' }, false],
    ['are named by a manifest and nobody prepares them', { 'package.json': '{"dependencies":{"a":"1"}}' }, false],
  ])('leave tests out where dependencies %s', async (_, texts, isSetupFailed) => {
    const { run } = arrange(texts, null, { isSetupFailed });

    const { report } = await run();

    expect(report.skipped).toEqual([{ engine: 'tests', project: '.', why: 'dependencies_missing' }]);
    expect(report.runs.map(({ engine }) => engine)).toEqual(['lint']);
  });

  it('run all where nothing is prepared because nothing is needed', async () => {
    const { run } = arrange({ 'package.json': '{}' }, null);

    expect((await run()).report.skipped).toEqual([]);
  });
});
