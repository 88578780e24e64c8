import { describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../../src/core/model/task.ts';
import { planTasks, type TasksInput } from '../../../src/core/tasks/plan-tasks.ts';
import { findGone, isHolding } from '../../../src/core/tasks/task-history.ts';
import { aKnown, aLint, aSource, aTasksInput, aTest, found } from './task-stories.ts';

const findings = found('eslint', [aLint('a.js'), aLint('b.js')]);
const [first] = planTasks(aTasksInput({ findings })).tasks;
const own = { fingerprint: first?.fingerprint ?? '', findings: first?.findings ?? [] };
const again = (known: TasksInput['known'], change: Partial<TasksInput> = {}) => {
  const plan = planTasks(aTasksInput({ findings, known, ...change }));
  return {
    tasks: plan.tasks.map(({ targets }) => targets.files[0]),
    reopened: plan.reopened,
    gone: plan.gone,
    why: plan.unplanned.map(({ finding, why }) => [finding.filePath, why]),
  };
};
const rest = { tasks: ['b.js'], reopened: [], gone: [], why: [['a.js', 'HELD_BACK']] };

describe('planning again (C19)', () => {
  it.each(['queued', 'running'] as const)('does not plan the findings of a task again that is %s', (status) => {
    expect(again([aKnown({ ...own, status, cause: null })])).toEqual(rest);
  });

  it.each(['RETRY_CAP', 'AGENT_BLOCKED', 'HELD', 'DEPENDENCY'] as const)(
    'does not revive a task of the run that is blocked by %s',
    (cause) => {
      expect(again([aKnown({ ...own, cause })])).toEqual(rest);
      // Its file lost another finding meanwhile, so that the rest of it would be a task of another fingerprint.
      expect(again([aKnown({ ...own, cause, fingerprint: 'other', findings: [...own.findings, 'repaired'] })])).toEqual(
        rest,
      );
    },
  );

  it('leaves a task blocked that an earlier run blocked, until the base changes (001.R17)', () => {
    const known = aKnown({ ...own, isOfRun: false });

    expect(again([known])).toEqual(rest);
    expect(again([known], { base: 'base-2' }).tasks).toEqual(['a.js', 'b.js']);
  });

  it('leaves it blocked until its finding changes', () => {
    expect(again([aKnown({ ...own, isOfRun: false, findings: ['what it was before'] })]).tasks).toEqual([
      'a.js',
      'b.js',
    ]);
  });

  it('plans what an earlier run never tried: it only waited, was open, or its run ended', () => {
    const statuses: readonly TaskStatus[] = ['queued', 'running', 'abandoned', 'succeeded'];

    expect(again([aKnown({ ...own, isOfRun: false, cause: 'DEPENDENCY' })]).tasks).toEqual(['a.js', 'b.js']);
    for (const status of statuses) {
      expect(again([aKnown({ ...own, isOfRun: false, status, cause: null })]).tasks).toEqual(['a.js', 'b.js']);
    }
  });

  it.each(['succeeded', 'abandoned'] as const)('queues a task of the run again that had %s and is back', (status) => {
    const known = aKnown({ ...own, status, cause: null, attempts: 2 });

    expect(again([known])).toEqual({ tasks: ['b.js'], reopened: [own.fingerprint], gone: [], why: [] });
  });

  it('does so only while it has attempts left (001.R43)', () => {
    const known = aKnown({ ...own, status: 'succeeded', cause: null, attempts: 3 });

    expect(again([known])).toEqual({ tasks: ['b.js'], reopened: [], gone: [], why: [['a.js', 'RETRY_CAP']] });
  });

  it('abandons a queued task whose findings are gone, if its engine looked at everything', () => {
    const known = aKnown({ fingerprint: 'x', status: 'queued', cause: null, findings: ['gone'] });
    const both = [aSource('eslint'), aSource('eslint', { isComplete: false }, 'packages/x')];

    expect(again([known]).gone).toEqual(['x']);
    expect(again([known], { sources: [aSource('eslint', { isComplete: false })] }).gone).toEqual([]);
    expect(again([known], { sources: both }).gone).toEqual([]);
    expect(again([known], { sources: [aSource('pytest')] }).gone).toEqual([]);
    expect(again([aKnown({ ...known, status: 'running' }), aKnown({ ...known, isOfRun: false })]).gone).toEqual([]);
  });

  it('keeps a queued task of which one finding is left', () => {
    const known = aKnown({ ...own, status: 'queued', findings: ['gone', ...own.findings] });

    expect(findGone([known], findings, () => true)).toEqual([]);
    expect(
      findGone(
        [
          aKnown({ ...known, fingerprint: 'y', findings: ['1'] }),
          aKnown({ ...known, fingerprint: 'x', findings: ['2'] }),
        ],
        findings,
        () => true,
      ),
    ).toEqual(['x', 'y']);
  });

  it('lets new tasks wait for an open systemic task of their files', () => {
    const systemic = aKnown({
      ...{ fingerprint: 'sys', taskType: 'refactor', status: 'running', cause: null },
      targets: { files: ['a.js', 'z.js'], testIds: [], modules: [] },
    });
    const wait = (known: TasksInput['known']) =>
      planTasks(aTasksInput({ findings, known })).tasks.map(({ dependsOn }) => dependsOn);

    expect(wait([systemic])).toEqual([['sys'], []]);
    expect(wait([aKnown({ ...systemic, status: 'succeeded' })])).toEqual([[], []]);
    expect(wait([aKnown({ ...systemic, taskType: 'fix' })])).toEqual([[], []]);
  });

  it('is not kept from anything by what has ended well', () => {
    expect(isHolding(aKnown({ status: 'succeeded', cause: null }), 'base-1')).toBe(false);
    expect(isHolding(aKnown({ status: 'abandoned', cause: 'RUN_ENDED' }), 'base-1')).toBe(false);
  });

  it('plans a test under its new fingerprint when it fails in another way', () => {
    const before = found('pytest', [aTest('tests/test_a.py', 'x')]);
    const after = found('pytest', [aTest('tests/test_a.py', 'x', { identity: 'KeyError|tests/test_a.py|x' })]);
    const known = [aKnown({ tool: 'pytest', findings: before.map(({ fingerprint }) => fingerprint) })];

    expect(again(known, { findings: before }).tasks).toEqual([]);
    expect(again(known, { findings: after }).tasks).toEqual(['tests/test_a.py']);
  });
});
