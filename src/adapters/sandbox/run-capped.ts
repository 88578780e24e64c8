import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { Duplex, Readable, type Writable } from 'node:stream';
import { EXCEEDED_LIMITS, type ExceededLimit } from '../../core/model/command-end.ts';
import type { SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import { type CappedOutput, createOutputBudget, openOutputFile, readCapped } from './capped-output.ts';
import { findInheritedFds } from './inherited-fds.ts';

/** A process to run with a deadline and an output cap. */
export interface CappedRun extends Omit<SandboxCommand, 'mounts' | 'slot'> {
  /** Time between the end of `interrupt` and `kill`. */
  readonly graceMs: number;
  /** Called with each line that the process writes to descriptor 3, 4 and so on. */
  readonly onReport: readonly ((line: string) => void)[];
  /** What it reads from the descriptors after those. */
  readonly feeds?: readonly Uint8Array[];
  /** Called when the process runs. `stop` kills it. */
  readonly watch?: (stop: (why: ExceededLimit) => void) => void;
  /** Asks the process to exit. */
  readonly interrupt: (child: ChildProcess) => Promise<void>;
  /** Kills the process and, as far as the system can, its descendants. */
  readonly kill: (child: ChildProcess) => void;
}

/** The outcome of a run. The caller checks for descendants that are left. */
export type CappedOutcome = Omit<SandboxOutcome, 'processesLeft'>;

type StopReason = 'timed_out' | 'output_flood' | 'aborted' | ExceededLimit;

/** No time to exit by itself: it would go on with what it does. */
const KILLED_AT_ONCE: readonly StopReason[] = ['output_flood', ...EXCEEDED_LIMITS];

/** For one that is aborted: nothing of its work is kept, and whoever aborts it may have little time. */
const ABORT_GRACE_MS = 1500;
/** How long output is read after the process exits: a descendant may hold it open (F21). */
const DRAIN_MS = 2000;
/** Time for `interrupt`, which reads every process of the machine. After it, the process is killed. */
const ASK_MS = 5000;
/** The descriptor of the first entry of `onReport`. */
export const FIRST_REPORT_FD = 3;
const MAX_REPORT_BYTES = 64 * 1024;

/**
 * Spawns the process without a shell, in its own process group, and waits until it exits, or ends it at the deadline,
 * at the output cap or on abort. Never throws because of the process. If it cannot be spawned, returns `not_started`.
 */
export async function runCapped(run: CappedRun, signal: AbortSignal): Promise<CappedOutcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  if (signal.aborted) return notStarted('aborted', '', durationMs());
  const opened: FileHandle[] = [];
  try {
    const files = await openFiles(run, opened);
    const child = spawnChild(run, toStdio(run, files));
    return await superviseChild(child, run, { files, signal, durationMs });
  } catch (error) {
    return notStarted('not_started', error instanceof Error ? error.message : String(error), durationMs());
  } finally {
    await Promise.all(opened.map((file) => file.close()));
  }
}

/** The files of a run, all opened before it starts. */
interface RunFiles {
  readonly stdout: FileHandle;
  readonly stderr: FileHandle;
  /** /dev/null, which replaces each descriptor in `inherited`. */
  readonly nothing: FileHandle;
  /** Descriptors that this process inherited. The child must not get them. */
  readonly inherited: readonly number[];
}

/** Adds each file to `opened` as soon as it is open, so that the caller closes it even after an error. */
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

function toStdio({ onReport, feeds = [] }: CappedRun, files: RunFiles): StdioOptions {
  const lastPipe = FIRST_REPORT_FD + onReport.length + feeds.length - 1;
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
  // Without pipes (EMFILE), the next line throws before anyone awaits `exited`. Its rejection must not be fatal.
  exited.catch(() => undefined);
  const stdout = readCapped(parseReadable(child.stdio[1]), context.files.stdout, budget, run.onStdout);
  const stderr = readCapped(parseReadable(child.stdio[2]), context.files.stderr, budget);
  const reports = run.onReport.map((onLine, at) => readLines(child.stdio[FIRST_REPORT_FD + at], onLine));
  const done = Promise.all([stdout.done, stderr.done, ...reports]);
  // If output cannot be written (full disk), stop the process.
  done.catch(() => stopper.stop('aborted'));
  feed(child.stdin, run.stdin);
  for (const [index, bytes] of (run.feeds ?? []).entries()) {
    const stream = child.stdio[FIRST_REPORT_FD + run.onReport.length + index];
    if (stream instanceof Duplex) feed(stream.resume(), bytes);
  }
  run.watch?.((why) => stopper.stop(why));
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

/** Stops the process once: immediately at a limit, otherwise with `interrupt` first. Keeps the first reason. */
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
      if (KILLED_AT_ONCE.includes(why)) {
        run.kill(child);
        return;
      }
      const graceMs = why === 'aborted' ? Math.min(run.graceMs, ABORT_GRACE_MS) : run.graceMs;
      killIn(ASK_MS);
      run.interrupt(child).then(
        () => killIn(graceMs),
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

function feed(stream: Writable | null, content: string | Uint8Array): void {
  // Ignore EPIPE: a process need not read its input.
  stream?.on('error', () => undefined);
  stream?.end(content);
}

async function readLines(pipe: unknown, onLine: (line: string) => void): Promise<void> {
  const stream = parseReadable(pipe);
  let text = '';
  let seen = 0;
  try {
    for await (const chunk of stream) {
      text += String(chunk);
      seen += String(chunk).length;
      if (seen > MAX_REPORT_BYTES) return;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) onLine(line);
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
