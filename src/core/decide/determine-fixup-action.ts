import type { Decision } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { ACTING_GUARDS, isUpdateOverdue } from './acting-guards.ts';
import { decide } from './guard.ts';
import { MONITORING_GUARDS } from './monitoring-guards.ts';

/**
 * The one action of this iteration (002.R12, R13; resolution S12): the first guard that returns a decision wins. Total and pure:
 * a stored snapshot gives the same decision again. The merge state `behind` counts as clean unless the branch must be up to date.
 */
export function determineFixupAction(snapshot: Snapshot): Decision {
  for (const guard of [...MONITORING_GUARDS, ...ACTING_GUARDS]) {
    const decision = guard(snapshot);
    if (decision !== null) return decision;
  }
  return allGreen(snapshot); // 14
}

function allGreen(snapshot: Snapshot): Decision {
  const what = snapshot.ci.status === 'none' ? 'There is no CI' : 'CI is green';
  const overdue = isUpdateOverdue(snapshot) ? ' The branch is still behind its base: GitHub has not updated it.' : '';
  return decide('DONE', 'ALL_GREEN', `${what}, nothing conflicts and no review comment is open.${overdue}`);
}
