import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type GitRepository, ZERO_SHA } from './repository.ts';
import { git } from './run-git.ts';

const OBJECT_ID = /^[0-9a-f]{40}$/u;

/** One ref that moved; `before` or `after` is forty zeros when it was created or deleted. */
export type RefChange = { readonly ref: string; readonly before: string; readonly after: string };

/**
 * Branches and tags with the object each points to. A ref that was written and not packed is a file of its own, and
 * reading those is a hundred times faster than starting git; whatever else there is, is left to git.
 */
export async function listRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
  return (await readLooseRefs(repository)) ?? (await askForRefs(repository));
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
    // A ref that goes while it is read.
    return null;
  }
}

async function askForRefs(repository: GitRepository): Promise<ReadonlyMap<string, string>> {
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
