import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Submodule } from '../../core/model/engine-report.ts';
import type { PlacedCommit } from '../../ports/local-repository.ts';
import { copyIgnored } from './copy-ignored.ts';
import { type Git, isFile, toPaths, withScratch } from './local-git.ts';

/** A checkout, and how git is run in it or in one of its submodules. */
export interface PlaceGround {
  readonly root: string;
  readonly openGit: (folder: string) => Git;
}

interface Placing {
  readonly commit: string;
  /** Absolute. */
  readonly folder: string;
}

/**
 * Writes the files of a commit to a folder as the checkout would have them: without what a sparse checkout leaves out, with the
 * content of the submodules that are checked out, and with the files that git ignores, which are those of the checkout. A separate
 * index is used, so that the person's index is not touched.
 */
export async function placeCommit(ground: PlaceGround, placing: Placing, signal: AbortSignal): Promise<PlacedCommit> {
  const tracked = await placeTracked(ground, placing, signal);
  const submodules = await placeSubmodules(ground, placing, signal);
  const ignored = await copyIgnored(ground, placing, signal);
  return {
    files: tracked.files,
    content: [...tracked.skipped, ...submodules.placed, ...submodules.missing].join('\n'),
    apart: [...submodules.missing, ...ignored.left],
    notes: [
      ...(tracked.skipped.length === 0
        ? []
        : [`${toCount(tracked.skipped, 'file')} outside of the sparse checkout: neither side was looked at there`]),
      ...(submodules.missing.length === 0
        ? []
        : [
            `the base's commit of the submodule ${submodules.missing.join(', ')} is not here: what is in it was not compared`,
          ]),
      ...(ignored.copied.length === 0
        ? []
        : [`git ignores ${toNames(ignored.copied)}: both sides were looked at with that of the checkout`]),
      ...(ignored.left.length === 0
        ? []
        : [`git ignores ${toNames(ignored.left)}, which is large: it was not compared`]),
    ],
  };
}

const MAX_NAMES = 5;

function toNames(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMES ? ` and ${String(paths.length - MAX_NAMES)} more` : '';
  return `${paths.slice(0, MAX_NAMES).join(', ')}${more}`;
}

function toCount(paths: readonly string[], noun: string): string {
  return `${String(paths.length)} ${noun}${paths.length === 1 ? '' : 's'}`;
}

async function placeTracked(
  { root, openGit }: PlaceGround,
  { commit, folder }: Placing,
  signal: AbortSignal,
): Promise<{ readonly files: readonly string[]; readonly skipped: readonly string[] }> {
  const git = openGit(root);
  const isSparse = await git(['config', '--type=bool', 'core.sparseCheckout'], signal).then(
    (value) => value.trim() === 'true',
    () => false,
  );
  return withScratch(async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    // Only a checkout follows the sparse patterns. Submodules are placed by us.
    const checkout = ['-c', 'submodule.recurse=false', `--work-tree=${folder}`, 'read-tree', '-m', '-u', commit];
    if (isSparse) await git(checkout, signal, env);
    else {
      await git(['read-tree', commit], signal, env);
      await git(['checkout-index', '--all', '--force', `--prefix=${folder}/`], signal, env);
    }
    const listed = toPaths(await git(['ls-files', '-z', '-t', '--cached'], signal, env)).toSorted();
    const paths = listed.map((line) => line.slice(2));
    const are = await Promise.all(paths.map((path) => isFile(join(folder, path))));
    return {
      files: paths.filter((_, index) => are[index] === true).toSorted(),
      skipped: listed.filter((line) => line.startsWith('S ')).map((line) => line.slice(2)),
    };
  });
}

const LIST_INDEX: readonly string[] = ['ls-files', '-s', '-z'];

/** `placed`: path and commit of each submodule with content; `missing`: paths of those whose commit is not here. */
interface Submodules {
  readonly placed: readonly string[];
  readonly missing: readonly string[];
}

async function placeSubmodules(
  ground: PlaceGround,
  { commit, folder }: Placing,
  signal: AbortSignal,
): Promise<Submodules> {
  const { root, openGit } = ground;
  const git = openGit(root);
  const atBase = await listSubmodules(git, ['ls-tree', '-r', '-z', commit], signal);
  const here = await listSubmodules(git, LIST_INDEX, signal);
  const placed: string[] = [];
  const missing: string[] = [];
  for (const path of new Set([...atBase.keys(), ...here.keys()])) {
    if (!(await isCheckedOut(root, path))) continue;
    const sub: PlaceGround = { root: join(root, path), openGit };
    const subCommit = atBase.get(path);
    if (subCommit === undefined || !(await hasCommit(openGit(sub.root), subCommit, signal))) {
      missing.push(path);
      continue;
    }
    const subFolder = join(folder, path);
    await mkdir(subFolder, { recursive: true });
    await placeTracked(sub, { commit: subCommit, folder: subFolder }, signal);
    const nested = await placeSubmodules(sub, { commit: subCommit, folder: subFolder }, signal);
    placed.push(`${path} ${subCommit}`, ...nested.placed.map((one) => `${path}/${one}`));
    missing.push(...nested.missing.map((one) => `${path}/${one}`));
  }
  return { placed, missing };
}

/** Submodules of the index, and whether each is checked out. */
export async function readSubmodules(root: string, git: Git, signal: AbortSignal): Promise<readonly Submodule[]> {
  const paths = [...(await listSubmodules(git, LIST_INDEX, signal)).keys()].toSorted();
  return Promise.all(paths.map(async (path) => ({ path, isHere: await isCheckedOut(root, path) })));
}

async function isCheckedOut(root: string, path: string): Promise<boolean> {
  return isThere(join(root, path, '.git'));
}

/** Commit by path. Lines of both commands have the mode first, and a tab before the path. */
async function listSubmodules(
  git: Git,
  args: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const lines = toPaths(await git(args, signal)).filter((line) => line.startsWith('160000 '));
  return new Map(
    lines.map((line) => {
      const [head = '', path = ''] = line.split('\t');
      return [path, /\b[0-9a-f]{40,64}\b/u.exec(head)?.[0] ?? ''];
    }),
  );
}

async function hasCommit(git: Git, commit: string, signal: AbortSignal): Promise<boolean> {
  return git(['cat-file', '-e', `${commit}^{commit}`], signal).then(
    () => true,
    () => false,
  );
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
