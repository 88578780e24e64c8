import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { createBubblewrapSandbox } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { NO_ENGINE_SOURCE } from '../../../src/core/engines/engine-source.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { QUALITY_CHECK_NAME } from '../../../src/core/model/quality-check-name.ts';
import { QUALITY_QUEUE } from '../../../src/core/model/queues.ts';
import { createRunSide } from '../../../src/pipeline/engines/create-run-side.ts';
import { runQuality } from '../../../src/pipeline/quality/run-quality.ts';
import { IS_ROOT, toBubblewrapOptions } from '../../contract/sandbox/sandbox-fixture.ts';
import {
  createRemoteRepository,
  createTempFolder,
  createTestGit,
  type RemoteRepository,
} from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline-fixture.ts';
import { createTestSites } from '../../support/sandbox-sites.ts';

/** Finds each line that says TODO; exits with 1 where there is one. */
const FIND_TODOS = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const report = process.argv[2];
writeFileSync(report, '');
readFileSync('src/a.txt', 'utf8').split('\\n').forEach((text, index) => {
  if (!text.includes('TODO')) return;
  const finding = { path: 'src/a.txt', line: index + 1, severity: 'error', rule: 'todo', message: text };
  appendFileSync(report, JSON.stringify(finding) + '\\n');
  process.exitCode = 1;
});
`;

const TODOS = `engines:
  todos:
    command: [node, tools/todos.mjs, "{report}"]
    format: jsonl
    emptyMeansClean: true
    required: true
`;

const WITH_BROKEN_ONES = `${TODOS}  broken:
    command: [node, -e, "console.log('{'); console.error('cannot read <settings>'); process.exit(3)"]
    format: jsonl
    emptyMeansClean: true
  missing:
    command: [no-such-tool, "{report}"]
    format: jsonl
    emptyMeansClean: true
  slow:
    command: [sleep, "60"]
    format: jsonl
    emptyMeansClean: true
    timeoutSeconds: 1
`;

const FILES = { 'tools/todos.mjs': FIND_TODOS, 'src/a.txt': 'one\nTODO old\n', 'README.md': '# demo\n' };

describe('engines in a real sandbox, over real repositories', () => {
  let root: string;
  let remove: () => Promise<void>;
  let remote: RemoteRepository;
  let base: Sha;

  beforeAll(async () => {
    ({ path: root, remove } = await createTempFolder());
    remote = await createRemoteRepository(root);
    base = await remote.commit('main', FILES, { parent: null });
  });

  afterAll(async () => {
    await remove();
  });

  async function pushHead(text: string): Promise<Sha> {
    const headSha = await remote.commit('feature', { 'src/a.txt': text }, { parent: base });
    await remote.git(['update-ref', 'refs/pull/7/head', headSha]);
    return headSha;
  }

  /** Everything is real but GitHub's API. */
  async function start(headSha: Sha, policy: string): Promise<Pipeline & { readonly run: () => Promise<void> }> {
    const dataDir = join(root, 'data');
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    // One slot for setup and all engines: nobody who holds a site waits for another.
    const options = { ...(await toBubblewrapOptions(root)), slots: 1 };
    const sandbox = createBubblewrapSandbox(options);
    const slotGid = IS_ROOT ? options.gid : null;
    const pipeline = startPipeline({ headSha, baseSha: base, policyText: policy, headPolicyText: policy });
    const git = createTestGit(dataDir, { slotGid });
    const deps = {
      ...pipeline.deps,
      git,
      sites: createTestSites({ sandbox, trees: git, dataDir, slotGid }),
      files: createSessionFiles({ dataDir }),
      github: { ...pipeline.github, gitUrl: () => remote.access.url },
    };
    const runSide = createRunSide({
      ...deps,
      catalogue: [],
      concurrency: 2,
      source: NO_ENGINE_SOURCE,
      maxTimeoutSeconds: null,
    });
    return {
      ...pipeline,
      run: async () => {
        const { key, store, clock } = pipeline;
        const leaseId = store.claimWakeup(QUALITY_QUEUE, key, clock.now(), 60_000) ?? '';
        const lease = { leaseId, signal: NEVER };
        await runQuality({ ...deps, runSide }, key, lease);
        store.finishWakeup(QUALITY_QUEUE, key, leaseId, null);
      },
    };
  }

  it('a broken engine, a missing tool and a timed-out one leave the others and the baseline untouched, and are shown (000.R28, R32, R35, R36)', async () => {
    const headSha = await pushHead('one\nTODO old\ntwo\nTODO new\n');
    const pipeline = await start(headSha, WITH_BROKEN_ONES);
    await pipeline.evaluate();

    await pipeline.run();

    const [check] = pipeline.github.checkRuns();
    const summary = check?.content.summary ?? '';
    expect(check?.content).toMatchObject({ conclusion: 'failure', title: '1 new finding · 3 engines could not run' });
    expect(check?.annotations).toMatchObject([{ path: 'src/a.txt', startLine: 4, message: 'TODO new' }]);
    expect(summary).toContain('1 new (1 high), 0 fixed, 1 existing.');
    const failures = summary.slice(
      summary.indexOf('### Engines that could not run'),
      summary.indexOf('### Incomplete'),
    );
    expect(failures).toContain('cannot read <settings>');
    expect(failures).toMatch(/`missing`:.*`TOOL_NOT_FOUND`/u);
    expect(failures).toMatch(/`slow`:.*`TIMEOUT`/u);
    expect(failures).toMatch(/`broken`:.*`(?:JSON_PARSE_FAILED|TOOL_FAILURE_EXIT|EXIT_WITHOUT_FINDINGS)`/u);
    expect(summary.slice(0, summary.indexOf('### Engines that'))).not.toContain('settings');
    expect(pipeline.store.runningQualityRuns()).toEqual([]);
  });

  it('takes nothing for fixed while the engine that found it is broken, and compares with the stored base when it works again', async () => {
    const pipeline = await start(await pushHead('one\nTODO old\ntwo\n'), TODOS);
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    await pipeline.run();
    const broken = await remote.commit('feature', { 'tools/todos.mjs': 'process.exit(70);', 'src/a.txt': 'one\n' });
    await remote.git(['update-ref', 'refs/pull/7/head', broken]);
    pipeline.github.change({ headSha: broken });
    await pipeline.evaluate();
    await pipeline.run();
    const fixed = await remote.commit('feature', { 'tools/todos.mjs': FIND_TODOS });
    await remote.git(['update-ref', 'refs/pull/7/head', fixed]);
    pipeline.github.change({ headSha: fixed });
    await pipeline.evaluate();
    await pipeline.run();

    const checks = pipeline.github.checkRuns().filter(({ content }) => content.name === QUALITY_CHECK_NAME);
    const summaries = checks.map(({ content }) => content.summary);
    expect(summaries.map((summary) => /\d+ fixed, \d+ existing/u.exec(summary)?.[0])).toEqual([
      '0 fixed, 1 existing',
      '0 fixed, 0 existing',
      '1 fixed, 0 existing',
    ]);
    expect(checks[1]?.content.conclusion).toBe('failure');
    // The base is run once: what the broken head could not be compared with is there for the next one.
    expect(pipeline.log.filter(({ message }) => message === 'engines ran over the merge base')).toHaveLength(1);
  });
});
