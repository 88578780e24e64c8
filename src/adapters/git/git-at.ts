import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { GitContext } from './git-context.ts';
import { type GitCall, type GitOutput, isOk, runGitOk, toGitError } from './run-git.ts';

/** A fetch that updates only the named refs. */
export const FETCH = [
  ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'],
] as const;

/** Optional settings of a git command. */
export type GitExtras = Partial<Omit<GitCall, 'args' | 'gitDir'>>;

/** Runs git in one repository with a time limit. All but `run` throw `RepositoryError` (`GIT_FAILED`) on failure. */
export interface GitAt {
  /** The outcome, also of a failed command. */
  readonly run: (args: readonly string[], more?: GitExtras) => Promise<GitOutput>;
  /** Stdout. */
  readonly bytes: (args: readonly string[], more?: GitExtras) => Promise<Buffer>;
  /** Stdout as UTF-8. */
  readonly text: (args: readonly string[], more?: GitExtras) => Promise<string>;
  /** The object name on stdout. */
  readonly sha: (args: readonly string[], more?: GitExtras) => Promise<Sha>;
  /** The first `maxBytes` of stdout. `isWhole` is false if there was more. */
  readonly start: (args: readonly string[], maxBytes: number) => Promise<{ bytes: Buffer; isWhole: boolean }>;
}

/** A command in the repository `gitDir`. */
export function toCall({ limits }: GitContext, gitDir: string, args: readonly string[], more: GitExtras = {}): GitCall {
  return { args, gitDir, cwd: gitDir, timeoutMs: limits.commandTimeoutMs, ...more };
}

/** Runs git in `gitDir` until `signal` aborts. `usual` applies to every command. */
export function gitAt(context: GitContext, gitDir: string, signal: AbortSignal, usual: GitExtras = {}): GitAt {
  const { runGit } = context;
  const call = (args: readonly string[], more: GitExtras = {}): GitCall =>
    toCall(context, gitDir, args, { ...usual, ...more });
  const bytes: GitAt['bytes'] = (args, more) => runGitOk(runGit, call(args, more), signal);
  const text: GitAt['text'] = async (args, more) => (await bytes(args, more)).toString('utf8');
  return {
    run: (args, more) => runGit(call(args, more), signal),
    bytes,
    text,
    sha: async (args, more) => parseSha((await text(args, more)).trim()),
    start: async (args, maxBytes) => {
      const capped = call(args, { maxOutputBytes: maxBytes });
      const output = await runGit(capped, signal);
      if (!isOk(output) && output.ended !== 'overflow') throw toGitError(capped, output);
      return { bytes: output.stdout.subarray(0, maxBytes), isWhole: isOk(output) };
    },
  };
}

/** The commit that a ref points to. */
export async function readCommit(git: GitAt, ref: string): Promise<Sha> {
  return git.sha(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
}

/** Whether `descendant` is `ancestor` or descends from it. */
export async function isAncestor(git: GitAt, ancestor: Sha, descendant: Sha): Promise<boolean> {
  return isOk(await git.run(['merge-base', '--is-ancestor', ancestor, descendant]));
}

/** The input of `update-ref --stdin` that deletes refs. */
export function toDeletions(refs: readonly string[]): string {
  return refs.map((ref) => `delete ${ref}\n`).join('');
}
