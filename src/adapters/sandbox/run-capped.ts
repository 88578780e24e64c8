import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import { type CappedOutput, createOutputBudget, openOutputFile, readCapped } from './capped-output.ts';
import { findInheritedFds } from './inherited-fds.ts';

/** One process to run under a deadline and an output cap. */
export interface CappedRun extends Omit<SandboxCommand, 'mounts' | 'slot'> {
  /** From the moment when the process was asked to end until it is killed. */
  readonly graceMs: number;
  /** Called with each line that the process writes on descriptor 3; null: it gets no such descriptor. */
  readonly onStatus: ((line: string) => void) | null;
  /** Asks the process to end. */
  readonly interrupt: (child: ChildProcess) => Promise<void>;
  /** Ends the process and, as far as the system can, all that it started. */
  readonly kill: (child: ChildProcess) => void;
}

/** How a run ended; what its descendants do is the caller's to find out. */
export type CappedOutcome = Omit<SandboxOutcome, 'processesLeft'>;

type StopReason = 'timed_out' | 'output_flood' | 'aborted';

/** A descendant may hold the output open after the end: it is read for this long and no longer (F21). */
const DRAIN_MS = 2000;
/** Finding out whom to ask takes a look at every process of the machine: after this time the process is killed unasked. */
const ASK_MS = 5000;
/** Where the child may report on itself. */
export const STATUS_FD = 3;
const MAX_STATUS_BYTES = 64 * 1024;

/**
 * Spawns without a shell, in a process group of its own, and waits for the end: by itself, at the deadline, at the output
 * cap or on abort. Never throws for what the process does; a command that cannot be spawned is `not_started`.
 */
export async function runCapped(run: CappedRun, signal: AbortSignal): Promise<CappedOutcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  if (signal.aborted) return notStarted('aborted', '', durationMs());
  const opened: FileHandle[] = [];
  try {
    const files = await openFiles(run, opened);
    const child = spawnChild(run, toStdio(run.onStatus !== null, files));
    return await superviseChild(child, run, { files, signal, durationMs });
  } catch (error) {
    return notStarted('not_started', error instanceof Error ? error.message : String(error), durationMs());
  } finally {
    await Promise.all(opened.map((file) => file.close()));
  }
}

/** The files that one run needs, all open before it starts. */
interface RunFiles {
  readonly stdout: FileHandle;
  readonly stderr: FileHandle;
  /** /dev/null, for the place of each descriptor in `inherited`. */
  readonly nothing: FileHandle;
  /** Descriptors that somebody left open in this process: the child must not get them. */
  readonly inherited: readonly number[];
}

/** Puts each file into `opened` at once, so that the caller closes it whatever happens. */
async function openFiles(run: CappedRun, opened: FileHandle[]): Promise<RunFiles> {
  const keep = (file: FileHandle): FileHandle => {
    opened.push(file);
    return file;
  };
  const inherited = await findInheritedFds();
  const nothing = keep(await open('/dev/null', 'r'));
  const stdout = keep(await openOutputFile(run.stdoutPath));
  const stderr = keep(await openOutputFile(run.stderrPath));
  return { stdout, stderr, nothing, inherited };
}

function spawnChild(run: CappedRun, stdio: StdioOptions): ChildProcess {
  const [file = '', ...args] = run.argv;
  return spawn(file, args, { cwd: run.cwd, env: run.env, detached: true, stdio });
}

function toStdio(hasStatus: boolean, files: RunFiles): StdioOptions {
  const lastPipe = hasStatus ? STATUS_FD : STATUS_FD - 1;
  return Array.from({ length: Math.max(lastPipe, ...files.inherited) + 1 }, (_, fd) => {
    if (fd <= lastPipe) return 'pipe';
    return files.inherited.includes(fd) ? files.nothing.fd : 'ignore';
  });
}

