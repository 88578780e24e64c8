import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/model/task.ts';
import type { Collection, StoredAttempt, TaskRunSummary } from '../../../src/core/model/task-record.ts';
import { isRunClean, renderTaskRun, toTaskRunJson } from '../../../src/core/render/render-task-run.ts';
import { aPlannedTask, aTaskRun } from '../../support/task-store.ts';

const NO_COUNTS = { queued: 0, running: 0, succeeded: 0, blocked: 0, abandoned: 0 };

function aCollection(no: number, findings: number, change: Partial<Collection> = {}): Collection {
  return { no, stage: no === 1 ? 'baseline' : 'final', at: 0, incomplete: [], findings, ...change };
}

function aTask(change: Partial<Task> = {}): Task {
  const own = { id: 1, runId: aTaskRun().id, status: 'succeeded', cause: null, causeDetail: '' } as const;
  return { ...aPlannedTask('a', { title: 'tests *fail*' }), ...own, ...change };
}

function anAttempt(change: Partial<StoredAttempt> = {}): StoredAttempt {
  return {
    ...{ id: 1, taskId: 1, attemptNo: 1, status: 'succeeded', cause: null, detail: '', agentName: 'claude' },
    ...{ agentExitCode: 0, validationExitCode: 0, startedAt: 0, finishedAt: 1, summary: '', changeRef: null },
    ...{ diffStat: { files: 2, insertions: 3, deletions: 1 }, use: null, artifacts: [], ...change },
  };
}

function aSummary(change: Partial<TaskRunSummary> = {}): TaskRunSummary {
  const run = { ...aTaskRun(), status: 'succeeded', finishedAt: 9 } as const;
  return {
    run: { ...run, result: { branch: 'ratchet/run-1', reason: 'nothing is left' } },
    collections: [aCollection(1, 3), aCollection(2, 0)],
    tasks: [{ task: aTask(), attempts: [anAttempt()] }],
    ...{ counts: NO_COUNTS, costUsd: 0.5, ...change },
  };
}

const aPlace = (uncommitted: readonly string[] | null) => ({ uncommitted, artifacts: '/state/my artifacts' });
const OPEN = { ...aSummary().run, status: 'running', result: null, finishedAt: null } as const;

describe('the report of a run', () => {
  it('says as JSON what the store says', () => {
    const failed = anAttempt({ status: 'failed', cause: 'TESTS_DELETED', detail: 'Tests\nwere deleted.' });

    const reason: unknown = expect.stringMatching(/^TESTS_DELETED: Tests.were deleted/u);
    expect(toTaskRunJson(aSummary({ tasks: [{ task: aTask(), attempts: [failed, anAttempt()] }] }))).toEqual({
      runId: aTaskRun().id,
      status: 'succeeded',
      baseline: { findings: 3 },
      final: { findings: 0 },
      tasks: [
        {
          id: 1,
          type: 'fix',
          status: 'succeeded',
          attempts: [
            { status: 'failed', reason },
            { status: 'succeeded', reason: null },
          ],
        },
      ],
      branch: 'ratchet/run-1',
      costUsd: 0.5,
    });
    expect(toTaskRunJson(aSummary({ run: OPEN, collections: [] }))).toMatchObject({
      baseline: null,
      final: null,
      branch: null,
    });
  });

  it('gives no number where not everything could be looked at', () => {
    const incomplete = ['tsc: it crashed'];
    const summary = aSummary({ collections: [aCollection(1, 3), aCollection(2, 0, { incomplete })] });
    expect(toTaskRunJson(summary)).toMatchObject({ baseline: { findings: 3 }, final: { findings: null } });
    expect(renderTaskRun(summary, aPlace([]))).toContain('findings: 3 at first, at least 0 in the end');
  });

  it('is clean only if everything was looked at in the end and nothing was found', () => {
    expect(isRunClean(aSummary())).toBe(true);
    expect(isRunClean({ collections: [] })).toBe(false);
    expect(isRunClean({ collections: [aCollection(1, 1)] })).toBe(false);
    expect(isRunClean({ collections: [aCollection(1, 0, { incomplete: ['tsc: it crashed'] })] })).toBe(false);
  });

  it('tells people tasks, attempts and what was left out, with names that cannot format it', () => {
    const fixer = anAttempt({
      agentName: null,
      diffStat: null,
      status: 'failed',
      cause: 'NO_CHANGE',
      detail: 'Nothing.',
    });
    const blocked = aTask({ status: 'blocked', cause: 'HELD', causeDetail: 'look at it' });
    const text = renderTaskRun(
      aSummary({
        tasks: [
          { task: aTask(), attempts: [anAttempt()] },
          { task: blocked, attempts: [fixer] },
          { task: aTask({ status: 'abandoned', cause: 'GONE' }), attempts: [] },
        ],
        collections: [aCollection(1, 3), aCollection(2, 1, { incomplete: ['tsc: it crashed'] })],
      }),
      aPlace(['a.txt']),
    );

    expect(text).toContain('findings: 3 at first, at least 1 in the end');
    expect(text).toContain('**done**');
    expect(text).not.toContain('*fail*');
    expect(text).toContain('**blocked** (HELD: look at it)');
    expect(text).toContain('(GONE)');
    expect(text).toContain('attempt 1 by the fixer of the tool: failed, NO\\_CHANGE: Nothing.'.replace('\\_', '_'));
    expect(text).toContain('tsc: it crashed');
    expect(text).toContain('`a.txt`');
  });

  it('says where a held change is, and whose a quarantine is and when it ends', () => {
    const held = { status: 'blocked', cause: 'HELD' } as const;
    const description = 'test/a.test.ts > adds\nowner: team *core*\nexpires: 2026-12-24\nreason: Not passed.';
    const tasks = [
      { task: aTask(held), attempts: [anAttempt({ artifacts: ['r-t1a1/agent.stdout.log', 'r-t1a1/patch.diff'] })] },
      { task: aTask({ ...held, id: 2, taskType: 'quarantine', description }), attempts: [anAttempt()] },
    ];
    const text = renderTaskRun(aSummary({ tasks }), aPlace([]));

    expect(text).toContain("`git apply '/state/my artifacts/r-t1a1/patch.diff'`");
    expect(text).toMatch(/2\. tests .*\n {2}- test.*adds\n {2}- owner: team .*core.*\n {2}- expires: 2026-12-24\n/u);
    expect(renderTaskRun(aSummary(), aPlace([]))).not.toContain('Held for you');
  });

  it('bounds its lists, and says what could not be listed', () => {
    const many = Array.from({ length: 201 }, () => ({ task: aTask(), attempts: [] }));
    const paths = Array.from({ length: 21 }, (_, index) => `f${String(index)}`);

    expect(renderTaskRun(aSummary({ tasks: many }), aPlace(paths))).toMatch(/and 1 more[\s\S]*and 1 more/u);
    const held = many.map(({ attempts }) => ({ attempts, task: aTask({ cause: 'HELD', status: 'blocked' }) }));
    expect(renderTaskRun(aSummary({ tasks: held }), aPlace([]))).toMatch(/and 1 more[\s\S]*and 1 more/u);
    expect(renderTaskRun(aSummary({ run: OPEN, collections: [] }), aPlace(null))).toMatch(
      /not looked for[\s\S]*branch: none[\s\S]*could not be listed/u,
    );
    expect(renderTaskRun(aSummary({ collections: [aCollection(1, 3)] }), aPlace([]))).not.toContain('in the end');
  });
});
