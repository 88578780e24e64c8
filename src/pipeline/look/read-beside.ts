import type { PullRequestKey } from '../../core/model/ids.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';

/** The other pull requests with the same head branch for which Ratchet is enabled: one loop with this one (resolution S18). */
export function readBeside({ store }: Pick<Deps, 'store'>, key: PullRequestKey): readonly Workspace[] {
  return store
    .branchKeys(key)
    .slice(1)
    .flatMap((other) => store.workspace(other) ?? [])
    .filter(({ enablement, state }) => enablement === 'enabled' && state !== 'closed');
}

/** Number of another pull request of the loop that is paused; null: none. */
export function findPausedBeside(beside: readonly Workspace[]): number | null {
  return beside.find(({ pause }) => pause !== null)?.number ?? null;
}
