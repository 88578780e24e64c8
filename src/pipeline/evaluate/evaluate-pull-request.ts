import { CHECK_NAME } from '../../core/ci/own-checks.ts';
import { determineFixupAction } from '../../core/decide/determine-fixup-action.ts';
import { needsCloserLook } from '../../core/decide/needs-closer-look.ts';
import { nextCheckAt } from '../../core/decide/next-check.ts';
import type { Decision } from '../../core/model/decision.ts';
import { type EpochMs, type PullRequestKey, parsePullRequestKey, toRunId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { Deps, Lease } from '../deps.ts';
import { diagnoseCi } from '../look/diagnose-ci.ts';
import { type Look, takeSnapshot } from '../look/take-snapshot.ts';
import { carryOutCommands } from '../people/carry-out-commands.ts';
import { replyToCommands } from '../people/reply-to-commands.ts';
import { wakeQuality } from '../quality/wake-quality.ts';
import { endLeftoverFixups } from '../run/end-fixup.ts';
import { stopOffGround } from '../run/run-registry.ts';
import { nextSessionEndAt } from '../sessions/user-sessions.ts';
import { answerThreads } from '../tell/answer-threads.ts';
import { checkConfigFile } from '../tell/check-config-file.ts';
import { type Reported, report, reportProgress } from '../tell/report.ts';
import { tellPerson } from '../tell/tell-person.ts';
import { actOn } from './act-on.ts';
import { settleLostAsks } from './ask-once.ts';
import { checkUnwatched } from './check-unwatched.ts';
import { recordDecisionOf } from './record-decision-of.ts';
import { createOrTell } from './tell-failed-look.ts';

/** GitHub computes mergeability only on request, so ask again soon. */
const MERGE_RETRY_MS = 5_000;
/** Resting pull requests are polled this many times less often. */
const WATCH_FACTOR = 18;
/** A push usually takes seconds. After this time the evaluation no longer waits for it. */
const PUSH_MS = 30_000;
/** Where our success is required, GitHub may show only after it that the head is behind. No webhook but our own tells so. */
const CONCLUDED_MS = 10_000;
/** Due keys to search for others of the same repository. */
const MAX_DUE = 200;
/** Spreads the repositories over the interval. Must not divide it. */
const OFFSET_STEP_MS = 61_000;
/** Until GitHub has told who pushed. */
const ASK_AGAIN_MS = 60_000;
const NOT_WATCHED: RunResult = { nextCheckAt: null };

/**
 * One iteration of the loop for one pull request (002.R1, R2): carry out commands, read GitHub, decide at most one action, record
 * it, act, report. Safe to run any number of times.
 */
export async function evaluatePullRequest(deps: Deps, key: string, lease: Lease): Promise<RunResult> {
  const pullRequest = parsePullRequestKey(key);
  if (!isReachable(deps, pullRequest)) return NOT_WATCHED;
  const lookAt = lease.isTimed === true ? await reportProgress(deps, pullRequest, lease.signal) : null;
  return lookAt === null ? iterate(deps, pullRequest, lease) : { nextCheckAt: lookAt };
}

async function iterate(deps: Deps, pullRequest: PullRequestKey, lease: Lease): Promise<RunResult> {
  const orTell = createOrTell(deps, pullRequest, lease.signal);
  const carriedOut = await orTell(carryOutCommands(deps, pullRequest, lease.signal));
  if (deps.store.qualityAsk(pullRequest) !== null) await deps.qualityQueue.announce([pullRequest]);
  const workspace = deps.store.workspace(pullRequest);
  if (workspace === null || workspace.enablement === 'never') {
    await replyToCommands(deps, carriedOut, { workspace, look: null }, lease.signal);
    if (workspace !== null) await checkUnwatched(deps, workspace, lease.signal);
    return NOT_WATCHED;
  }
  const pushedBy = carriedOut.length === 0 ? pushEndsBy(deps, pullRequest) : null;
  if (pushedBy !== null) return { nextCheckAt: pushedBy };
  settleLostAsks(deps, pullRequest);
  endLeftoverFixups(deps, pullRequest);
  const { look, decision } = await orTell(decide(deps, workspace, lease));
  stopFixupOffGround(deps, look);
  recordDecisionOf(deps, look, decision);
  await actOn(deps, look, decision, lease.signal);
  if (look.facts !== null) await wakeQuality(deps, pullRequest, { facts: look.facts, policy: look.policy });
  await answerThreads(deps, look, lease.signal);
  const reported = await report(deps, look, decision, lease.signal);
  if (look.facts !== null) await checkConfigFile(deps, { workspace: look.workspace, facts: look.facts }, lease.signal);
  await tellPerson(deps, look, decision, lease.signal);
  await replyToCommands(deps, carriedOut, { workspace, look: { ...look, decision } }, lease.signal);
  const confirmAt = toConfirmAt(deps, look, reported);
  const nextCheckAt = toEarliest(toNextCheckAt(deps, look, decision), confirmAt);
  keepTold(deps, pullRequest, reported, nextCheckAt);
  return { nextCheckAt };
}

/** Keeps the report while a session of this process works, for the reports of its progress. */
function keepTold(
  { running }: Pick<Deps, 'running'>,
  key: PullRequestKey,
  reported: Reported | null,
  nextCheckAt: EpochMs | null,
): void {
  const working = reported?.story.working ?? null;
  const isOurs = working !== null && working.key === key && running.isRunning(toRunId(working.id));
  const told = reported === null || nextCheckAt === null || !isOurs ? null : { ...reported, nextCheckAt };
  running.setTold(key, told);
}

/** When to evaluate again while our push runs; null: none does. A look now would report a session that is nearly over. */
function pushEndsBy({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): EpochMs | null {
  const intents = store.liveOnBranch(key).flatMap(({ id }) => store.openIntents(id));
  const push = intents.find(({ effect }) => effect.kind === 'push');
  const endsBy = (push?.createdAt ?? Number.NEGATIVE_INFINITY) + PUSH_MS;
  return endsBy > clock.now() ? endsBy : null;
}

/** The earliest of the next check of the decision, the deadline of a session, and the next question who pushed. */
function toNextCheckAt(
  deps: Pick<Deps, 'clock' | 'settings' | 'store'>,
  look: Look,
  decision: Decision,
): EpochMs | null {
  const { recheckMs } = deps.settings;
  const watchMs = recheckMs * WATCH_FACTOR;
  const watchOffsetMs = (look.workspace.repository.repositoryId * OFFSET_STEP_MS) % watchMs;
  const intervals = { recheckMs, watchMs, watchOffsetMs, mergeRetryMs: MERGE_RETRY_MS };
  const checkAt = nextCheckAt(decision, look.snapshot, { intervals, settlesAt: look.ci?.settlesAt ?? null });
  const sessionAt = nextSessionEndAt(deps, look.workspace.key);
  const askAgainAt = look.workspace.openPush === null ? null : look.snapshot.now + ASK_AGAIN_MS;
  return toEarliest(checkAt, sessionAt, askAgainAt);
}

/** When to look once more after our success; null where it is not required, and so hides nothing. */
function toConfirmAt({ clock }: Pick<Deps, 'clock'>, { facts }: Look, reported: Reported | null): EpochMs | null {
  if (reported?.hasSucceeded !== true) return null;
  return facts?.rules.requiredChecks.includes(CHECK_NAME) === true ? clock.now() + CONCLUDED_MS : null;
}

function toEarliest(...times: readonly (EpochMs | null)[]): EpochMs | null {
  const given = times.filter((at) => at !== null);
  return given.length === 0 ? null : Math.min(...given);
}

function stopFixupOffGround(deps: Pick<Deps, 'log' | 'running'>, { working, workspace, facts }: Look): void {
  // Another pull request of the branch ends its own sessions.
  if (working === null || working.fixup === null || working.key !== workspace.key) return;
  stopOffGround(deps, { id: toRunId(working.id), key: working.key, headSha: working.fixup.headSha }, facts);
}

/** Takes a look and decides. If red CI is the problem, a closer look may allow a cheaper fix than an agent (resolution S7). */
async function decide(
  deps: Deps,
  workspace: Workspace,
  { signal, isTimed = false }: Lease,
): Promise<{ readonly look: Look; readonly decision: Decision }> {
  const look = await takeSnapshot(deps, workspace, signal, isTimed ? findDueBeside(deps, workspace) : null);
  if (!needsCloserLook(look.snapshot)) return { look, decision: determineFixupAction(look.snapshot) };
  const closer = await diagnoseCi(deps, look, signal);
  return { look: closer, decision: determineFixupAction(closer.snapshot) };
}

/** Other pull requests of the same repository that are due and were enabled at some time. */
function findDueBeside({ clock, store }: Pick<Deps, 'clock' | 'store'>, asked: Workspace): readonly Workspace[] {
  return store
    .dueWakeups(EVALUATE_QUEUE, clock.now(), MAX_DUE)
    .filter((key) => key.startsWith(`${asked.repository.repositoryId}#`))
    .flatMap((key) => store.workspace(parsePullRequestKey(key)) ?? [])
    .filter(({ key, enablement }) => key !== asked.key && enablement !== 'never');
}

/** Not where the App was uninstalled, suspended or taken off the repository: GitHub would only refuse (fault F30). */
function isReachable({ store }: Pick<Deps, 'store'>, key: PullRequestKey): boolean {
  const workspace = store.workspace(key);
  return workspace !== null && store.repository(workspace.repository.repositoryId)?.active !== false;
}
