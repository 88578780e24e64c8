import { CONFIG_CHECK_NAME } from '../core/ci/own-checks.ts';
import type { PullRequestKey, Sha } from '../core/model/ids.ts';
import type { Workspace } from '../core/model/workspace.ts';
import { BASE_POLICY_MARK } from '../core/policy/base-policy-mark.ts';
import { checkConfigFile } from './check-config-file.ts';
import type { Deps } from './deps.ts';
import { wakeQuality } from './quality/wake-quality.ts';
import { takePolicy } from './take-policy.ts';

type UnwatchedDeps = Pick<Deps, 'github' | 'log' | 'qualityQueue' | 'running' | 'settings' | 'store'>;

/**
 * A pull request that nobody enabled costs one small read for each new head: a change of the policy file is checked there too,
 * and its engines are run where the policy of the base asks for some. Which head is new a webhook told; the answer is remembered
 * by it, until a push changes the policy of the base.
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
  remember(deps, workspace, hint);
}

function isChecked(deps: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): boolean {
  return deps.store.checkRun(key, headSha, CONFIG_CHECK_NAME) !== null && !isPolicyChanged(deps, key, headSha);
}

function isPolicyChanged({ store }: Pick<Deps, 'store'>, key: PullRequestKey, headSha: Sha): boolean {
  const mark = store.checkRun(key, headSha, BASE_POLICY_MARK);
  return mark !== null && mark.contentHash === null;
}

function remember(deps: Pick<Deps, 'store'>, { key }: Workspace, headSha: Sha): void {
  const row = { key, headSha, checkRunId: null, completed: true };
  if (isPolicyChanged(deps, key, headSha)) {
    deps.store.saveCheckRun({ ...row, name: BASE_POLICY_MARK, contentHash: 'seen' });
  }
  if (deps.store.checkRun(key, headSha, CONFIG_CHECK_NAME) === null) {
    deps.store.saveCheckRun({ ...row, name: CONFIG_CHECK_NAME, contentHash: null });
  }
}
