import { determineFixupAction } from '../core/decide/determine-fixup-action.ts';
import { nextCheckAt } from '../core/decide/next-check.ts';
import { type PullRequestKey, parsePullRequestKey } from '../core/model/ids.ts';
import type { RunResult } from '../ports/queue.ts';
import { actOn } from './act-on.ts';
import { answerCommands, carryOutCommands } from './carry-out-commands.ts';
import { endLeftoverSessions, stopSessionOffGround } from './clear-sessions.ts';
import type { Deps, Lease } from './deps.ts';
import { recordDecisionOf } from './record-decision-of.ts';
import { report } from './report.ts';
import { takeSnapshot } from './take-snapshot.ts';

/** GitHub computes mergeability only when asked: ask again soon. */
const MERGE_RETRY_MS = 5_000;
/** A pull request at rest is looked at more seldom by so much. */
const WATCH_FACTOR = 6;
const NOT_WATCHED: RunResult = { nextCheckAt: null };

/**
 * One iteration of the loop for one pull request (002.R1, R2): carry out what people asked, look at GitHub afresh, decide at most
 * one action, record it, act, report. Whoever woke it and how often makes no difference.
 */
export async function evaluatePullRequest(deps: Deps, key: string, lease: Lease): Promise<RunResult> {
  const pullRequest = parsePullRequestKey(key);
  if (!isReachable(deps, pullRequest)) return NOT_WATCHED;
  const carriedOut = await carryOutCommands(deps, pullRequest, lease.signal);
  const workspace = deps.store.workspace(pullRequest);
  if (workspace === null || workspace.enablement === 'never') {
    await answerCommands(deps, carriedOut, { workspace, look: null }, lease.signal);
    return NOT_WATCHED;
  }
  endLeftoverSessions(deps, workspace);
  const look = await takeSnapshot(deps, workspace, lease.signal);
  const decision = determineFixupAction(look.snapshot);
  stopSessionOffGround(deps, look);
  recordDecisionOf(deps, look, decision);
  await actOn(deps, look, decision);
  await report(deps, look, decision, lease.signal);
  await answerCommands(deps, carriedOut, { workspace, look: { ...look, decision } }, lease.signal);
  const { recheckMs } = deps.settings;
  const intervals = { recheckMs, watchMs: recheckMs * WATCH_FACTOR, mergeRetryMs: MERGE_RETRY_MS };
  return { nextCheckAt: nextCheckAt(decision, look.snapshot, { intervals, settlesAt: look.ci?.settlesAt ?? null }) };
}

/** The App was uninstalled, suspended or taken off the repository: GitHub would only refuse (fault F30). */
function isReachable(deps: Pick<Deps, 'store'>, key: PullRequestKey): boolean {
  const workspace = deps.store.workspace(key);
  return workspace !== null && (deps.store.repository(workspace.repository.repositoryId)?.active ?? true);
}
