import { toError, WorkspaceError } from '../../core/model/errors.ts';
import { parsePullRequestKey, parseSessionId } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { QualityAsk, QualityRun } from '../../core/model/quality-run.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { redactStory } from '../../core/quality/redact-story.ts';
import { toWantKey } from '../../core/quality/want-key.ts';
import {
  type QualityStop,
  renderQuality,
  renderQualityStart,
  renderQualityStop,
} from '../../core/render/render-quality.ts';
import { toQualityAnnotations } from '../../core/render/to-quality-annotations.ts';
import type { QualityEnd } from '../../ports/quality-store.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { Deps, Lease } from '../deps.ts';
import { readFacts } from '../look/read-facts.ts';
import { type Attempt, attemptQuality, type QualityDeps, type QualityGround } from './attempt-quality.ts';
import { keepReport } from './keep-report.ts';
import { tellQuality, toContent, toReport } from './tell-quality.ts';

/** All engines of both sides, with fetch and setup, where the operator sets no ceiling. */
export const DEFAULT_TOTAL_MINUTES = 60;
/** How often a run for the same thing may come to no end by no fault of the head's. */
const MAX_INTERRUPTIONS = 3;
const SEARCHED_RUNS = 10;
const NOTHING_MORE: RunResult = { nextCheckAt: null };

/** What is to be run, read afresh. */
interface Want {
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly wantKey: string;
  readonly ask: QualityAsk | null;
}

/**
 * The flow of one run of the queue `quality`: settle what an earlier run left, read the pull request, and where policy asks for
 * engines and this head has no result for it (or somebody asked for another run), run them and tell the check run "Ratchet /
 * quality". Whoever woke it and how often makes no difference.
 */
export async function runQuality(deps: QualityDeps, key: string, lease: Lease): Promise<RunResult> {
  const workspace = deps.store.workspace(parsePullRequestKey(key));
  if (workspace === null || !isReachable(deps, workspace)) return NOTHING_MORE;
  await settleLeftovers(deps, workspace, lease.signal);
  const want = await readWant(deps, workspace, lease.signal);
  if (want === null || isDone(deps, workspace, want)) return NOTHING_MORE;
  const run = beginRun(deps, workspace, want);
  try {
    const end = await reachEnd(deps, { workspace, run, want }, lease);
    // Another process that took over has ended it, and told of it.
    if (!deps.store.endQualityRun(run.id, end)) return NOTHING_MORE;
    if (want.ask !== null) deps.store.settleQualityAsk(workspace.key, want.ask.id);
  } finally {
    await removeTraces(deps, workspace, run);
  }
  const told = deps.store.qualityRuns(workspace.key, SEARCHED_RUNS).find(({ id }) => id === run.id);
  await tellQuality(deps, workspace, { run: told ?? run, isRepeated: false }, lease.signal);
  return NOTHING_MORE;
}

function isReachable({ store }: Pick<Deps, 'store'>, { repository }: Workspace): boolean {
  return store.repository(repository.repositoryId)?.active ?? true;
}

/** At most one run of a key is at work, and this one is: what stands as running was left by a process that is no more. */
async function settleLeftovers(deps: QualityDeps, workspace: Workspace, signal: AbortSignal): Promise<void> {
  for (const run of deps.store.qualityRuns(workspace.key, SEARCHED_RUNS)) {
    if (run.status === 'finished') continue;
    if (run.status === 'running') {
      deps.store.endQualityRun(run.id, toStopped(deps, run, { kind: 'interrupted' }));
      await removeTraces(deps, workspace, run);
    }
    await tellQuality(deps, workspace, { run, isRepeated: run.status === 'reporting' }, signal);
  }
}

/** null: nothing is to be run, and nobody waits for it. */
async function readWant(deps: QualityDeps, workspace: Workspace, signal: AbortSignal): Promise<Want | null> {
  const ask = deps.store.qualityAsk(workspace.key);
  const facts = await readFacts(deps, workspace, signal);
  if (facts?.state === 'open' && (facts.taken.policy.engines !== null || ask !== null)) {
    const { policy } = facts.taken;
    return { facts, policy, wantKey: toWantKey(facts, policy), ask };
  }
  if (ask !== null) deps.store.settleQualityAsk(workspace.key, ask.id);
  return null;
}

function isDone({ store }: Pick<Deps, 'store'>, { key }: Workspace, { wantKey, ask }: Want): boolean {
  if (ask !== null) return false;
  return store.qualityRuns(key, SEARCHED_RUNS).some((run) => run.wantKey === wantKey && isResult(run));
}

/** A run that was cancelled was so for another head; of this one nothing is known. */
function isResult({ conclusion }: QualityRun): boolean {
  return conclusion !== null && conclusion !== 'interrupted' && conclusion !== 'cancelled';
}

function beginRun(deps: QualityDeps, { key }: Workspace, { facts, wantKey }: Want): QualityRun {
  const run: QualityRun = {
    id: parseSessionId(deps.newId()),
    key,
    headSha: facts.headSha,
    wantKey,
    status: 'running',
    checkRunId: null,
    conclusion: null,
    newFindings: [],
    startedAt: deps.clock.now(),
    endedAt: null,
  };
  deps.store.beginQualityRun(run);
  return run;
}

