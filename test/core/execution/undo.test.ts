import { describe, expect, it } from 'vitest';
import { applyUndo, toRollback } from '../../../src/core/execution/apply-undo.ts';
import { toBatches } from '../../../src/core/execution/plan-batches.ts';
import { type LeftStep, splitLeft, undoesRun } from '../../../src/core/execution/resume.ts';
import { toSkipped } from '../../../src/core/execution/track-plan.ts';
import { type ExecutedStep, generateUndoPlan, toRollbackOrder } from '../../../src/core/execution/undo-plan.ts';
import { findPlanErrors, InvalidPlanError } from '../../../src/core/execution/validate-plan.ts';
import { aResult, aStep } from './plan-steps.ts';

function executed(
  key: string,
  sequence: number,
  compensation: ExecutedStep['compensation'] = { undo: key },
): ExecutedStep {
  return { key, actionType: 'create_file', sequence, compensation };
}

// Ids are no order: 10 started first, and 2 last.
const RUN = [executed('10', 1), executed('read', 2, null), executed('1', 3), executed('2', 4)];

describe('what a rollback undoes', () => {
  it.each<[string, string | number | null, readonly string[] | null]>([
    ['everything, newest start first', null, ['2', '1', '10']],
    ['what started after a step, not the step', 10, ['2', '1']],
    ['what started after a step that has nothing to undo itself', 'read', ['2', '1']],
    ['nothing after the last step', '2', []],
    ['no guess after a step that never started', 7, null],
  ])('is %s (004.R14)', (_what, from, keys) => {
    expect(toRollbackOrder(RUN.toReversed(), from)?.map(({ key }) => key) ?? null).toEqual(keys);
  });
});

describe('a generated undo plan', () => {
  it('is a chain, newest first, in which an undo follows also one that failed (004.R16)', () => {
    const plan = generateUndoPlan(RUN, '10');

    expect(plan?.steps).toEqual([
      expect.objectContaining({
        ...{
          step_id: 1,
          action_type: 'undo_step',
          depends_on: [],
          when: null,
          description: 'Undo step "2" (create_file)',
        },
        params: { step: '2', action_type: 'create_file', compensation: { undo: '2' } },
      }),
      expect.objectContaining({
        ...{ step_id: 2, depends_on: [1], when: { step: 1, is: 'ended' } },
        params: { step: '1', action_type: 'create_file', compensation: { undo: '1' } },
      }),
    ]);
    expect(toBatches(plan?.steps ?? []).batches.map((batch) => batch.length)).toEqual([1, 1]);
    expect(findPlanErrors(plan?.steps ?? [], { supported: new Set(['undo_step']) })).toEqual([]);
  });

  it('has no steps if there is nothing to undo, and does not exist after a step that never started', () => {
    expect(generateUndoPlan(RUN, '2')?.steps).toEqual([]);
    expect(generateUndoPlan(RUN, 'x')).toBeNull();
  });
});

describe('the result of a step whose run is undone', () => {
  const own = { code: 'ACTION_FAILED', step: null, message: 'It broke.' } as const;
  const stopped = { code: 'CANCELLED', step: null, message: 'Stopped.' } as const;
  const undone = { isUndone: true, note: null };

  it.each([
    ['a completed one', aResult(), undone, 'rolled_back', 'Step 2 failed, which undoes the run.'],
    ['one with nothing to undo', aResult(), null, 'rolled_back', 'Step 2 failed, which undoes the run.'],
    [
      'one that leaves something',
      aResult(),
      { isUndone: true, note: 'Left: dist.' },
      'rolled_back',
      'Step 2 failed, which undoes the run. Left: dist.',
    ],
    [
      'one that was stopped for it',
      aResult({ state: 'failed', cause: stopped }),
      undone,
      'rolled_back',
      'Step 2 failed, which undoes the run.',
    ],
    [
      'one whose undo failed',
      aResult(),
      { isUndone: false, note: 'No space.' },
      'rollback_failed',
      'Step 2 failed, which undoes the run. It could not be undone: No space.',
    ],
    [
      'a failed one whose undo failed',
      aResult({ state: 'failed', cause: own }),
      { isUndone: false, note: null },
      'rollback_failed',
      'It broke. It could not be undone:',
    ],
  ])('says what became of %s (S38)', (_what, before, end, ...[state, message]) => {
    expect(applyUndo(before, 2, end)).toMatchObject({ state, cause: { code: 'ROLLBACK', step: 2, message } });
  });

  it('stays if it failed by itself, or was skipped', () => {
    const failed = aResult({ state: 'failed', cause: own });
    const skipped = toSkipped({ code: 'BUDGET', step: null, message: '' });

    expect(applyUndo(failed, 2, undone)).toBe(failed);
    expect(applyUndo(skipped, 2, null)).toBe(skipped);
  });
});

