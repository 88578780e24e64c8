import type { Decision } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { ACTING_GUARDS, isUpdateOverdue } from './acting-guards.ts';
import { decide, type Guard } from './guard.ts';
import { MONITORING_GUARDS } from './monitoring-guards.ts';
import { toLeftText, toOpenText } from './review-words.ts';

/** Every guard, in the order in which they are asked. Without an answer of theirs, all is green (14). */
export const GUARDS: readonly Guard[] = [
  ...MONITORING_GUARDS,
  ...ACTING_GUARDS,
  { codes: ['REVIEW_NEEDS_PERSON'], find: reviewLeft },
];

/**
 * The one action of this iteration (002.R12, R13; resolution S12): the first guard that returns a decision wins. Total and pure:
 * a stored snapshot gives the same decision again. The merge state `behind` counts as clean unless the branch must be up to date.
 */
export function determineFixupAction(snapshot: Snapshot): Decision {
  for (const { find } of GUARDS) {
    const decision = find(snapshot);
    if (decision !== null) return decision;
  }
  return allGreen(snapshot);
}

/** Not DONE: somebody still waits for a person (resolution S20). */
function reviewLeft(snapshot: Snapshot): Decision | null {
  if (snapshot.review.left <= 0) return null;
  const reason = `${toCiText(snapshot)} and nothing conflicts, but ${toLeftText(snapshot.review)}`;
  return decide('CLEANUP_ONLY', 'REVIEW_NEEDS_PERSON', reason);
}

function allGreen(snapshot: Snapshot): Decision {
  const open = toOpenText(snapshot.review);
  const green =
    open === ''
      ? `${toCiText(snapshot)}, nothing conflicts and no review comment is open.`
      : `${toCiText(snapshot)} and nothing conflicts. ${open}`;
  const overdue = isUpdateOverdue(snapshot) ? ' The branch is still behind its base: GitHub has not updated it.' : '';
  return decide('DONE', 'ALL_GREEN', `${green}${overdue}${toUnknownFindingsText(snapshot)}`);
}

/** Where Ratchet fixes findings, nobody may take green for free of them. Their check run wakes the loop when it ends. */
function toUnknownFindingsText({ policy, quality }: Snapshot): string {
  if (!policy.fixEngines || quality !== undefined) return '';
  return ' "Ratchet / quality" has no result for this commit yet. Ratchet looks again when it has one.';
}

function toCiText({ ci }: Snapshot): string {
  return ci.status === 'none' ? 'There is no CI' : 'CI is green';
}
