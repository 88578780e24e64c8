import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseRunId } from '../../src/core/model/ids.ts';
import { aCheck, aComment, aThread, fakeSha, NOW } from '../support/builders.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { MINUTE_MS, type Pipeline, REVIEWER, resumePipeline } from '../support/pipeline-fixture.ts';
import { resumeQuality } from '../support/quality-fixture.ts';
import { temporaryFolder } from '../support/store.ts';

/** The newest migration of the version that wrote the rows. */
const LAST = 3;
const FIXTURES = fileURLToPath(new URL('run-lifecycle', import.meta.url));
const OLD_ID = 'id00000000000000000001';
const COMMIT = fakeSha('commit-1');
const RED = { checks: [aCheck({ conclusion: 'failure', workflowRunId: 900 })] };

/**
 * A database of the version before, at the instant at which its process was killed. Each file holds the rows of one pull request
 * as the code of that version (fa9fb37) wrote them, on the fakes of its own tests.
 */
function leftBy(name: string): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'ratchet.db');
  const database = createOldDatabase(path, LAST);
  database.pragma('foreign_keys = OFF');
  database.exec(readFileSync(join(FIXTURES, `${name}.sql`), 'utf8'));
  database.close();
  return path;
}

/** The commit that was kept lies in the mirror, which the process does not take with it. */
async function restoreMirror({ git, github, deps }: Pipeline): Promise<void> {
  const { signal } = new AbortController();
  const { number, headSha, baseRef } = github.facts();
  const { repository } = deps.store.ensureWorkspace({ repository: repositoryOf(deps.store), number });
  const token = await github.mintGitToken(repository, 'read', signal);
  const mirror = await git.ensureMirror(repository, { number, headSha, baseRef }, { url: 'x', token }, signal);
  const kept = { runId: parseRunId(OLD_ID), mirror, controlDir: '/c', workDir: '/w', headSha };
  await git.keepCommit(kept, { commitSha: COMMIT, as: 'intent' }, signal);
}

function repositoryOf(store: Pipeline['store']) {
  const repository = store.repository(10);
  if (repository === null) throw new Error('the repository is missing');
  return repository;
}

const codesOf = (pipeline: Pipeline) => pipeline.transitions().map(({ code }) => code);
const endsOf = (pipeline: Pipeline) => pipeline.endedSessions().map(({ id, outcome }) => [id, outcome?.kind]);

describe('a fixup that the version before left', () => {
  it('waiting for its run gets it', async () => {
    const pipeline = await resumePipeline(leftBy('launched'));

    await pipeline.runFixup();

    expect(endsOf(pipeline)).toEqual([[OLD_ID, 'pushed']]);
    expect(pipeline.git.removedSessions).toEqual([OLD_ID]);
  });

  it('running is recorded as died, its folders go, and it is launched anew without an attempt', async () => {
    const pipeline = await resumePipeline(leftBy('working'));

    await pipeline.runFixup();
    const { consecutiveAttempts, activeSessionId } = pipeline.workspace();
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect([consecutiveAttempts, activeSessionId]).toEqual([0, null]);
    expect(endsOf(pipeline).toReversed()).toMatchObject([
      [OLD_ID, 'died'],
      [expect.any(String), 'pushed'],
    ]);
    expect(pipeline.git.removedSessions[0]).toBe(OLD_ID);
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it('running is ended by a look where its own run never comes', async () => {
    const pipeline = await resumePipeline(leftBy('working'));
    pipeline.clock.advance(24 * 60 * MINUTE_MS);

    await pipeline.evaluate();

    expect(endsOf(pipeline)).toEqual([[OLD_ID, 'timed_out']]);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 2 } });
  });

  it('with a planned push makes it, once, without the agent', async () => {
    const pipeline = await resumePipeline(leftBy('planned-push'));
    await restoreMirror(pipeline);

    await pipeline.runFixup();

    expect(endsOf(pipeline)).toEqual([[OLD_ID, 'pushed']]);
    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: COMMIT });
    expect(pipeline.isDue('fixup')).toBe(false);
  });

  it('with a push that has arrived recognises it', async () => {
    const pipeline = await resumePipeline(leftBy('planned-push'));
    pipeline.pushFromOutside(COMMIT);

    await pipeline.runFixup();

    expect(endsOf(pipeline)).toEqual([[OLD_ID, 'pushed']]);
    expect(pipeline.journal).not.toContain('git.pushKept');
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: COMMIT });
  });

  it('with answers that are owed makes them, once', async () => {
    const at = { createdAt: NOW - 10 * MINUTE_MS, updatedAt: NOW - 10 * MINUTE_MS };
    const comments = [aComment({ author: REVIEWER, ...at })];
    const threads = ['thread-1', 'thread-2'].map((id) => aThread({ id, path: `src/${id}.ts`, comments }));
    const pipeline = await resumePipeline(leftBy('owed-answers'), { headSha: COMMIT, checks: [], threads });
    pipeline.clock.advance(2 * MINUTE_MS);

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(codesOf(pipeline).filter((code) => code === 'REVIEW_ANSWERED')).toHaveLength(1);
    expect(pipeline.github.calls.filter((call) => call === 'postReview')).toHaveLength(1);
    expect(pipeline.store.openAnswers(pipeline.key)).toEqual([]);
  });
});

