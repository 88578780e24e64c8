import type { Sha } from '../core/model/ids.ts';
import type { Workspace } from '../core/model/workspace.ts';
import { CONFIG_CHECK_NAME, checkConfigFile } from './check-config-file.ts';
import type { Deps } from './deps.ts';

/**
 * A pull request that nobody enabled costs one small read for each new head: a change of the policy file is checked there too.
 * Which head is new a webhook told; the answer is remembered by it.
 */
export async function checkUnwatched(
  deps: Pick<Deps, 'github' | 'log' | 'settings' | 'store'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const hint = deps.store.headHint(workspace.key);
  if (hint === null || isChecked(deps, workspace, hint)) return;
  const files = await deps.github.readConfigFiles(workspace, signal);
  if (files !== null) await checkConfigFile(deps, { workspace, facts: files }, signal);
  if (!isChecked(deps, workspace, hint)) remember(deps, workspace, hint);
}

function isChecked({ store }: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): boolean {
  return store.checkRun(key, headSha, CONFIG_CHECK_NAME) !== null;
}

function remember({ store }: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): void {
  const row = { key, headSha, name: CONFIG_CHECK_NAME, checkRunId: null, contentHash: null, completed: true };
  store.saveCheckRun(row);
}
