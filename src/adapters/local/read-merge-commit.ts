import { resolve } from 'node:path';
import { ConfigError } from '../../core/model/errors.ts';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import { createLocalGit } from './local-git.ts';

/** A merge commit of two parents in a local repository. */
export interface LocalMerge {
  /** Absolute path of the folder with the repository's objects. */
  readonly objectsDir: string;
  readonly commitSha: Sha;
  readonly headSha: Sha;
  readonly baseSha: Sha;
}

/** Finds a merge commit. Throws `ConfigError` if there is no such repository or commit, or if it is no merge of two parents. */
export async function readMergeCommit(
  want: {
    readonly folder: string;
    readonly commit: string;
    readonly variables: Readonly<Record<string, string | undefined>>;
  },
  signal: AbortSignal,
): Promise<LocalMerge> {
  const { folder, commit, variables } = want;
  const git = createLocalGit(folder, variables);
  const ask = async (problem: string, args: readonly string[]): Promise<string> => {
    try {
      return (await git(args, signal)).trimEnd();
    } catch {
      signal.throwIfAborted();
      throw new ConfigError([problem]);
    }
  };
  const objects = await ask(`${folder} is no git repository`, ['rev-parse', '--git-path', 'objects']);
  const revision = `${commit}^{commit}`;
  const resolved = ['rev-parse', '--verify', '--quiet', '--end-of-options', revision];
  const sha = await ask(`${folder} has no commit ${JSON.stringify(commit)}`, resolved);
  // The commit as it was made: a graft or a replacement would show other parents.
  const text = await ask(`${sha} cannot be read`, ['--no-replace-objects', 'cat-file', 'commit', sha]);
  const parents = [...text.slice(0, text.indexOf('\n\n')).matchAll(/^parent ([0-9a-f]{40})$/gmu)].map(
    ([, parent = '']) => parent,
  );
  const [head, base, ...others] = parents;
  if (head === undefined || base === undefined || others.length > 0)
    throw new ConfigError([`${sha} has ${parents.length} parents, and a merge of a base branch has 2`]);
  const walk = ['--no-replace-objects', 'rev-list', '--no-walk', '--quiet', head, base];
  await ask(`${folder} lacks the parents of ${sha}: fetch its history first`, walk);
  return {
    objectsDir: resolve(folder, objects),
    commitSha: parseSha(sha),
    headSha: parseSha(head),
    baseSha: parseSha(base),
  };
}
