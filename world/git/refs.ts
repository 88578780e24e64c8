import { listLooseRefs } from './loose-refs.ts';
import { type GitRepository, ZERO_SHA } from './repository.ts';
import { git } from './run-git.ts';

/** A ref that moved. `before` or `after` is forty zeros if it was created or deleted. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string };

/**
 * Branches and tags with the objects they point to. Reads loose ref files if there are no packed refs, because that is
 * a hundred times faster than starting git. Otherwise asks git.
 */
export async function listRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  return listLooseRefs(repository.dir) ?? (await readRefsFromGit(repository));
}

async function readRefsFromGit(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  const output = await git(repository.dir, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  ]);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

/** The refs under `prefix` that point to `sha` or its ancestors. One git process for any number of refs. */
export async function listRefsReachedBy(
  repository: GitRepository,
  sha: string,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const output = await git(repository.dir, ['for-each-ref', '--format=%(refname)', `--merged=${sha}`, prefix]);
  return new Set(output.split('\n').filter((line) => line !== ''));
}

/** The differences between two listings of refs. */
export function diffRefs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly RefChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? ZERO_SHA, after: after.get(ref) ?? ZERO_SHA }))
    .filter((change) => change.before !== change.after);
}
