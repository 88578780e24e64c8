import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from './remove-tree.ts';

/** A folder, and when it was used last. */
export interface AgedFolder {
  readonly folder: string;
  readonly usedAt: number;
}

/** Newest first; what vanishes meanwhile is left out. */
export async function listByAge(parent: string): Promise<readonly AgedFolder[]> {
  const names = await readdir(parent).catch(() => []);
  const folders = await Promise.all(
    names.map(async (name) => {
      const folder = join(parent, name);
      const status = await stat(folder).catch(() => null);
      return status === null ? [] : [{ folder, usedAt: status.mtimeMs }];
    }),
  );
  return folders.flat().sort((left, right) => right.usedAt - left.usedAt);
}

/** @throws Error when something is left. */
export async function removeAltogether(folder: string): Promise<void> {
  if (!(await removeTree(folder))) throw new Error('a folder could not be removed');
}

/** One folder that cannot be removed keeps none of the others. */
export async function removeAll(folders: readonly AgedFolder[]): Promise<void> {
  const results = await Promise.allSettled(folders.map(({ folder }) => removeAltogether(folder)));
  const failures = results.filter((result) => result.status === 'rejected').map((result): unknown => result.reason);
  if (failures.length > 0)
    throw new AggregateError(failures, `${String(failures.length)} folders could not be removed`);
}
