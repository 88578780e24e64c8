import type { Ask, AskEffect, Asked } from '../model/ask.ts';
import type { PullRequestKey, Sha } from '../model/ids.ts';
import type { Workspace } from '../model/workspace.ts';

/** The unique key of an ask: one re-run for each CI result of a head, one update for each commit of the base (trap 65). */
export function toAskKey(key: PullRequestKey, effect: AskEffect): string {
  const what = effect.kind === 'rerun' ? `${effect.headSha} ${effect.ciRunId}` : effect.baseSha;
  return `${key} ${effect.freshStart} ${what}`;
}

/** What counts of the pull request's asks, given newest first, while `headSha` is the head. */
export function toAsked(asks: readonly Ask[], { freshStarts }: Pick<Workspace, 'freshStarts'>, headSha: Sha): Asked {
  const names: string[] = [];
  let rerun: Asked['rerun'] = null;
  let branchUpdate: Asked['branchUpdate'] = null;
  for (const { effect, createdAt, outcome } of asks.toReversed()) {
    if (effect.freshStart !== freshStarts) continue;
    // From 0 on every wait is over: what GitHub refused is not waited for.
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
