import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';

/** Answer of a child program: numbers by name. */
export type Answer = Readonly<Record<string, number>>;

const Reply = z.object({ id: z.number(), answer: z.record(z.string(), z.number()) });
const Question = z.object({ id: z.number(), question: z.string() });

/** A program in a separate process, so that its CPU time is measured separately. */
export interface Child {
  readonly ask: (question: string) => Promise<Answer>;
  /** Ends the process and waits until it has exited. */
  readonly stop: () => Promise<void>;
}

const ANSWER_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;

/** Starts `program` with `input` as its only argument. */
export function startChild(program: URL, input: object, execArgv: readonly string[] = []): Child {
  const child = fork(program, [JSON.stringify(input)], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let lastId = 0;
  return {
    ask: (question) => {
      lastId += 1;
      return askChild(child, { id: lastId, question });
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
      if (child.connected) child.disconnect();
      try {
        await exited;
      } catch (error) {
        child.kill('SIGKILL');
        throw error;
      }
    },
  };
}

function askChild(child: ChildProcess, message: z.infer<typeof Question>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    reject(new Error(`a child program did not answer "${message.question}"`));
  }, ANSWER_TIMEOUT_MS);
  const onExit = (): void => {
    reject(new Error(`a child program died before it answered "${message.question}"`));
  };
  const onMessage = (received: unknown): void => {
    const reply = Reply.safeParse(received);
    if (reply.success && reply.data.id === message.id) resolve(reply.data.answer);
  };
  child.on('message', onMessage).once('exit', onExit);
  child.send(message);
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
  });
}

/** Runs in the child: answers questions until the parent disconnects, then calls `close`. */
export function serveParent(
  answers: Readonly<Record<string, () => Answer | Promise<Answer>>>,
  close: () => Promise<void>,
): void {
  process.on('message', (received) => {
    const { id, question } = Question.parse(received);
    void Promise.resolve(answers[question]?.() ?? {}).then((answer) => process.send?.({ id, answer }));
  });
  process.once('disconnect', () => void close());
}

/** An answer for `serveParent`: user and system time of the child, in microseconds. */
export function answerCpu(): Answer {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system };
}
