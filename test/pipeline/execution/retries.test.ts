import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import type { ActionEnd } from '../../../src/ports/execution.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import {
  type Act,
  aNoteAdapter,
  aNoteBook,
  anExecution,
  aPlan,
  createTimers,
  DONE,
  FAILED,
} from './execution-fixture.ts';

const TRANSIENT: ActionEnd = { kind: 'failed', isTransient: true, message: 'it broke', output: '', costUsd: null };

/** An act whose starts end one after the other like this; the last end stays. */
function inTurn(...ends: readonly ActionEnd[]): Act {
  let turn = 0;
  return async () => {
    const end = ends[Math.min(turn, ends.length - 1)] ?? DONE;
    turn += 1;
    return end;
  };
}

describe('a step that failed', () => {
  it('starts again if the cause is transient, after what it did was undone and a while has passed (004.R23, R27)', async () => {
    const timers = createTimers(5000);
    const place = aNoteBook();
    const acts = { 1: inTurn(TRANSIENT, TRANSIENT, DONE) };
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(place, acts, timers));

    expect(results.get('1')).toMatchObject({ state: 'completed', attempts: 3 });
    expect(place.log.filter((line) => !line.startsWith('end'))).toEqual([
      'start 1',
      'undo 1',
      'start 1',
      'undo 1',
      'start 1',
    ]);
    expect(timers.started.filter((ms) => ms < 5000)).toEqual([500, 1000]);
  });

  it('starts at most max_retries + 1 times (S35)', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep(1, [], { max_retries: 2 }), aStep(2, [], { max_retries: 0 })]);
    const acts = { 1: inTurn(TRANSIENT), 2: inTurn(TRANSIENT) };
    const { results } = await executePlan(plan, anExecution(place, acts, createTimers(5000)));

    expect([results.get('1')?.attempts, results.get('2')?.attempts]).toEqual([3, 1]);
    expect(results.get('1')).toMatchObject({ state: 'failed', cause: { code: 'ACTION_FAILED', message: 'it broke' } });
  });

  it('starts again without an undo if its start did nothing, so what a step beside it did stays (004.R27)', async () => {
    const place = aNoteBook();
    const acts = { 1: inTurn({ ...TRANSIENT, hasActed: false }, DONE) };
    const { results } = await executePlan(aPlan([aStep(1), aStep(2)]), anExecution(place, acts, createTimers(5000)));

    expect([results.get('1')?.state, results.get('2')?.state]).toEqual(['completed', 'completed']);
    expect(place.log.filter((line) => line.startsWith('undo'))).toEqual([]);
    expect(place.notes).toEqual(new Set(['1', '2']));
  });

  it('does not start again if its undo restores the whole place, and says so (004.R27)', async () => {
    const place = aNoteBook();
    const adapter = aNoteAdapter({ 1: inTurn(TRANSIENT, DONE) }, { restoresPlace: () => true });
    const registry = createExecutionToolRegistry([adapter]);
    const change = { ...createTimers(5000), registry };
    const { results } = await executePlan(aPlan([aStep(1), aStep(2)]), anExecution(place, {}, change));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 1 });
    expect(results.get('1')?.cause?.message).toContain('would take back what other steps did');
    expect(place.notes).toEqual(new Set(['1', '2']));
  });

  it('does not start again if the cause is not transient', async () => {
    const place = aNoteBook();
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(place, { 1: inTurn(FAILED, DONE) }));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 1 });
  });

  it('is charged for each start, and does not start again if that does not fit into the budget (004.R18, R27)', async () => {
    const timers = createTimers(5000);
    const plan = aPlan([aStep(1, [], { estimate_usd: 0.04, max_retries: 5 })], 0.1);
    const { results } = await executePlan(plan, anExecution(aNoteBook(), { 1: inTurn(TRANSIENT) }, timers));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 2, costUsd: 0.08 });
    expect(results.get('1')?.cause?.message).toContain('does not fit into the budget');
  });

  it('does not start again if what it did cannot be undone', async () => {
    const undo = async () => {
      throw new Error('the disk is full');
    };
    const registry = createExecutionToolRegistry([aNoteAdapter({ 1: inTurn(TRANSIENT, DONE) }, { undo })]);
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(aNoteBook(), {}, { registry }));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 1 });
    expect(results.get('1')?.cause?.message).toContain('its undo failed: the disk is full');
  });

  it('is cancelled while it waits for its next start', async () => {
    const stop = new AbortController();
    const timers = createTimers();
    const place = aNoteBook();
    const run = executePlan(
      aPlan([aStep(1)]),
      anExecution(place, { 1: inTurn(TRANSIENT) }, { ...timers, signal: stop.signal }),
    );
    await expect.poll(() => timers.started).toContain(500);
    stop.abort();

    expect((await run).results.get('1')).toMatchObject({ state: 'failed', attempts: 1, cause: { code: 'CANCELLED' } });
  });
});
