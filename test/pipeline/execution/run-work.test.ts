import { describe, expect, it } from 'vitest';
import type { PlanChange } from '../../../src/pipeline/execution/plan-execution.ts';
import { runWork, type WorkStep } from '../../../src/pipeline/execution/run-work.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function anOffice(change: { readonly signal?: AbortSignal; readonly watch?: (change: PlanChange) => void } = {}) {
  return { clock: createFakeClock(), maxConcurrent: 4, signal: new AbortController().signal, ...change };
}

function aPart(id: string, after: readonly string[], act: WorkStep['act'] = async () => undefined): WorkStep {
  return { id, actionType: 'prepare', after, act };
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('stopped'));
    });
  });
}

describe('work as a plan', () => {
  it('does each step once, after those that it needs, and beside the others (004.R6, R7)', async () => {
    const log: string[] = [];
    const met = Promise.withResolvers<undefined>();
    const note = (id: string) => async (): Promise<undefined> => void log.push(id);
    await runWork(
      [
        aPart('last', ['left', 'right'], note('last')),
        aPart('left', [], async () => met.promise),
        aPart('right', [], async () => {
          log.push('right');
          met.resolve(undefined);
          return undefined;
        }),
      ],
      anOffice(),
    );

    expect(log).toEqual(['right', 'last']);
  });

  it('tells what each step cost', async () => {
    const changes: PlanChange[] = [];
    await runWork([aPart('a', [], async () => 0.25)], anOffice({ watch: (change) => void changes.push(change) }));

    expect(changes).toMatchObject([
      { kind: 'started', key: 'a' },
      { kind: 'ended', result: { costUsd: 0.25 } },
    ]);
  });

  it('without steps is done', async () => {
    await expect(runWork([], anOffice())).resolves.toBeUndefined();
  });

  it('stops what runs and starts nothing more after an error, and throws that very error', async () => {
    const error = new RangeError('the disk is full');
    const log: string[] = [];
    const work = runWork(
      [
        aPart('slow', [], async (signal) => untilStopped(signal)),
        aPart('broken', [], async () => {
          throw error;
        }),
        aPart('next', ['broken'], async () => void log.push('next')),
        aPart('beside', ['slow'], async () => void log.push('beside')),
      ],
      anOffice(),
    );

    await expect(work).rejects.toBe(error);
    expect(log).toEqual([]);
  });

  it('throws the reason of its signal, and only when no step runs any more', async () => {
    const stop = new AbortController();
    const log: string[] = [];
    const work = runWork(
      [
        aPart('slow', [], async (signal) => {
          const stopped = untilStopped(signal).catch(() => undefined);
          stop.abort(new RangeError('shut down'));
          await stopped;
          log.push('slow ended');
          return undefined;
        }),
        aPart('next', ['slow'], async () => void log.push('next')),
      ],
      anOffice({ signal: stop.signal }),
    );

    await expect(work).rejects.toThrow('shut down');
    expect(log).toEqual(['slow ended']);
  });
});
