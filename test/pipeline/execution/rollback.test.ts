import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import { createRollbackManager } from '../../../src/pipeline/execution/rollback-manager.ts';
import { createUndoAdapter } from '../../../src/pipeline/execution/undo-action.ts';
import type { ActionAdapter } from '../../../src/ports/execution.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import {
  aNoteAdapter,
  aNoteBook,
  anExecution,
  aPlan,
  BOUND,
  createTimers,
  FAILED,
  type NoteBook,
  toStates,
  UNTIL_STOPPED,
} from './execution-fixture.ts';

const undoes = { rollback_on_fail: true };
const brokenUndo = (broken: string) => async (compensation: Readonly<Record<string, unknown>>, place: NoteBook) => {
  place.log.push(`undo ${String(compensation['note'])}`);
  if (compensation['note'] === broken) throw new Error('the disk is full');
  place.notes.delete(String(compensation['note']));
  return { note: null };
};

describe('a step with rollback_on_fail that fails', () => {
  it('undoes all completed steps and its own half-done work, newest first, and the rest is skipped (004.R4, R15)', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep(3), aStep(1, [3]), aStep(2, [1], undoes), aStep(4, [2])]);
    const { results, stats } = await executePlan(plan, anExecution(place, { 2: async () => FAILED }));

    expect(toStates(results)).toEqual({
      3: 'rolled_back ROLLBACK 2',
      1: 'rolled_back ROLLBACK 2',
      2: 'failed ACTION_FAILED null',
      4: 'skipped ROLLBACK 2',
    });
    expect(place.notes).toEqual(new Set());
    expect(place.log.slice(-3)).toEqual(['undo 2', 'undo 1', 'undo 3']);
    expect(stats).toMatchObject({ completed: 0, failed: 1, skipped: 1, rolledBack: 2, rollbackFailed: 0 });
  });

  it('stops running siblings and undoes them too (004.R15)', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep('running'), aStep('first'), aStep('fails', ['first'], undoes)]);
    const acts = { running: UNTIL_STOPPED, fails: async () => FAILED };
    const { results } = await executePlan(plan, anExecution(place, acts));

    expect(toStates(results)).toMatchObject({
      running: 'rolled_back ROLLBACK fails',
      first: 'rolled_back ROLLBACK fails',
    });
    expect(place.notes).toEqual(new Set());
  });

  it('goes on after an undo that fails, and reports it (004.R15, S38)', async () => {
    const place = aNoteBook();
    const acts = { 3: async () => FAILED };
    const registry = createExecutionToolRegistry([aNoteAdapter(acts, { undo: brokenUndo('2') })]);
    const plan = aPlan([aStep(1), aStep(2, [1]), aStep(3, [2], undoes)]);
    const { results, stats } = await executePlan(plan, anExecution(place, {}, { registry }));

    expect(toStates(results)).toMatchObject({ 1: 'rolled_back ROLLBACK 3', 2: 'rollback_failed ROLLBACK 3' });
    expect(results.get('2')?.cause?.message).toContain('the disk is full');
    expect(place.notes).toEqual(new Set(['2']));
    expect(stats).toMatchObject({ failed: 1, rolledBack: 1, rollbackFailed: 1 });
  });

  it('also undoes the half-done work of steps that had failed before', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep(1), aStep(2, [], { ...undoes, when: { step: 1, is: 'failed' } })]);
    const { results } = await executePlan(plan, anExecution(place, { 1: async () => FAILED, 2: async () => FAILED }));

    expect(toStates(results)).toEqual({ 1: 'failed ACTION_FAILED null', 2: 'failed ACTION_FAILED null' });
    expect(place.notes).toEqual(new Set());
  });

  it('undoes nothing without that mark, and nothing if the run was only stopped', async () => {
    const place = aNoteBook();
    await executePlan(aPlan([aStep(1), aStep(2, [1])]), anExecution(place, { 2: async () => FAILED }));
    const stopped = aNoteBook();
    const stop = new AbortController();
    const run = executePlan(
      aPlan([aStep(1), aStep(2, [1], undoes)]),
      anExecution(stopped, { 2: UNTIL_STOPPED }, { signal: stop.signal }),
    );
    await expect.poll(() => stopped.log).toContain('start 2');
    stop.abort();

    expect((await run).results.get('1')?.state).toBe('completed');
    expect(place.log.filter((line) => line.startsWith('undo'))).toEqual([]);
    expect(stopped.log.filter((line) => line.startsWith('undo'))).toEqual([]);
  });
});

