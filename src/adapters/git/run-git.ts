import { execa } from 'execa';
import { RepositoryError } from '../../core/model/errors.ts';
import type { RemoteAccess } from '../../ports/git.ts';
import { isLasting } from './classify-transport.ts';
import { redactToken, type Transports, toGitEnvironment, toGitOptions, toProtocol } from './git-environment.ts';

/** One git command. */
export interface GitCall {
  /** The git command and its arguments. The options before it come from this file. */
  readonly args: readonly string[];
  /** The repository; null for commands that need none. */
  readonly gitDir: string | null;
  /** The working directory. */
  readonly cwd: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly stdin?: string | Buffer;
  /** Additional environment variables (author, dates, attribute source). */
  readonly env?: Readonly<Record<string, string>>;
  /** Additional configuration (`name=value`). */
  readonly config?: readonly string[];
  readonly remote?: RemoteAccess;
  /** Whether the other side is one of Ratchet's own repositories on this disk. */
  readonly localPeer?: boolean;
  readonly timeoutMs: number;
  /** A command that prints more to stdout is stopped (`overflow`). */
  readonly maxOutputBytes?: number;
}

/** The outcome of a git command. `stderr` is redacted and capped. */
export interface GitOutput {
  readonly ended: 'exited' | 'timed_out' | 'overflow';
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs one git command. Throws the signal's reason on abort, `RepositoryError` (`GIT_FAILED`) if git cannot start. */
export type RunGit = (call: GitCall, signal: AbortSignal) => Promise<GitOutput>;

const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;
const MAX_STDERR_BYTES = 1024 ** 2;
const KILL_AFTER_MS = 2000;

/**
 * The only place that builds git's command line and environment: no shell, no inherited environment, only Ratchet's
 * configuration. Kills the whole process tree at the deadline, on abort, and when this process exits.
 */
export function createRunGit(options: {
  /** PATH and the operator's settings for git (proxy, CA file). */
  readonly env: Readonly<Record<string, string>>;
  readonly transports: Transports;
  /** git does not search for a repository in this folder or above it. */
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
      throw new RepositoryError('GIT_FAILED', 'git could not be started: is it installed?', { retry: 'later', cause });
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

/** Returns the stdout of a successful command. Throws `RepositoryError` (`GIT_FAILED`) with the end of stderr otherwise. */
export async function runGitOk(runGit: RunGit, call: GitCall, signal: AbortSignal): Promise<Buffer> {
  const output = await runGit(call, signal);
  if (isOk(output)) return output.stdout;
  throw toGitError(call, output);
}

/** Whether the command exited with code 0. */
export function isOk({ ended, exitCode }: GitOutput): boolean {
  return ended === 'exited' && exitCode === 0;
}

/** The error for a failed command. Only a timeout may be retried. */
export function toGitError(call: GitCall, output: GitOutput): RepositoryError {
  const retry = output.ended === 'timed_out' ? 'later' : 'never';
  return new RepositoryError('GIT_FAILED', describeFailure(call, output), { retry });
}

/** The error for a failed command of a remote. It may be retried unless the remote would answer the same again. */
export function toTransportError(call: GitCall, output: GitOutput): RepositoryError {
  const retry = isLasting(output.stderr) ? 'never' : 'later';
  return new RepositoryError('FETCH_FAILED', describeFailure(call, output), { retry });
}

/** Describes in one line how a command failed. */
export function describeFailure(call: GitCall, output: GitOutput): string {
  const command = `git ${call.args[0] ?? ''}`;
  if (output.ended === 'timed_out') return `${command} took longer than ${call.timeoutMs / 1000} s and was stopped`;
  if (output.ended === 'overflow') return `${command} printed more than is read`;
  const lastWords = output.stderr.trim().split('\n').slice(-3).join(' | ').slice(0, 600);
  return `${command} failed (exit code ${String(output.exitCode)}): ${lastWords}`;
}
