import type { Decision } from '../../core/model/decision.ts';
import type { NewTransition } from '../../ports/store.ts';
import type { Look } from '../look/take-snapshot.ts';

/** The line of the transition log for a decision, with its whole input (002.R22). */
export function toDecisionTransition({ workspace, snapshot }: Look, decision: Decision): NewTransition {
  const { action, code, reason } = decision;
  return { key: workspace.key, action, code, reason, snapshot, createdAt: snapshot.now };
}
