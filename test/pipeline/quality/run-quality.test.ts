import { describe, expect, it } from 'vitest';
import { GitHubError, RepositoryError } from '../../../src/core/model/errors.ts';
import { EVALUATE_QUEUE, QUALITY_QUEUE } from '../../../src/core/model/queues.ts';
import { DEFAULT_TOTAL_MINUTES } from '../../../src/pipeline/quality/run-quality.ts';
import { cleanUp } from '../../../src/pipeline/upkeep/housekeeping.ts';
import { aChange, aRepository, fakeSha } from '../../support/builders.ts';
import { aFinding, anEngineError, aRun } from '../../support/engine-stories.ts';
import { toPatch } from '../../support/fake-git.ts';
import { LIVE_SECRET } from '../../support/pipeline-fixture.ts';
import { ENGINES_POLICY, type QualityPipeline, startQuality } from '../../support/quality-fixture.ts';
import { aPlan } from '../../support/quality-stories.ts';
import { aDelivery } from '../../support/store.ts';

const HEAD = fakeSha('head');
const UNAVAILABLE = new GitHubError('UNAVAILABLE', 'no', { retry: 'later' });

const GONE = { path: 'src/gone.ts', change: 'deleted', previousPath: null } as const;
const KEPT = [
  { path: 'src/a.ts', change: 'modified', previousPath: null },
  { path: 'src/new.ts', change: 'renamed', previousPath: 'src/old.ts' },
] as const;

/** Looked at once, which wakes the engines, and run once. */
async function startRun(...args: Parameters<typeof startQuality>): Promise<QualityPipeline> {
  const pipeline = startQuality(...args);
  await pipeline.evaluate();
  await pipeline.runQuality();
  return pipeline;
}

function findings(count: number, change: Parameters<typeof aFinding>[0] = {}): ReturnType<typeof aFinding>[] {
  return Array.from({ length: count }, (_, nth) => aFinding({ line: nth + 1, ...change }));
}

