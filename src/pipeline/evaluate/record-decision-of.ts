import { explainDecision, toGuardsText } from '../../core/decide/explain-decision.ts';
import { recordDecision } from '../../core/decide/record-decision.ts';
import type { Decision } from '../../core/model/decision.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { NewTransition } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

/** Logs the decision with its input (except a launch: see `isLaunch`) and updates the workspace (002.R22, R23, R32). */
export function recordDecisionOf(deps: Pick<Deps, 'log' | 'store'>, look: Look, decision: Decision): void {
  const { workspace, snapshot, beside } = look;
  if (!isLaunch(decision)) deps.store.appendTransition(toDecisionTransition(look, decision));
  deps.store.updateWorkspace(workspace.key, recordDecision(workspace, decision, { now: snapshot.now, beside }));
  tellBeside(deps, look, decision);
  explain(deps, look, decision);
  deps.log.info(
    {
      key: workspace.key,
      action: decision.action,
      code: decision.code,
      reason: decision.reason,
      attempts: snapshot.ratchet.consecutiveAttempts,
      headSha: look.facts?.headSha,
      ...detailsOf(look, decision),
    },
    'action determined',
  );
}

/** Which guards were asked, and by which facts they answered: the snapshot, as `ratchet explain decision` reads it. */
function explain({ log }: Pick<Deps, 'log'>, { workspace, snapshot }: Look, decision: Decision): void {
  const { action, code, reason, means } = decision;
  const guards = toGuardsText(explainDecision(snapshot));
  const facts = JSON.stringify(snapshot);
  log.debug({ key: workspace.key, action, code, means, reason, guards, facts }, 'decision explained');
}

/** Check runs of one head say nothing green until all pull requests of the branch are: the others look at it again. */
function tellBeside({ store }: Pick<Deps, 'store'>, { workspace, beside }: Look, decision: Decision): void {
  const isGreen = decision.code === 'ALL_GREEN';
  if (isGreen === (workspace.state === 'green')) return;
  for (const { key } of beside) store.markWakeup(EVALUATE_QUEUE, key, null);
}

/** Whether the decision launches a fixup. `actOn` records it then, in one transaction with the session. */
function isLaunch({ action, means = 'agent' }: Decision): boolean {
  const isFix = action === 'FIX_CI' || action === 'FIX_MERGE_CONFLICT' || action === 'FIX_REVIEW';
  return isFix && means === 'agent';
}

/** Additional log fields for some codes (002.R32). */
function detailsOf(look: Look, decision: Decision): Readonly<Record<string, string | number | null>> {
  const { ratchet, ci, policy } = look.snapshot;
  if (decision.code === 'STALE_CI_RUN') return { currentRunId: ci.runId, recordedRunId: ratchet.lastCiRunId };
  if (decision.code === 'STALE_CI_TIMEOUT') {
    return { staleSince: ratchet.staleCiSince, timeoutMs: policy.staleCiTimeoutSeconds * 1000 };
  }
  return {};
}

/** The transition log entry of a decision, with its whole input (002.R22). */
export function toDecisionTransition({ workspace, snapshot }: Look, decision: Decision): NewTransition {
  const { action, code, reason } = decision;
  return { key: workspace.key, action, code, reason, snapshot, createdAt: snapshot.now };
}
