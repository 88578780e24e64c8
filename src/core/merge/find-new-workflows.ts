import type { TreeChange } from '../model/tree-change.ts';
import { foldPath } from '../paths/path-globs.ts';

const WORKFLOWS = '.github/workflows/';

/**
 * Workflow files whose content a merge makes up: they are as neither the head nor the base has them. GitHub lets an App
 * without the `workflows` permission push a workflow file only as it stands at the same path on another branch of the
 * repository, so what the base brings whole may come along, and a deletion too. `fromHead` and `fromBase` lead to the
 * merged tree.
 */
export function findNewWorkflows(fromHead: readonly TreeChange[], fromBase: readonly TreeChange[]): readonly string[] {
  const unlikeBase = new Set(fromBase.map(({ path }) => path));
  return fromHead
    .filter(({ path, kind }) => kind !== 'deleted' && foldPath(path).startsWith(WORKFLOWS) && unlikeBase.has(path))
    .map(({ path }) => path);
}
