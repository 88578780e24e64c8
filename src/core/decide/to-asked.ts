import type { Ask, AskEffect, Asked } from '../model/ask.ts';
import type { PullRequestKey, Sha } from '../model/ids.ts';
import type { Workspace } from '../model/workspace.ts';

/** The unique key of an ask. It allows one re-run per CI result of a head and one update per base commit (trap 65). */
export function toAskKey(key: PullRequestKey, effect: AskEffect): string {
  const what = effect.kind === 'rerun' ? `${effect.headSha} ${effect.ciRunId}` : effect.baseSha;
  return `${key} ${effect.freshStart} ${what}`;
}

/** The asks (given newest first) that count while `headSha` is the head: those since the last fresh start. */
export function toAsked(asks: readonly Ask[], { freshStarts }: Pick<Workspace, 'freshStarts'>, headSha: Sha): Asked {
  const names: string[] = [];
  let rerun: Asked['rerun'] = null;
  let branchUpdate: Asked['branchUpdate'] = null;
  for (const { effect, createdAt, outcome } of asks.toReversed()) {
    if (effect.freshStart !== freshStarts) continue;
    // 0 makes every wait elapsed: nothing waits for what GitHub refused.
    const at = outcome === 'refused' ? 0 : createdAt;
    if (effect.kind === 'update_branch') {
      branchUpdate = { headSha: effect.headSha, baseSha: effect.baseSha, ciRunId: effect.ciRunId, at };
    } else if (effect.headSha === headSha) {
      names.push(...effect.names);
      rerun = { headSha, ciRunId: effect.ciRunId, names, at };
    }
  }
  return { rerun, branchUpdate };
}
