import { execa } from 'execa';
import { WorkspaceError } from '../../core/model/errors.ts';
import type { RemoteAccess } from '../../ports/git.ts';
import { redactToken, type Transports, toGitEnvironment, toGitOptions, toProtocol } from './git-environment.ts';

/** One git command. */
export interface GitCall {
  /** Command and its arguments; the options before it are ours. */
  readonly args: readonly string[];
  /** Repository to work in; null for commands that need none. */
  readonly gitDir: string | null;
  /** Folder to run in. */
  readonly cwd: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly stdin?: string | Buffer;
  /** Added to the environment (author, dates, attribute source). */
  readonly env?: Readonly<Record<string, string>>;
  /** Added settings (`name=value`). */
  readonly config?: readonly string[];
  readonly remote?: RemoteAccess;
  /** The other side is a repository of our own on this disk. */
  readonly localPeer?: boolean;
  readonly timeoutMs: number;
  /** Stdout beyond this ends the command (`overflow`). */
  readonly maxOutputBytes?: number;
}

/** How a git command ended. `stderr` is redacted and capped. */
export interface GitOutput {
  readonly ended: 'exited' | 'timed_out' | 'overflow';
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs one git command; throws the signal's reason when aborted, `WorkspaceError` when git cannot be started. */
export type RunGit = (call: GitCall, signal: AbortSignal) => Promise<GitOutput>;

const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;
const MAX_STDERR_BYTES = 1024 ** 2;
const KILL_AFTER_MS = 2000;

/**
 * The one place where a git command line and its environment are built: argv only, no inherited environment, our own
 * configuration, the whole process tree killed at the deadline, on abort, and when this process ends.
 */
export function createRunGit(options: {
  /** PATH, and what else of the operator's environment git needs (proxy, CA file). */
  readonly env: Readonly<Record<string, string>>;
  readonly transports: Transports;
  /** git looks for no repository above this folder. */
  readonly ceiling: string;
}): RunGit {
  return async (call, signal) => {
    signal.throwIfAborted();
    const remote = call.remote ?? null;
    const result = await execa('git', [...toOptions(call, options.transports), ...call.args], {
      cwd: call.cwd,
      env: { ...toGitEnvironment(options.env, remote), ...toRepositoryEnvironment(call, options.ceiling) },
      extendEnv: false,
      encoding: 'buffer',
      ...(call.stdin === undefined ? { stdin: 'ignore' } : { input: call.stdin }),
      stripFinalNewline: false,
      reject: false,
      maxBuffer: { stdout: call.maxOutputBytes ?? MAX_OUTPUT_BYTES, stderr: MAX_STDERR_BYTES },
      timeout: call.timeoutMs,
      killDescendants: true,
      forceKillAfterDelay: KILL_AFTER_MS,
      cancelSignal: signal,
    });
    signal.throwIfAborted();
    const started = result.exitCode !== undefined || result.signal !== undefined;
    if (!started && !result.timedOut && !result.isMaxBuffer) {
      const { cause } = result;
      throw new WorkspaceError('GIT_FAILED', 'git could not be started: is it installed?', { retry: 'later', cause });
    }
    return {
      ended: toEnd(result),
      exitCode: result.exitCode ?? null,
      stdout: toBuffer(result.stdout),
      stderr: redactToken(toBuffer(result.stderr).toString('utf8'), remote),
    };
  };
}

function toOptions(call: GitCall, transports: Transports): readonly string[] {
  const protocols = [
    ...(call.remote === undefined ? [] : [toProtocol(call.remote.url, transports)]),
    ...(call.localPeer === true ? (['file'] as const) : []),
  ];
  return toGitOptions(protocols, call.config);
}

function toRepositoryEnvironment(call: GitCall, ceiling: string): Readonly<Record<string, string>> {
  return {
    GIT_CEILING_DIRECTORIES: ceiling,
    ...(call.gitDir === null ? {} : { GIT_DIR: call.gitDir }),
    ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
    ...call.env,
  };
}

function toEnd(result: { readonly timedOut: boolean; readonly isMaxBuffer: boolean }): GitOutput['ended'] {
  if (result.timedOut) return 'timed_out';
  return result.isMaxBuffer ? 'overflow' : 'exited';
}

function toBuffer(bytes: Uint8Array | undefined): Buffer {
  return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Stdout of a command that must exit 0. Throws `WorkspaceError` (`GIT_FAILED`) with the command's last words otherwise. */
export async function runGitOk(runGit: RunGit, call: GitCall, signal: AbortSignal): Promise<Buffer> {
  const output = await runGit(call, signal);
  if (isOk(output)) return output.stdout;
  throw toGitError(call, output);
}

/** Whether the command ended by itself with exit code 0. */
export function isOk({ ended, exitCode }: GitOutput): boolean {
  return ended === 'exited' && exitCode === 0;
}

/** The error for a command that failed. A timeout may be tried again. */
export function toGitError(call: GitCall, output: GitOutput): WorkspaceError {
  const retry = output.ended === 'timed_out' ? 'later' : 'never';
  return new WorkspaceError('GIT_FAILED', describeFailure(call, output), { retry });
}

/** One line on how a command failed. */
export function describeFailure(call: GitCall, output: GitOutput): string {
  const command = `git ${call.args[0] ?? ''}`;
  if (output.ended === 'timed_out') return `${command} took longer than ${call.timeoutMs / 1000} s and was stopped`;
  if (output.ended === 'overflow') return `${command} printed more than is read`;
  const lastWords = output.stderr.trim().split('\n').slice(-3).join(' | ').slice(0, 600);
  return `${command} failed (exit code ${String(output.exitCode)}): ${lastWords}`;
}