interface Running {
  readonly workspace: Workspace;
  readonly run: QualityRun;
  readonly want: Want;
}

/** What needs no code of the head is answered first. */
async function reachEnd(deps: QualityDeps, running: Running, lease: Lease): Promise<QualityEnd> {
  const { workspace, run, want } = running;
  const stop = findObstacle(deps, workspace, want);
  if (stop !== null) return toStopped(deps, run, stop);
  const content = toContent(deps, run, renderQualityStart(run.headSha));
  const checkRunId = await deps.github.createCheckRun(workspace.repository, content, lease.signal, true);
  deps.store.nameQualityCheck(run.id, checkRunId);
  return waitForEnd(deps, running, lease);
}

function findObstacle({ store }: Pick<Deps, 'store'>, { key }: Workspace, want: Want): QualityStop | null {
  const { facts, policy, wantKey } = want;
  if (facts.fork) return { kind: 'fork' };
  if (policy.engines === null) {
    return {
      kind: 'not_possible',
      why: 'The policy of the base branch asks for no engines: name some under "engines".',
    };
  }
  const [, ...before] = store.qualityRuns(key, SEARCHED_RUNS);
  const last = before.findIndex((run) => run.wantKey !== wantKey || run.conclusion !== 'interrupted');
  const interrupted = last === -1 ? before.length : last;
  if (interrupted < MAX_INTERRUPTIONS) return null;
  const why = `Ratchet itself failed ${String(interrupted)} times while the engines ran on this head; its log says why.`;
  return { kind: 'not_possible', why };
}

/** The signal of the work fires at its limit, when the head moves, and when the process stops; what fired says how it ended. */
async function waitForEnd(deps: QualityDeps, { workspace, run, want }: Running, lease: Lease): Promise<QualityEnd> {
  const { facts, policy, ask } = want;
  const registered = deps.running.open(run.id);
  const limitMs = (deps.settings.operatorPolicy.ceilings.engines?.totalMinutes ?? DEFAULT_TOTAL_MINUTES) * 60_000;
  const deadline = deps.newDeadline(limitMs);
  const signal = AbortSignal.any([lease.signal, registered.signal, deadline]);
  const ground: QualityGround = { workspace, run, facts, policy, ask };
  try {
    const attempt = await attemptQuality(deps, ground, signal);
    signal.throwIfAborted();
    if (attempt.kind === 'judged') await keepReport(deps, run.id, attempt.assembled.story);
    return toEnd(deps, run, attempt);
  } catch (error) {
    const stop = toStop(error);
    if (stop === null) throw error;
    deps.log.warn(
      { key: run.key, runId: run.id, why: stop.kind, error: toError(error) },
      'run of the engines ended early',
    );
    return toStopped(deps, run, stop);
  } finally {
    registered.close();
  }

  function toStop(error: unknown): QualityStop | null {
    if (registered.stoppedBy() !== null) return { kind: 'superseded', headSha: null };
    if (lease.signal.aborted) return null;
    if (deadline.aborted) return { kind: 'timed_out', limitMs };
    if (!(error instanceof WorkspaceError)) return null;
    if (error.code === 'HEAD_MOVED') return { kind: 'superseded', headSha: null };
    if (error.retry !== 'never') return null;
    return { kind: 'not_possible', why: `The files of the head could not be prepared (${error.code}).` };
  }
}

function toEnd(deps: Pick<Deps, 'clock' | 'redact'>, run: QualityRun, attempt: Attempt): QualityEnd {
  if (attempt.kind === 'stopped') return toStopped(deps, run, attempt.stop);
  const { newFindings } = attempt.assembled;
  const story = redactStory(attempt.assembled.story, deps.redact);
  const text = renderQuality(story);
  const report = toReport(deps, run, text, toQualityAnnotations(story, attempt.headFiles));
  return { conclusion: text.conclusion ?? 'cancelled', newFindings, at: deps.clock.now(), report };
}

function toStopped(
  deps: Pick<Deps, 'clock' | 'redact'>,
  run: Pick<QualityRun, 'id' | 'key' | 'headSha'>,
  stop: QualityStop,
): QualityEnd {
  const text = renderQualityStop(stop);
  const conclusion = stop.kind === 'interrupted' ? 'interrupted' : (text.conclusion ?? 'cancelled');
  return { conclusion, newFindings: [], at: deps.clock.now(), report: toReport(deps, run, text) };
}

/** Of a run that a crash interrupts, the next one and the sweep remove them. */
async function removeTraces(
  deps: Pick<Deps, 'git' | 'log'>,
  { repository }: Workspace,
  { id }: Pick<QualityRun, 'id'>,
): Promise<void> {
  try {
    await deps.git.removeSession(id, repository.repositoryId);
  } catch (error) {
    deps.log.warn({ runId: id, error: toError(error) }, 'workspace left for the sweep');
  }
}
