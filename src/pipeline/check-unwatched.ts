import type { Sha } from '../core/model/ids.ts';
import type { Workspace } from '../core/model/workspace.ts';
import { CONFIG_CHECK_NAME, checkConfigFile } from './check-config-file.ts';
import type { Deps } from './deps.ts';
import { wakeQuality } from './quality/wake-quality.ts';
import { takePolicy } from './take-policy.ts';

type UnwatchedDeps = Pick<Deps, 'github' | 'log' | 'qualityQueue' | 'running' | 'settings' | 'store'>;

/**
 * A pull request that nobody enabled costs one small read for each new head: a change of the policy file is checked there too,
 * and its engines are run where the policy of the base asks for some. Which head is new a webhook told; the answer is remembered
 * by it.
 */
export async function checkUnwatched(deps: UnwatchedDeps, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const hint = deps.store.headHint(workspace.key);
  if (hint === null || isChecked(deps, workspace, hint)) return;
  const files = await deps.github.readConfigFiles(workspace, signal);
  if (files !== null) {
    const { policy } = takePolicy(files, deps.settings.operatorPolicy);
    await wakeQuality(deps, workspace.key, { facts: { ...files, state: 'open', baseRef: null }, policy });
    await checkConfigFile(deps, { workspace, facts: files }, signal);
  }
  if (!isChecked(deps, workspace, hint)) remember(deps, workspace, hint);
}

function isChecked({ store }: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): boolean {
  return store.checkRun(key, headSha, CONFIG_CHECK_NAME) !== null;
}

function remember({ store }: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): void {
  const row = { key, headSha, name: CONFIG_CHECK_NAME, checkRunId: null, contentHash: null, completed: true };
  store.saveCheckRun(row);
}
