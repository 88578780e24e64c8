import type { TreeChange } from '../model/tree-change.ts';
import { foldPath } from '../paths/path-globs.ts';

const WORKFLOWS = '.github/workflows/';

/**
 * Workflow files whose content exists only in the merge: they differ from both the head's and the base's version.
 * GitHub lets an App without the `workflows` permission push a workflow file only if another branch of the repository
 * has the same content at the same path. So unchanged files of the base and deletions are allowed. `fromHead` and
 * `fromBase` are the changes from each side to the merged tree.
 */
export function findNewWorkflows(fromHead: readonly TreeChange[], fromBase: readonly TreeChange[]): readonly string[] {
  const unlikeBase = new Set(fromBase.map(({ path }) => path));
  return fromHead
    .filter(({ path, kind }) => kind !== 'deleted' && foldPath(path).startsWith(WORKFLOWS) && unlikeBase.has(path))
    .map(({ path }) => path);
}
