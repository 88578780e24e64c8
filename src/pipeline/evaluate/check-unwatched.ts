import type { Workspace } from '../../core/model/workspace.ts';
import { toOperatorPolicyOf } from '../../core/policy/operator-policy.ts';
import type { Deps } from '../deps.ts';
import { takePolicy } from '../look/take-policy.ts';
import { wakeQuality } from '../quality/wake-quality.ts';
import { checkConfigFile } from '../tell/check-config-file.ts';

type UnwatchedDeps = Pick<Deps, 'github' | 'log' | 'qualityQueue' | 'redact' | 'running' | 'settings' | 'store'>;

/**
 * Checks a pull request that nobody enabled, with one small read. Runs once for each new head and for each change of the base
 * policy, both known from webhooks. Checks a changed policy file, and wakes the engines if the base policy names some.
 */
export async function checkUnwatched(deps: UnwatchedDeps, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const hint = deps.store.openHint(workspace.key);
  if (hint === null) return;
  const files = await deps.github.readConfigFiles(workspace, signal);
  if (files !== null) {
    const taken = takePolicy(files, toOperatorPolicyOf(deps.settings.operatorPolicy, workspace.repository));
    const facts = { ...files, state: 'open', baseRef: null } as const;
    await wakeQuality(deps, workspace.key, { facts, policy: taken.policy });
    await checkConfigFile(deps, { workspace, facts: { ...files, taken } }, signal);
  }
  deps.store.settleHint(workspace.key, hint);
}
