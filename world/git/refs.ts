import { type GitRepository, ZERO_SHA } from './repository.ts';
import { git } from './run-git.ts';

/** One ref that moved; `before` or `after` is forty zeros when it was created or deleted. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string };

/** Branches and tags with the object each points to. */
export async function listRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  const output = await git(repository.dir, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  ]);
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

/** The refs under `prefix` whose commits are `sha` or its ancestors; one git process however many there are. */
export async function listRefsReachedBy(
  repository: GitRepository,
  sha: string,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const output = await git(repository.dir, ['for-each-ref', '--format=%(refname)', `--merged=${sha}`, prefix]);
  return new Set(output.split('\n').filter((line) => line !== ''));
}

/** What differs between two listings of refs. */
export function diffRefs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly RefChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? ZERO_SHA, after: after.get(ref) ?? ZERO_SHA }))
    .filter((change) => change.before !== change.after);
}