describe('what another process goes on with', () => {
  const left = (key: string, change: Partial<LeftStep> = {}): LeftStep => ({
    ...{ key, result: aResult(), starts: { first: 1, last: 1 }, restoresPlace: false },
    ...change,
  });
  const skipped = (code: 'BUDGET' | 'DEPENDENCY') => toSkipped({ code, step: null, message: '' });
  const stopped = aResult({ state: 'failed', cause: { code: 'CANCELLED', step: null, message: '' } });

  const toKeys = (steps: readonly LeftStep[]) => {
    const { kept, again } = splitLeft(steps);
    return { kept: kept.map(({ key }) => key), again: again.map(({ key }) => key) };
  };

  it('keeps what ended by itself; what was stopped, unfinished or skipped for another step is judged anew (004.R30)', () => {
    const failed = aResult({ state: 'failed', cause: { code: 'TIMEOUT', step: null, message: '' } });

    expect(
      toKeys([
        left('done'),
        left('failed', { result: failed, starts: { first: 2, last: 2 } }),
        left('no money', { result: skipped('BUDGET'), starts: { first: 0, last: 0 } }),
        left('skipped', { result: skipped('DEPENDENCY'), starts: { first: 0, last: 0 } }),
        left('stopped', { result: stopped, starts: { first: 3, last: 3 } }),
        left('half done', { result: null, starts: { first: 4, last: 4 } }),
      ]),
    ).toEqual({ kept: ['done', 'failed', 'no money'], again: ['half done', 'stopped', 'skipped'] });
  });

  it('repeats steps whose work goes with an undo that restores the whole place, and those with theirs in turn', () => {
    const before = left('before', { starts: { first: 1, last: 1 } });
    const besideFirst = left('beside the first', { starts: { first: 2, last: 3 } });
    const first = left('first', { starts: { first: 3, last: 5 }, restoresPlace: true });
    const second = left('second', { result: null, starts: { first: 4, last: 4 }, restoresPlace: true });
    const after = left('after', { starts: { first: 5, last: 5 } });

    expect(toKeys([before, besideFirst, first, second, after])).toEqual({
      kept: ['before'],
      again: ['after', 'second', 'first', 'beside the first'],
    });
  });
});

describe('an invalid plan', () => {
  it('is an error with all that is wrong', () => {
    const errors = findPlanErrors([], { supported: new Set() });
    const error = new InvalidPlanError(errors);

    expect(error).toMatchObject({ code: 'PLAN_INVALID', retry: 'never', errors, message: 'The plan has no steps.' });
  });
});

describe('a run whose process ended', () => {
  const cause = (code: 'ACTION_FAILED' | 'CANCELLED' | 'ROLLBACK', step: number | null = null) => ({
    code,
    step,
    message: '',
  });
  const undoes = aStep(1, [], { rollback_on_fail: true });

  it.each([
    ['after a failure that undoes it', undoes, aResult({ state: 'failed', cause: cause('ACTION_FAILED') }), true],
    [
      'if that step could not be undone either',
      undoes,
      aResult({ state: 'rollback_failed', cause: cause('ROLLBACK', 1) }),
      true,
    ],
    [
      'not for a step that could not be undone for another',
      undoes,
      aResult({ state: 'rollback_failed', cause: cause('ROLLBACK', 2) }),
      false,
    ],
    ['not after it was stopped', undoes, aResult({ state: 'failed', cause: cause('CANCELLED') }), false],
    ['not after a success', undoes, aResult(), false],
    [
      'not after a failure without the mark',
      aStep(1),
      aResult({ state: 'failed', cause: cause('ACTION_FAILED') }),
      false,
    ],
  ])('is undone by the next one %s (004.R26)', (_what, step, result, expected) => {
    expect(undoesRun(step, result)).toBe(expected);
  });

  it('gives steps that never start the step whose failure undoes the run', () => {
    expect(toRollback('b')).toMatchObject({ code: 'ROLLBACK', step: 'b' });
    expect(toRollback('b').message).toContain('"b" failed');
  });
});
