import { describe, expect, it } from 'vitest';
import { type AttemptCause, TASK_CAUSES, TASK_RUN_STATUSES, TASK_STATUSES } from '../../../src/core/model/task.ts';
import { MAX_UNCOUNTED, settleAttempt } from '../../../src/core/tasks/settle-attempt.ts';

const task = { retryPolicy: { maxRetries: 2 } };
const failed = (cause: AttemptCause, earlier: readonly (AttemptCause | null)[] = []) =>
  settleAttempt(
    task,
    { kind: 'failed', cause, detail: 'why' },
    earlier.map((each) => ({ cause: each })),
  );
const again = { status: 'queued', cause: null, causeDetail: '', endsRun: false };
const capped = { status: 'blocked', cause: 'RETRY_CAP', causeDetail: 'why', endsRun: false };

describe('a task after an attempt', () => {
  it('has one of the statuses of the document (001.R6, R44)', () => {
    expect(TASK_STATUSES).toEqual(['queued', 'running', 'succeeded', 'blocked', 'abandoned']);
    expect(TASK_RUN_STATUSES).toEqual(['running', 'succeeded', 'failed', 'aborted']);
    expect(TASK_CAUSES).toContain('HELD');
  });

  it('succeeded with its attempt', () => {
    expect(settleAttempt(task, { kind: 'succeeded' }, [{ cause: 'NO_CHANGE' }])).toEqual({
      ...again,
      status: 'succeeded',
    });
  });

  it('is tried again after a failure, as often as its retry policy allows (001.R43, C16)', () => {
    expect(failed('VALIDATION_FAILED')).toEqual(again);
    expect(failed('NO_CHANGE', ['VALIDATION_FAILED'])).toEqual(again);
    expect(failed('CRITERIA_NOT_MET', ['VALIDATION_FAILED', 'NO_CHANGE'])).toEqual(capped);
  });

  it('counts an attempt that succeeded before for nothing', () => {
    expect(failed('NO_CHANGE', ['NO_CHANGE', null])).toEqual(again);
  });

  it('is never tried again without retries (001.R43)', () => {
    const end = { kind: 'failed', cause: 'NO_CHANGE', detail: 'why' } as const;

    expect(settleAttempt({ retryPolicy: { maxRetries: 0 } }, end, [])).toEqual(capped);
  });

  it('is blocked at once if the agent says that it cannot be done', () => {
    expect(failed('AGENT_BLOCKED')).toEqual({ ...capped, cause: 'AGENT_BLOCKED' });
  });

  it('waits for a person if its change is held, and is not tried again (S28)', () => {
    expect(settleAttempt(task, { kind: 'held', detail: 'only tests' }, [])).toEqual({
      status: 'blocked',
      cause: 'HELD',
      causeDetail: 'only tests',
      endsRun: false,
    });
  });

  it.each(['LEASE_EXPIRED', 'INTERRUPTED'] as const)('loses no retry by %s, but not without end', (cause) => {
    const many = (count: number) => Array.from({ length: count }, () => cause);

    expect(failed('NO_CHANGE', ['NO_CHANGE', ...many(MAX_UNCOUNTED)])).toEqual(again);
    expect(failed(cause, many(MAX_UNCOUNTED - 1))).toEqual(again);
    expect(failed(cause, many(MAX_UNCOUNTED))).toEqual(capped);
  });

  it.each([
    'MODEL_RATE_LIMITED',
    'MODEL_AUTH',
    'AGENTS_SWITCHED_OFF',
    'AGENT_UNAVAILABLE',
    'SANDBOX_UNAVAILABLE',
    'BUDGET_EXHAUSTED',
    'BUDGET_PERIOD_EXHAUSTED',
  ] as const)('ends the run and loses no retry by %s, which would meet every task', (cause) => {
    expect(failed(cause, ['NO_CHANGE', 'NO_CHANGE'])).toEqual({ ...again, endsRun: true });
  });

  it.each(['CONTEXT_TOO_LONG', 'MODEL_REFUSED', 'AGENT_TIMEOUT', 'CRITERIA_NOT_MET'] as const)(
    'does not end the run by %s, which is its own',
    (cause) => {
      expect(failed(cause)).toEqual(again);
    },
  );
});
