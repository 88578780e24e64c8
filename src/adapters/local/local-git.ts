import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const GIT_TIMEOUT_MS = 60_000;
const MAX_LIST_BYTES = 256 * 1024 * 1024;
export type Variables = Readonly<Record<string, string | undefined>>;
/** Runs git in a folder and returns its stdout. Rejects if git fails. */
export type Git = (
  args: readonly string[],
  signal: AbortSignal,
  env?: Readonly<Record<string, string>>,
) => Promise<string>;

/** Runs git in `cwd` with the person's environment and configuration. */
export function createLocalGit(cwd: string, variables: Variables): Git {
  return async (args, signal, env = {}) => {
    const options = toGitOptions(cwd, { ...variables, ...env }, signal);
    return (await execa('git', ['-c', 'core.quotePath=false', ...args], options)).stdout;
  };
}

/** Options of execa. */
export interface GitOptions {
  readonly cwd: string;
  readonly env: Variables;
  readonly extendEnv: false;
  readonly stdin: 'ignore';
  readonly stripFinalNewline: false;
  readonly timeout: number;
  readonly maxBuffer: number;
  readonly cancelSignal: AbortSignal;
}

export function toGitOptions(cwd: string, variables: Variables, signal: AbortSignal): GitOptions {
  return {
    cwd,
    // The output is parsed, so it must not be translated.
    env: { ...variables, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    extendEnv: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: MAX_LIST_BYTES,
    cancelSignal: signal,
  };
}

/** A submodule is listed as a path but is a folder. */
export async function isFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && (found.isFile() || found.isSymbolicLink());
}

export function toPaths(listed: string): readonly string[] {
  return listed.split('\0').filter((path) => path !== '');
}

export async function withScratch<Value>(work: (scratch: string) => Promise<Value>): Promise<Value> {
  const scratch = await mkdtemp(join(tmpdir(), 'ratchet-index-'));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
