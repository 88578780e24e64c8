import { execa } from 'execa';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Result of a finished git command. */
export type GitResult = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** Standard input and additional environment variables of a git command. */
export type GitOptions = { readonly input?: string; readonly env?: Readonly<Record<string, string>> };

/** The environment of every git process of the world. Excludes the user's configuration. */
export function gitEnvironment(): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'GitHub',
    GIT_AUTHOR_EMAIL: 'noreply@github.test',
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.test',
  };
}

/** Runs git in `dir` and returns its exit code and output. Does not throw on a failing exit code. */
export async function tryGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const result = await execa('git', args, {
    cwd: dir,
    env: { ...gitEnvironment(), ...options.env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    input: options.input ?? '',
  });
  return { exitCode: result.exitCode ?? -1, stdout: result.stdout, stderr: result.stderr };
}

/** Runs git in `dir` and returns stdout without the last newline; throws if git fails. */
export async function git(dir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const result = await tryGit(dir, args, options);
  if (result.exitCode !== 0) throw new Error(`git ${args.join(' ')} failed (${result.exitCode}): ${result.stderr}`);
  return result.stdout.replace(/\n$/u, '');
}