describe('the engines of a pull request', () => {
  it('run where the policy of the base asks for them, also where nobody has enabled Ratchet', async () => {
    const pipeline = await startRun();

    expect(pipeline.workspace().enablement).toBe('never');
    expect(pipeline.qualityChecks()).toMatchObject([
      { content: { headSha: HEAD, status: 'completed', conclusion: 'success', title: 'No new findings' } },
    ]);
  });

  it('do not run where it does not, whatever the head says', async () => {
    const pipeline = startQuality({ policyText: null });
    await pipeline.evaluate();

    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('run where a push makes the policy of the base ask for them, also where nobody has enabled Ratchet', async () => {
    const pipeline = startQuality({ policyText: null });
    await pipeline.evaluate();
    pipeline.github.change({ policyText: ENGINES_POLICY });
    const { baseRef } = pipeline.github.facts();
    const push = {
      kind: 'branch_pushed',
      repository: aRepository(),
      branch: baseRef,
      headSha: fakeSha('tip'),
    } as const;
    pipeline.store.ingest([aDelivery('plain', push)]);
    const isDueByAnyPush = pipeline.isDue('evaluate');
    pipeline.store.ingest([aDelivery('policy', { ...push, changesPolicy: true })]);
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.store.markWakeup(EVALUATE_QUEUE, pipeline.key, null);
    const reads = pipeline.journal.filter((line) => line.includes('readConfigFiles')).length;
    await pipeline.evaluate();

    expect(isDueByAnyPush).toBe(false);
    expect(pipeline.qualityChecks()).toMatchObject([{ content: { headSha: HEAD, conclusion: 'success' } }]);
    expect(pipeline.journal.filter((line) => line.includes('readConfigFiles'))).toHaveLength(reads);
    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('run once for a head: neither a look nor a wake-up makes another run', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    const isDue = pipeline.isQualityDue();
    pipeline.store.markWakeup(QUALITY_QUEUE, pipeline.key, null);
    await pipeline.runQuality();

    expect(isDue).toBe(false);
    expect(pipeline.sides.map(({ side }) => side.name)).toEqual(['head', 'base']);
    expect(pipeline.qualityChecks()).toHaveLength(1);
  });

  it('of an enabled pull request are woken by a new head and by a changed policy', async () => {
    const pipeline = await startRun();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    pipeline.github.change({ headSha: fakeSha('next') });
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.github.change({ policyText: 'engines:\n  eslint: { required: false }\n' });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => content.headSha)).toEqual([
      HEAD,
      fakeSha('next'),
      fakeSha('next'),
    ]);
  });

  it('are told of while they run', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    pipeline.whileRunning('head', () => {
      expect(pipeline.qualityChecks()).toMatchObject([{ content: { status: 'in_progress', conclusion: null } }]);
    });

    await pipeline.runQuality();

    expect(pipeline.sides).toHaveLength(2);
  });

  it('never run code of a fork: it is told so', async () => {
    const pipeline = await startRun({ fork: true });

    expect(pipeline.sides).toEqual([]);
    expect(pipeline.journal.filter((line) => line.startsWith('git.') && line !== 'git.removeSession')).toEqual([]);
    expect(pipeline.github.tokens).toEqual([]);
    expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'action_required' } }]);
  });

  it('do not run in a sandbox that cannot run', async () => {
    const pipeline = startQuality();
    pipeline.sites.setProbe({ kind: 'unavailable', why: 'there is no bubblewrap' });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks()).toMatchObject([
      { content: { conclusion: 'action_required', summary: 'there is no bubblewrap\n' } },
    ]);
    expect(pipeline.sites.heldSlots()).toBe(0);
  });

  it('leave no folder and no slot behind, and their folders are spared while they run', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    pipeline.whileRunning('base', () => cleanUp(pipeline.deps, new AbortController().signal));
    await pipeline.runQuality();
    const id = pipeline.store.qualityRuns(pipeline.key, 1)[0]?.id;
    await cleanUp(pipeline.deps, new AbortController().signal);

    expect(pipeline.git.sweptExcept).toEqual([[id], []]);
    expect(pipeline.git.removedSessions).toEqual([id]);
    expect(pipeline.sites.heldSlots()).toBe(0);
    expect(pipeline.github.revoked).toHaveLength(pipeline.github.tokens.length);
  });

  it.each([
    ['the changed files, without deleted ones and by their new names', [...KEPT, GONE], ['src/a.ts', 'src/new.ts']],
    ['nothing that is not known', null, null],
    ['no file where none is left', [GONE], []],
  ])('look in CURRENT at %s', async (_what, changed, paths) => {
    const pipeline = startQuality();
    pipeline.github.setChangedFiles(changed);
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides[0]?.request).toMatchObject({ mode: 'both', only: null, paths, refresh: false });
  });
});

