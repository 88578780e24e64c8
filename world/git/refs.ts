import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type GitRepository, ZERO_SHA } from './repository.ts';
import { git } from './run-git.ts';

const OBJECT_ID = /^[0-9a-f]{40}$/u;

/** A ref that moved. `before` or `after` is forty zeros if it was created or deleted. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string };

/**
 * Branches and tags with the objects they point to. Reads loose ref files if there are no packed refs, because that is
 * a hundred times faster than starting git. Otherwise asks git.
 */
export async function listRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  return (await readLooseRefs(repository)) ?? (await readRefsFromGit(repository));
}

async function readLooseRefs({ dir }: GitRepository): Promise<ReadonlyMap<string, string> | null> {
  try {
    if ((await readdir(dir)).includes('packed-refs')) return null;
    const folders = await Promise.all(
      ['refs/heads', 'refs/tags'].map(async (folder) => {
        const entries = await readdir(path.join(dir, folder), { recursive: true, withFileTypes: true });
        return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      }),
    );
    const files = folders.flat().filter((file) => !file.endsWith('.lock'));
    const refs = await Promise.all(
      files.map(async (file) => [path.relative(dir, file), (await readFile(file, 'utf8')).trimEnd()] as const),
    );
    if (!refs.every(([, sha]) => OBJECT_ID.test(sha))) return null;
    return new Map(refs.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  } catch {
    // A ref was deleted during the read.
    return null;
  }
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
