/** Runs CI tasks one at a time, because the machine is shared. */
export type CiQueue = {
  /** Queues a task. Its signal is aborted when the world closes. */
  readonly enqueue: (task: (signal: AbortSignal) => Promise<void>) => void;
  /** Runs a task after a delay, e.g. a slow workflow start. Cancelled when the world closes. */
  readonly later: (delayMs: number, task: () => Promise<void>) => void;
  /** Continues after a pause. */
  readonly wake: () => void;
  /** Resolves when nothing is queued, delayed or running. Never resolves while paused with queued tasks. */
  readonly settled: () => Promise<void>;
  /** Kills running commands and drops queued tasks. */
  readonly close: () => Promise<void>;
};

type QueueOptions = {
  readonly isPaused: () => boolean;
  /** Called with the error of a failed task, which is a bug of the world. */
  readonly onError: (error: unknown) => void;
};

export function createCiQueue(options: QueueOptions): CiQueue {
  const closing = new AbortController();
  const tasks: ((signal: AbortSignal) => Promise<void>)[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let idle: (() => void)[] = [];
  let running: Promise<void> | null = null;

  async function runOne(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await task(closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) options.onError(error);
    }
    running = null;
    step();
  }

  function step(): void {
    if (running !== null) return;
    if (tasks.length === 0 && timers.size === 0) {
      const waiting = idle;
      idle = [];
      for (const resolve of waiting) resolve();
    }
    if (options.isPaused() || closing.signal.aborted) return;
    const task = tasks.shift();
    if (task !== undefined) running = runOne(task);
  }

  function enqueue(task: (signal: AbortSignal) => Promise<void>): void {
    if (closing.signal.aborted) return;
    tasks.push(task);
    step();
  }

  return {
    enqueue,
    later: (delayMs, task) => {
      const timer = setTimeout(() => {
        void task()
          .catch(options.onError)
          .finally(() => {
            timers.delete(timer);
            step();
          });
      }, delayMs);
      timers.add(timer);
    },
    wake: step,
    settled: async () => {
      await new Promise<void>((resolve) => {
        idle.push(resolve);
        step();
      });
    },
    close: async () => {
      closing.abort();
      tasks.length = 0;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await running;
    },
  };
}
