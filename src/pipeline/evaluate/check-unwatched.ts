import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import { takePolicy } from '../look/take-policy.ts';
import { wakeQuality } from '../quality/wake-quality.ts';
import { checkConfigFile } from '../tell/check-config-file.ts';

type UnwatchedDeps = Pick<Deps, 'github' | 'log' | 'qualityQueue' | 'redact' | 'running' | 'settings' | 'store'>;

/**
 * A pull request that nobody enabled costs one small read for each new head, and for each change of its base's policy: a change of
 * the policy file is checked there too, and its engines are run where the policy of the base asks for some. Webhooks told of both.
 */
export async function checkUnwatched(deps: UnwatchedDeps, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const hint = deps.store.openHint(workspace.key);
  if (hint === null) return;
  const files = await deps.github.readConfigFiles(workspace, signal);
  if (files !== null) {
    const taken = takePolicy(files, deps.settings.operatorPolicy);
    const facts = { ...files, state: 'open', baseRef: null } as const;
    await wakeQuality(deps, workspace.key, { facts, policy: taken.policy });
    await checkConfigFile(deps, { workspace, facts: { ...files, taken } }, signal);
  }
  deps.store.settleHint(workspace.key, hint);
}
