import { describe, expect, it } from 'vitest';
import { toCurrentRuns, type WorkflowRunFacts } from '../../../src/core/ci/current-runs.ts';

function aRun(change: Partial<WorkflowRunFacts> = {}): WorkflowRunFacts {
  return { workflow: 'ci', event: 'pull_request', age: [1, 1], status: 'completed', conclusion: 'success', ...change };
}

function current(...runs: readonly WorkflowRunFacts[]): readonly WorkflowRunFacts[] {
  const kept = toCurrentRuns(runs, (run) => run);
  expect(toCurrentRuns([...runs].reverse(), (run) => run)).toEqual([...kept].reverse());
  return kept;
}

const BLOCKED = aRun({ conclusion: 'action_required' });

describe('toCurrentRuns', () => {
  it('forgets a run that a newer one of the same workflow and event follows', () => {
    const newer = aRun({ age: [2, 1] });

    expect(current(BLOCKED, newer)).toEqual([newer]);
  });

  it('tells attempts of one run apart', () => {
    const second = aRun({ age: [1, 2], conclusion: 'failure' });

    expect(current(aRun(), second)).toEqual([second]);
    expect(current(aRun({ age: [2, 1] }), second)).toEqual([aRun({ age: [2, 1] })]);
  });

  it('keeps workflows and events apart (trap 142)', () => {
    const runs = [BLOCKED, aRun({ event: 'push', age: [2, 1] }), aRun({ workflow: 'docs', age: [3, 1] })];

    expect(current(...runs)).toEqual(runs);
  });

  it.each(['cancelled', 'stale'] as const)(
    'forgets a %s one that a newer run of the workflow replaced by another event (trap 2)',
    (conclusion) => {
      const calledOff = aRun({ event: 'push', conclusion });
      const newer = aRun({ age: [2, 1] });

      expect(current(calledOff, newer)).toEqual([newer]);
      expect(current({ ...calledOff, age: [3, 1] }, newer)).toHaveLength(2);
      expect(current(calledOff, { ...newer, workflow: 'docs' })).toHaveLength(2);
    },
  );

  it('keeps one of two that are told twice', () => {
    expect(toCurrentRuns([aRun(), aRun()], (run) => run)).toHaveLength(1);
  });
});