describe('what engines find', () => {
  it('is new against the merge base, which is looked at with the configuration of the head', async () => {
    const pipeline = startQuality();
    pipeline.git.texts({ head: { 'eslint.config.js': 'new', 'package.json': '{}', 'src/a.ts': 'a' } });
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    pipeline.say('head', { runs: [aRun({ findings: findings(3) })] });
    pipeline.say('base', { runs: [aRun({ findings: findings(2) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const [, base] = pipeline.sides;

    expect(pipeline.qualityChecks()).toMatchObject([
      { content: { conclusion: 'failure', title: '1 new finding' }, annotations: [{ path: 'src/a.ts', startLine: 3 }] },
    ]);
    expect(base?.request).toMatchObject({ mode: 'target', only: ['eslint'] });
    expect(base?.side.treeSha).not.toBe(fakeSha('merge-base'));
    expect(base?.side.dependencies).toBe(pipeline.sides[0]?.side.dependencies);
  });

  it('is not taken for existing in a file that the base had from the head and that the change touches', async () => {
    const pipeline = startQuality();
    const [config, manifest, other] = ['eslint.config.js', 'package.json', 'sub/package.json'];
    pipeline.git.texts({ head: { [config]: 'new', [manifest]: '{}', [other]: '{}', 'src/a.ts': 'a' } });
    pipeline.git.agentLeaves({
      changes: [config, manifest, 'src/a.ts'].map((path) => aChange({ path })),
      patch: toPatch(config, 'new'),
    });
    const paths = [config, manifest, other, 'src/a.ts'];
    const both = { runs: [aRun({ findings: paths.map((path) => aFinding({ path, line: 1 })) })] };
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    pipeline.say('head', both);
    pipeline.say('base', both);
    await pipeline.evaluate();
    await pipeline.runQuality();
    const toPrint = (path: string): string => aFinding({ path, line: 1 }).fingerprint;

    expect(pipeline.report()).toMatchObject({
      comparison: {
        isChangeWhole: true,
        changedConfigs: [{ engine: 'eslint', paths: [config] }],
        engines: [
          {
            new: [toPrint(config)],
            existing: [toPrint('src/a.ts'), toPrint(other)],
            uncompared: [toPrint(manifest)],
          },
        ],
      },
    });
  });

  it('asks for a person where the change was not read whole', async () => {
    const pipeline = startQuality();
    pipeline.git.agentLeaves({ patchTruncated: true });
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.report()).toMatchObject({ comparison: { isChangeWhole: false } });
    expect(pipeline.qualityChecks()).toMatchObject([
      { content: { conclusion: 'action_required', title: 'No new findings · change not read completely' } },
    ]);
  });

  it.each([
    [
      'asks for a person where the change moves a submodule, which is never fetched',
      ['sub'],
      'action_required',
      ' · 1 submodule not looked at',
    ],
    ['says that nothing in a submodule was looked at, where the change leaves it alone', [], 'success', ''],
  ] as const)('%s (E5)', async (_title, moved, conclusion, more) => {
    const pipeline = startQuality();
    pipeline.git.agentLeaves({ changes: [...moved, 'src/a.ts'].map((path) => aChange({ path })) });
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    pipeline.say('head', { submodules: [{ path: 'sub', isHere: false }] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const [check] = pipeline.qualityChecks();

    expect(check?.content).toMatchObject({ conclusion, title: `No new findings${more}` });
    expect(check?.content.summary).toContain('nothing in submodules that are not checked out was looked at: "sub"');
    expect(pipeline.report()).toMatchObject({ comparison: { isChangeWhole: moved.length === 0, unlooked: moved } });
  });

  it('is fixed where it is gone, but not in a file that a rename took out of what the engine looks at', async () => {
    const pipeline = startQuality();
    const gone = aFinding({ path: 'src/b.ts' });
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    pipeline.github.setChangedFiles([{ path: 'docs/a.md', change: 'renamed', previousPath: 'src/a.ts' }]);
    pipeline.say('base', { runs: [aRun({ findings: [aFinding(), gone] })] });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.report()).toMatchObject({ comparison: { engines: [{ fixed: [gone.fingerprint] }] } });
  });

  it.each([
    ['is compared with a stored run of the base, where content and signature are equal', 1, ['head']],
    ['is compared with a new run of the base, where older rules judged the stored one (003.R24)', 0, ['head', 'base']],
  ] as const)('%s', async (_title, classifierVersion, sides) => {
    const pipeline = startQuality();
    pipeline.git.texts({ head: { 'src/a.ts': 'a' } });
    pipeline.say('base', { runs: [aRun({ findings: findings(1), classifierVersion })] });
    pipeline.say('head', { runs: [aRun({ findings: findings(1) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.comment('/ratchet enable');
    pipeline.github.change({ headSha: fakeSha('next') });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides.map(({ side }) => side.name)).toEqual(['head', 'base', ...sides]);
    expect(pipeline.qualityChecks().at(-1)?.content).toMatchObject({ conclusion: 'success', title: 'No new findings' });
  });

  it('that a head of the pull request had brought down is over budget when it comes back, until somebody accepts it', async () => {
    const pipeline = startQuality();
    pipeline.git.texts({ head: { 'src/a.ts': 'a' } });
    pipeline.say('base', { runs: [aRun({ findings: findings(1) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.say('head', { runs: [aRun({ findings: findings(1) })] });
    pipeline.comment('/ratchet check');
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.comment('/ratchet rebaseline the fix was wrong');
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => [content.conclusion, content.title])).toEqual([
      ['success', 'No new findings'],
      ['failure', 'No new findings · 1 file over budget'],
      ['success', 'No new findings'],
    ]);
  });

  it.each([
    ['another signature', { signature: 'other', findings: findings(1) }],
    ['an incomplete run', { complete: false, incompleteWhy: 'it stopped', findings: [] }],
  ])('cannot be compared with %s of the base, which is not kept either', async (_what, base) => {
    const pipeline = startQuality();
    pipeline.say('head', { runs: [aRun({ findings: findings(1) })] });
    pipeline.say('base', { runs: [aRun(base)] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    pipeline.comment('/ratchet enable');
    pipeline.github.change({ headSha: fakeSha('next') });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks()[0]?.content).toMatchObject({
      conclusion: 'action_required',
      title: 'No new findings · 1 engine not compared completely',
    });
    expect(pipeline.sides.map(({ side }) => side.name)).toEqual(['head', 'base', 'head', 'base']);
  });

  it('is compared with nothing where there is no common commit', async () => {
    const pipeline = startQuality();
    pipeline.github.setMergeBase(null);
    pipeline.say('head', { runs: [aRun({ findings: findings(1) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides).toHaveLength(1);
    expect(pipeline.qualityChecks()[0]?.content.conclusion).toBe('action_required');
  });

  it('of one engine stands, though another one failed; nothing is stored of that one (000.R35, R36)', async () => {
    const pipeline = startQuality();
    const error = anEngineError({ stderr: `the secret is ${LIVE_SECRET}` });
    const broken = { plans: [aPlan('eslint'), aPlan('mypy')], engineErrors: [error] };
    pipeline.say('head', {
      ...broken,
      runs: [aRun({ findings: findings(1) }), aRun({ engine: 'mypy', complete: false })],
    });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const content = pipeline.qualityChecks()[0]?.content;

    expect(content?.title).toBe('1 new finding · 1 engine could not run');
    expect(content?.summary).toContain('### Engines that could not run');
    expect(content?.summary).not.toContain(LIVE_SECRET);
    expect(pipeline.sides[1]?.request.only).toEqual(['eslint']);
  });

  it('is told without the secrets in it, also where a text is cut or escaped (T54)', async () => {
    const pipeline = startQuality();
    const messages = [
      `my_own ${LIVE_SECRET}`,
      `${'x'.repeat(295)}${LIVE_SECRET}`,
      `${'y'.repeat(8_188)}${LIVE_SECRET}`,
    ];
    pipeline.say('head', { runs: [aRun({ findings: messages.map((message) => aFinding({ message })) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const [check] = pipeline.qualityChecks();
    const told = `${check?.content.summary ?? ''}${JSON.stringify(check?.annotations)}`;

    expect(check?.annotations).toHaveLength(3);
    expect(told).not.toMatch(new RegExp(`[xy]${LIVE_SECRET.slice(0, 4)}`, 'u'));
    expect(told.replaceAll('\\', '')).not.toContain(LIVE_SECRET);
  });

  it('is told without dependencies where setup fails', async () => {
    const policyText = `setup: [npm ci]\nengines:\n  eslint: { required: true }\n`;
    const pipeline = startQuality({ policyText });
    pipeline.sites.endWith('npm ci', { exitCode: 1 });
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.sides.map(({ side }) => [side.dependencies, side.isSetupFailed])).toEqual([
      [null, true],
      [null, true],
    ]);
    expect(pipeline.qualityChecks()[0]?.content.summary).toContain('- Dependencies: The setup command');
  });

  it('is kept whole as JSON among the artifacts of the run, without secrets (T54)', async () => {
    const pipeline = startQuality();
    pipeline.github.setMergeBase(fakeSha('merge-base'));
    const messages = [`the secret is ${LIVE_SECRET}`, 'plain'];
    pipeline.say('head', { runs: [aRun({ findings: messages.map((message) => aFinding({ message })) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();
    const report = pipeline.report();

    expect(JSON.stringify(report)).not.toContain(LIVE_SECRET);
    expect(report).toMatchObject({
      schemaVersion: 1,
      runs: [{ engine: 'eslint', findings: 2 }],
      findings: [{ message: 'plain' }, { message: 'the secret is [redacted]' }],
      comparison: { base: fakeSha('merge-base'), engines: [{ engine: 'eslint', comparable: true, fixed: [] }] },
    });
  });

  it('stands though its JSON cannot be kept, and the log says so', async () => {
    const pipeline = startQuality();
    const full = new Error('no space left');
    pipeline.files.failNextWrite(full);
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'success' } }]);
    expect(pipeline.log.filter(({ message }) => message === 'report not kept')).toMatchObject([
      { level: 'warn', fields: { error: full } },
    ]);
  });

  it('has no JSON where there is no result', async () => {
    const pipeline = await startRun({ fork: true });

    expect([...pipeline.files.written.keys()]).toEqual([]);
  });

  it('is annotated in batches of 50, each finding once', async () => {
    const pipeline = startQuality();
    pipeline.say('head', { runs: [aRun({ findings: findings(120) })] });
    await pipeline.evaluate();
    await pipeline.runQuality();

    const [check] = pipeline.qualityChecks();
    expect(check?.updates).toBe(3);
    expect(check?.annotations.map(({ startLine }) => startLine)).toEqual(findings(120).map(({ line }) => line));
  });

  it('is not annotated twice when telling it broke off, and nothing is run again', async () => {
    const pipeline = startQuality();
    pipeline.say('head', { runs: [aRun({ findings: findings(120) })] });
    await pipeline.evaluate();
    pipeline.github.during('updateCheckRun', async () => pipeline.github.failNext('updateCheckRun', UNAVAILABLE));
    await expect(pipeline.runQuality()).rejects.toThrow(UNAVAILABLE);
    const sent = pipeline.qualityChecks()[0]?.annotations.length;
    await pipeline.runQuality();

    expect(sent).toBe(50);
    expect(pipeline.sides).toHaveLength(2);
    expect(pipeline.qualityChecks()).toHaveLength(1);
    expect(pipeline.qualityChecks()[0]?.annotations.map(({ startLine }) => startLine)).toEqual(
      findings(120).map(({ line }) => line),
    );
  });
});

describe('a run of the engines', () => {
  it('ends at once when the head moves, its check run neutral, and the new head is looked at', async () => {
    const pipeline = startQuality();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    pipeline.whileRunning('head', async (signal) => {
      pipeline.github.change({ headSha: fakeSha('next') });
      await pipeline.evaluate();
      expect(signal.aborted).toBe(true);
    });
    await pipeline.runQuality();
    const first = pipeline.qualityChecks()[0]?.content;
    await pipeline.runQuality();

    expect(first).toMatchObject({ headSha: HEAD, conclusion: 'neutral', title: 'Superseded by a newer commit' });
    expect(pipeline.qualityChecks()[1]?.content).toMatchObject({ headSha: fakeSha('next'), conclusion: 'success' });
  });

  it('ends so, too, where nobody enabled Ratchet: a webhook told of the new head', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    pipeline.whileRunning('head', async () => {
      const { headRef, baseRef } = pipeline.github.facts();
      const where = { repository: aRepository(), number: 7, headRef, baseRef, headSha: fakeSha('next') };
      pipeline.github.change({ headSha: where.headSha });
      pipeline.store.ingest([aDelivery('pushed', { kind: 'pull_request_changed', ...where })]);
      await pipeline.evaluate();
    });
    await pipeline.runQuality();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => [content.headSha, content.conclusion])).toEqual([
      [HEAD, 'neutral'],
      [fakeSha('next'), 'success'],
    ]);
  });

  it.each(['REF_LAGS', 'FETCH_FAILED'] as const)(
    'goes on by itself after any number of %s, with one check run',
    async (code) => {
      const pipeline = startQuality();
      await pipeline.evaluate();
      for (let tries = 0; tries < 5; tries += 1) {
        pipeline.git.failNext('ensureMirror', new RepositoryError(code, 'not yet', { retry: 'later' }));
        await expect(pipeline.runQuality()).rejects.toThrow('not yet');
      }
      await pipeline.runQuality();

      expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'success' } }]);
    },
  );

  it('that waits for a head that is not wanted any more is closed', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    pipeline.git.failNext('ensureMirror', new RepositoryError('REF_LAGS', 'not yet', { retry: 'later' }));
    await expect(pipeline.runQuality()).rejects.toThrow('not yet');
    pipeline.github.change({ headSha: fakeSha('next') });
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => [content.headSha, content.status])).toEqual([
      [HEAD, 'completed'],
      [fakeSha('next'), 'completed'],
    ]);
  });

  it('has a limit, and says that it was reached', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    pipeline.whileRunning('head', () => pipeline.clock.advance(DEFAULT_TOTAL_MINUTES * 60_000));
    await pipeline.runQuality();

    expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'timed_out' } }]);
    expect(pipeline.git.removedSessions).toHaveLength(1);
  });

  it('has the limit that the operator sets, longer or shorter', async () => {
    const told = async (totalMinutes: number, passedMinutes: number): Promise<unknown> => {
      const pipeline = startQuality();
      pipeline.limit({ engines: { totalMinutes } });
      await pipeline.evaluate();
      pipeline.whileRunning('head', () => pipeline.clock.advance(passedMinutes * 60_000));
      await pipeline.runQuality();
      return pipeline.qualityChecks()[0]?.content.summary;
    };

    expect(await told(2, 2)).toContain('more than 2 minutes');
    expect(await told(90, 61)).not.toContain('minutes');
  });

  it('says that a repository is too large', async () => {
    const pipeline = startQuality();
    pipeline.git.failNext('ensureMirror', new RepositoryError('REPO_TOO_LARGE', 'large', { retry: 'never' }));
    await pipeline.evaluate();
    await pipeline.runQuality();

    expect(pipeline.qualityChecks()).toMatchObject([{ content: { conclusion: 'action_required' } }]);
    expect(pipeline.qualityChecks()[0]?.content.summary).toContain(String.raw`(REPO\_TOO\_LARGE)`);
  });

  it('that the process did not outlive is never green, and made anew in a check run of its own', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    const stopping = new AbortController();
    pipeline.whileRunning('head', () => stopping.abort(new Error('the service stops')));
    await expect(pipeline.runQuality({ signal: stopping.signal })).rejects.toThrow('the service stops');
    await pipeline.runQuality();

    expect(pipeline.qualityChecks().map(({ content }) => [content.conclusion, content.title])).toEqual([
      ['action_required', 'Interrupted'],
      ['success', 'No new findings'],
    ]);
    expect(pipeline.git.removedSessions).toHaveLength(3);
    expect(pipeline.store.runningQualityRuns()).toEqual([]);
  });

  it('that fails for reasons of ours is tried three times, then a person is asked', async () => {
    const pipeline = startQuality();
    await pipeline.evaluate();
    for (let tries = 0; tries < 3; tries += 1) {
      pipeline.git.failNext('listFiles', new RepositoryError('DISK_FAILED', 'full', { retry: 'later' }));
      await expect(pipeline.runQuality()).rejects.toThrow('full');
    }
    await pipeline.runQuality();

    expect(pipeline.sides).toEqual([]);
    expect(pipeline.qualityChecks().map(({ content }) => content.conclusion)).toEqual([
      'action_required',
      'action_required',
      'action_required',
      'action_required',
    ]);
    expect(pipeline.isQualityDue()).toBe(false);
  });

  it('does not begin on what is closed, gone or out of reach', async () => {
    for (const prepare of [
      (pipeline: QualityPipeline) => pipeline.github.change({ state: 'closed' }),
      (pipeline: QualityPipeline) => pipeline.github.remove(),
      (pipeline: QualityPipeline) => pipeline.takeAppOff(),
    ]) {
      const pipeline = startQuality();
      await pipeline.evaluate();
      prepare(pipeline);
      await pipeline.runQuality();
      expect(pipeline.qualityChecks()).toEqual([]);
    }
  });
});
