import { Worker } from 'node:worker_threads';
import { toError } from '../../core/model/errors.ts';
import type { TestChangeVerdict } from '../../core/model/test-change.ts';
import type { Log } from '../../ports/log.ts';
import type { ChangedTexts, TestJudge } from '../../ports/test-judge.ts';

/** Many times what the largest honest change needs on a slow machine. */
const TIMEOUT_MS = 90_000;
/** Facts of the largest change that is read are a fraction of it. */
const MAX_HEAP_MB = 1024;

export interface TestJudgeOptions {
  /** The program of the thread. */
  readonly program: string;
  readonly log: Log;
  readonly timeoutMs?: number;
  readonly maxHeapMb?: number;
}

/**
 * Judges each change in a thread of its own, because a hostile change takes many seconds: the service goes on meanwhile. A thread that
 * takes too long or too much memory is ended, and the change is held. At most one thread waits for a change that is being made.
 */
export function createTestJudge({
  program,
  log,
  timeoutMs = TIMEOUT_MS,
  maxHeapMb = MAX_HEAP_MB,
}: TestJudgeOptions): TestJudge {
  let waiting: Worker | null = null;
  // Nothing of the service's environment or arguments is needed.
  const start = (): Worker =>
    new Worker(program, { env: {}, argv: [], execArgv: [], resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  const take = (): Worker => {
    const worker = waiting ?? start();
    waiting = null;
    return worker;
  };
  return {
    prepare: () => {
      if (waiting !== null) return;
      const worker = start();
      waiting = worker;
      worker.unref();
      const leave = (): void => {
        if (waiting === worker) waiting = null;
      };
      // A thread that cannot start is started again for the change, and then its error is told.
      worker.once('error', leave);
      worker.once('exit', leave);
    },
    judge: async (change, signal) => {
      signal.throwIfAborted();
      const worker = take();
      worker.ref();
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        return await answerOf(worker, change, AbortSignal.any([signal, deadline]));
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ error: toError(error) }, 'a change to tests could not be judged');
        return change.before.map(() => toUnjudged(change));
      } finally {
        await worker.terminate();
      }
    },
  };
}

function answerOf(worker: Worker, change: ChangedTexts, signal: AbortSignal): Promise<readonly TestChangeVerdict[]> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(toError(signal.reason)), { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread ended with code ${String(code)} and no answer`)));
    worker.postMessage(change);
  });
}

function toUnjudged({ before, after }: ChangedTexts): TestChangeVerdict {
  const [path = ''] = [...Object.keys(after), ...before.flatMap((side) => Object.keys(side))].sort();
  const message = 'The change takes too long to be judged, so nothing is known of what it does to tests.';
  return { verdict: 'held', facts: [{ code: 'UNREADABLE', path, line: null, message, is: 'held' }] };
}
