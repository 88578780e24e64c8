import { describe, expect, it } from 'vitest';
import type { WaitingChange } from '../../../src/pipeline/tasks/integrate-changes.ts';
import { createIntegrationQueue } from '../../../src/pipeline/tasks/integration-queue.ts';
import { fakeSha } from '../../support/store.ts';
import { aPlannedTask, aTaskRun, QUEUED } from '../../support/task-store.ts';

function aWaiting(id: number, signal = new AbortController().signal): WaitingChange {
  const task = { ...aPlannedTask(String(id)), ...QUEUED, id, runId: aTaskRun().id };
  const change = { task, from: fakeSha('from'), commitSha: fakeSha(String(id)), attemptName: `t${String(id)}a1` };
  return { change: { ...change, validation: { task, before: null } }, signal, settle: async () => undefined };
}

/** A queue whose batches end when the test says so. */
function aQueue() {
  const batches: {
    readonly ids: readonly number[];
    readonly signal: AbortSignal;
    readonly end: PromiseWithResolvers<undefined>;
  }[] = [];
  const queue = createIntegrationQueue(async (waiting, signal) => {
    const end = Promise.withResolvers<undefined>();
    batches.push({ ids: waiting.map(({ change }) => change.task.id), signal, end });
    await end.promise;
  });
  return { queue, batches, settled: async () => new Promise(setImmediate) };
}

describe('the queue of changes', () => {
  it('hands the first one on at once, and all that came meanwhile together, in their order', async () => {
    const { queue, batches, settled } = aQueue();
    const first = queue(aWaiting(1));
    await settled();
    const others = [queue(aWaiting(2)), queue(aWaiting(3))];
    await settled();
    expect(batches.map(({ ids }) => ids)).toEqual([[1]]);

    batches[0]?.end.resolve(undefined);
    await first;
    await settled();

    expect(batches.map(({ ids }) => ids)).toEqual([[1], [2, 3]]);
    batches[1]?.end.resolve(undefined);
    await Promise.all(others);
  });

  it('fails all changes of a batch that fails, and goes on with the next one', async () => {
    const { queue, batches, settled } = aQueue();
    const failing = [queue(aWaiting(1)), queue(aWaiting(2))].map((one) => one.catch((error: unknown) => error));
    await settled();
    const next = queue(aWaiting(3));
    batches[0]?.end.reject(new Error('no disk'));

    expect(await Promise.all(failing)).toEqual([new Error('no disk'), new Error('no disk')]);
    await settled();
    batches[1]?.end.resolve(undefined);
    await next;
    expect(batches.map(({ ids }) => ids)).toEqual([[1, 2], [3]]);
  });

  it('ends a batch only where nobody in it may go on', async () => {
    const { queue, batches, settled } = aQueue();
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [queue(aWaiting(1, one.signal)), queue(aWaiting(2, two.signal))];
    await settled();
    one.abort(new Error('its time is over'));
    expect(batches[0]?.signal.aborted).toBe(false);

    two.abort(new Error('its time is over, too'));

    expect(batches[0]?.signal.reason).toEqual(new Error('its time is over'));
    batches[0]?.end.resolve(undefined);
    await Promise.all(both);
  });
});