describe('what the version before asked GitHub for', () => {
  it.each(['rerun-asked', 'rerun-cut-off'])('is not asked for twice: %s', async (name) => {
    const pipeline = await resumePipeline(leftBy(name), RED);

    await pipeline.evaluate();
    const awaited = pipeline.lastCode();
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect(awaited).toBe('RERUN_AWAITED');
    expect(pipeline.lastCode()).toBe('CI_FAILED');
    expect(pipeline.github.asked).toEqual([]);
  });

  it('shows a flake when the jobs are green', async () => {
    const pipeline = await resumePipeline(leftBy('rerun-asked'), {
      checks: [aCheck({ id: 2, startedAt: NOW, workflowRunId: 900 })],
    });
    pipeline.clock.advance(2 * MINUTE_MS);

    await pipeline.evaluate();

    expect(pipeline.workspace().flakes).toMatchObject([{ name: 'build', headSha: fakeSha('head') }]);
  });

  it('and GitHub refused is not waited for', async () => {
    const pipeline = await resumePipeline(leftBy('rerun-refused'), RED);

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('CI_FAILED');
    expect(pipeline.liveSession()).not.toBeNull();
    expect(pipeline.github.asked).toEqual([]);
  });

  it('may be asked for again where a person says so', async () => {
    const pipeline = await resumePipeline(leftBy('rerun-refused'), RED);
    // Who asks for a retry has the failure looked at again.
    pipeline.github.setJobLog('The hosted runner lost communication with the server.');
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.github.asked).toEqual(['rerunFailedJobs 900']);
  });

  it('of the branch is waited for, and recognised', async () => {
    const rules = {
      pushRefusals: [],
      mustBeUpToDate: true,
      requiredChecks: [],
      commitPatterns: [],
      dismissesStaleApprovals: true,
      mustResolveThreads: false,
    };
    const pipeline = await resumePipeline(leftBy('update-asked'), { merge: 'behind', rules });
    await pipeline.evaluate();
    const awaited = pipeline.lastCode();
    const { headSha, baseSha } = pipeline.github.facts();
    pipeline.github.change({ headSha: fakeSha('updated'), headParents: [headSha, baseSha], merge: 'clean' });

    await pipeline.evaluate();

    expect(awaited).toBe('UPDATE_AWAITED');
    expect(codesOf(pipeline)).toContain('BRANCH_UPDATED');
    expect(pipeline.github.calls).not.toContain('updateBranch');
  });
});

describe('a run of the engines that the version before left', () => {
  it('running is closed, its folders go, and it is repeated', async () => {
    const pipeline = await resumeQuality(leftBy('engines-running'));

    await pipeline.runQuality();

    expect(pipeline.store.qualityRuns(pipeline.key, 5)).toMatchObject([
      { status: 'finished', conclusion: 'success' },
      { id: OLD_ID, status: 'finished', conclusion: 'interrupted' },
    ]);
    const check = { key: pipeline.key, headSha: fakeSha('head'), name: 'Ratchet / quality', series: OLD_ID };
    expect(pipeline.store.checkRun(check)).toMatchObject({ checkRunId: 1, completed: true });
    expect(pipeline.git.removedSessions[0]).toBe(OLD_ID);
    expect(pipeline.sides.map(({ side }) => side.name)).toEqual(['head', 'base']);
  });

  it('unreported is told of, and not repeated', async () => {
    const pipeline = await resumeQuality(leftBy('engines-reporting'));

    await pipeline.runQuality();

    expect(pipeline.store.qualityRuns(pipeline.key, 5)).toMatchObject([{ id: OLD_ID, status: 'finished' }]);
    expect(pipeline.github.calls.filter((call) => call === 'updateCheckRun')).toHaveLength(1);
    expect(pipeline.sides).toEqual([]);
  });

  it('finished stays as it is', async () => {
    const pipeline = await resumeQuality(leftBy('engines-finished'));

    await pipeline.evaluate();

    expect(pipeline.isQualityDue()).toBe(false);
    expect(pipeline.store.qualityRuns(pipeline.key, 5)).toMatchObject([{ id: OLD_ID, conclusion: 'success' }]);
  });
});

describe('the migration', () => {
  it('keeps a copy of the database, and every intent', async () => {
    const path = leftBy('planned-push');
    await resumePipeline(path);
    const copy = new SqliteDatabase(`${path}.before-migration-${String(LAST + 2)}`, { readonly: true });
    const read = (database: SqliteDatabase.Database) => database.prepare('SELECT * FROM intents ORDER BY id').all();
    const now = new SqliteDatabase(path, { readonly: true });
    onTestFinished(() => {
      copy.close();
      now.close();
    });

    expect(read(copy)).toHaveLength(2);
    expect(read(now)).toEqual(read(copy));
  });
});