async function superviseChild(
  child: ChildProcess,
  run: CappedRun,
  context: { readonly files: RunFiles; readonly signal: AbortSignal; readonly durationMs: () => number },
): Promise<CappedOutcome> {
  const stopper = createStopper(child, run);
  const budget = createOutputBudget(run.maxOutputBytes, () => stopper.stop('output_flood'));
  const exited = awaitExit(child);
  // Where no pipe could be made (EMFILE), the next line throws before anybody waits for this: it must not end the service.
  exited.catch(() => undefined);
  const stdout = readCapped(parseReadable(child.stdio[1]), context.files.stdout, budget);
  const stderr = readCapped(parseReadable(child.stdio[2]), context.files.stderr, budget);
  const done = Promise.all([stdout.done, stderr.done, readStatusLines(child, run.onStatus)]);
  // A full disk must not leave the process running unseen.
  done.catch(() => stopper.stop('aborted'));
  feedStdin(child, run.stdin);
  const deadline = setTimeout(() => stopper.stop('timed_out'), run.timeoutMs);
  const onAbort = (): void => stopper.stop('aborted');
  context.signal.addEventListener('abort', onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  try {
    const end = await exited;
    await drain([stdout, stderr], child, done);
    return {
      kind: stopper.reason() ?? 'exited',
      ...end,
      durationMs: context.durationMs(),
      stdoutTail: stdout.tail(),
      stderrTail: stderr.tail(),
    };
  } finally {
    clearTimeout(deadline);
    context.signal.removeEventListener('abort', onAbort);
    stopper.dispose();
  }
}

/** Ends the process once: a flood at once, everything else politely first. The first reason counts. */
function createStopper(
  child: ChildProcess,
  run: CappedRun,
): {
  readonly stop: (why: StopReason) => void;
  readonly reason: () => StopReason | null;
  readonly dispose: () => void;
} {
  let reason: StopReason | null = null;
  let force: NodeJS.Timeout | undefined;
  let isOver = false;
  const killIn = (ms: number): void => {
    clearTimeout(force);
    // The process id may belong to another process by now.
    if (!isOver) force = setTimeout(() => run.kill(child), ms);
  };
  return {
    stop: (why) => {
      if (reason !== null) return;
      reason = why;
      if (why === 'output_flood') {
        run.kill(child);
        return;
      }
      killIn(ASK_MS);
      run.interrupt(child).then(
        () => killIn(run.graceMs),
        () => killIn(0),
      );
    },
    reason: () => reason,
    dispose: () => {
      isOver = true;
      clearTimeout(force);
    },
  };
}

async function awaitExit(
  child: ChildProcess,
): Promise<{ readonly exitCode: number | null; readonly signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

/** Waits for the end of all outputs. What was written before the time is up is kept, however late this process looks at it. */
async function drain(outputs: readonly CappedOutput[], child: ChildProcess, done: Promise<unknown>): Promise<void> {
  const close = (): void => {
    for (const output of outputs) output.close();
    for (const stream of child.stdio) stream?.destroy();
  };
  // Timers run before the pipes are read, immediates after.
  const timer = setTimeout(() => setImmediate(close), DRAIN_MS);
  try {
    await done;
  } finally {
    clearTimeout(timer);
  }
}

function feedStdin(child: ChildProcess, text: string): void {
  // A process that does not read its input is no fault of ours (EPIPE).
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text);
}

async function readStatusLines(child: ChildProcess, onStatus: CappedRun['onStatus']): Promise<void> {
  if (onStatus === null) return;
  const stream = parseReadable(child.stdio[STATUS_FD]);
  let text = '';
  let seen = 0;
  try {
    for await (const chunk of stream) {
      text += String(chunk);
      seen += String(chunk).length;
      if (seen > MAX_STATUS_BYTES) return;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) onStatus(line);
    }
  } catch (error) {
    if (!stream.destroyed) throw error;
  }
}

function parseReadable(stream: unknown): Readable {
  if (stream instanceof Readable) return stream;
  throw new Error('the process has no pipe where one was asked for');
}

function notStarted(kind: 'not_started' | 'aborted', why: string, durationMs: number): CappedOutcome {
  return { kind, exitCode: null, signal: null, durationMs, stdoutTail: '', stderrTail: why };
}
