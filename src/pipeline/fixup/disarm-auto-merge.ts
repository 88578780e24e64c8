import type { PushFacts } from '../../core/decide/holds.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';

/** Turns auto-merge off if it is on and the policy asks for that (resolution S16). Returns why GitHub refused, or null. */
export async function disarmAutoMerge(
  deps: Pick<Deps, 'github' | 'log'>,
  workspace: Workspace,
  held: Pick<PushFacts, 'pullRequest' | 'policy'>,
  signal: AbortSignal,
): Promise<string | null> {
  if (held.pullRequest?.autoMerge !== true || !held.policy.disarmAutoMerge) return null;
  const result = await deps.github.disableAutoMerge(workspace, signal);
  deps.log.info({ key: workspace.key, result: result.kind }, 'auto-merge turned off');
  return result.kind === 'refused' ? result.why : null;
}