describe('the rollback manager', () => {
  function aManager(undo: ActionAdapter<NoteBook>['undo'] = brokenUndo('none')) {
    const place = aNoteBook();
    const timers = createTimers();
    const registry = createExecutionToolRegistry([aNoteAdapter({}, { undo })]);
    const manager = createRollbackManager({ registry, place, limit: { ...timers, ms: 300_000, graceMs: 10 } });
    // The ids are in no order.
    for (const [index, key] of ['b', 'read', 'c', 'a'].entries()) {
      const compensation = key === 'read' ? null : { note: key };
      manager.record({ key, actionType: 'run_command', sequence: index + 1, compensation });
      place.notes.add(key);
    }
    return { manager, place, registry, timers };
  }

  it('undoes what started after a step, newest first, and leaves the step (004.R14)', async () => {
    const { manager, place } = aManager();
    const undone = await manager.rollbackTo('b');

    expect(undone).toEqual([
      { key: 'a', isUndone: true, note: null },
      { key: 'c', isUndone: true, note: null },
    ]);
    expect(place.notes).toEqual(new Set(['b', 'read']));
  });

  it('undoes nothing twice, but tries again what failed (004.R14)', async () => {
    const { manager, place } = aManager(brokenUndo('c'));
    await manager.rollbackTo(null);
    await manager.rollbackTo(null);

    expect(place.log).toEqual(['undo a', 'undo c', 'undo b', 'undo c']);
    expect(await manager.undo('a')).toBeNull();
    expect(await manager.undo('never started')).toBeNull();
  });

  it('does not take a step that never started for the beginning', async () => {
    const { manager, place } = aManager();

    await expect(manager.rollbackTo('x')).rejects.toThrow('never started');
    expect(() => manager.generateUndoPlan('x')).toThrow('never started');
    expect(place.log).toEqual([]);
  });

  it('leaves an undo that does not end, and goes on', BOUND, async () => {
    const { manager, timers } = aManager(() => new Promise(() => {}));
    const rollback = manager.rollbackTo('c');
    await expect.poll(() => timers.started).toEqual([300_000]);
    timers.fire(300_000);
    timers.fire(10);

    expect(await rollback).toEqual([{ key: 'a', isUndone: false, note: 'It took longer than 300 s.' }]);
  });

  it('generates a plan that does the same when it is run, also past an undo that fails (004.R16)', async () => {
    const { manager, place, registry } = aManager(brokenUndo('a'));
    const undoing = createUndoAdapter(registry);
    const plan = manager.generateUndoPlan('b');
    const { results } = await executePlan(
      plan,
      anExecution(place, {}, { registry: createExecutionToolRegistry([undoing]) }),
    );

    expect(toStates(results)).toEqual({ 1: 'failed ACTION_FAILED null', 2: 'completed' });
    expect(place.log).toEqual(['undo a', 'undo c']);
  });

  it('carries out no undo of a type that nothing knows', async () => {
    const { manager, registry, place } = aManager();
    manager.record({ key: 'x', actionType: 'fly', sequence: 9, compensation: {} });
    const undoing = createUndoAdapter(registry);
    const step = aStep(1, [], {
      action_type: 'undo_step',
      params: { step: 'x', action_type: 'fly', compensation: {} },
    });
    const execution = anExecution(place, {}, { registry: createExecutionToolRegistry([undoing]) });

    expect(await manager.undo('x')).toMatchObject({ isUndone: false });
    expect((await executePlan(aPlan([step]), execution)).results.get('1')?.state).toBe('failed');
  });
});
