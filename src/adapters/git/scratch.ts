import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mirror } from '../../ports/git.ts';
import { removeTree } from '../../system/remove-tree.ts';
import type { GitContext } from './git-context.ts';
import { readNames } from './remove-folder.ts';
import { writeRepository } from './write-repository.ts';

/** No command runs this long, so an older folder was left by a killed process. */
const STALE_MS = 60 * 60_000;

/**
 * Runs `work` with a temporary repository that borrows the mirror's objects, and removes it afterwards. Merges write
 * trees and blobs, which would stay in the mirror for ever, since nothing is pruned there.
 */
export async function withScratch<Result>(
  context: GitContext,
  mirror: Mirror,
  work: (scratch: { readonly gitDir: string; readonly workDir: string }) => Promise<Result>,
): Promise<Result> {
  const all = join(mirror.gitDir, 'scratch');
  await clearStale(all);
  const folder = join(all, context.newId());
  const scratch = { gitDir: join(folder, 'git'), workDir: join(folder, 'work') };
  await mkdir(scratch.workDir, { recursive: true, mode: 0o700 });
  try {
    const head = 'ref: refs/heads/none';
    await writeRepository(scratch.gitDir, { bare: false, head, alternates: mirror.objectsDir, mode: 0o700 });
    return await work(scratch);
  } finally {
    if (!(await removeTree(folder))) context.log.warn({ repositoryId: mirror.repositoryId }, 'scratch folder is stuck');
  }
}

async function clearStale(all: string): Promise<void> {
  for (const name of await readNames(all)) {
    const folder = join(all, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - STALE_MS) await removeTree(folder);
  }
}
