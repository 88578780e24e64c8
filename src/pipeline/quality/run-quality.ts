import { parsePullRequestKey, parseRunId } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { QualityAsk, QualityConclusion, QualityRun } from '../../core/model/quality-run.ts';
import { EVALUATE_QUEUE, QUALITY_QUEUE } from '../../core/model/queues.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { redactStory } from '../../core/quality/redact-story.ts';
import { toWantKey } from '../../core/quality/want-key.ts';
import {
  type QualityStop,
  renderQuality,
  renderQualityStart,
  renderQualityStop,
} from '../../core/render/render-quality.ts';
import { renderRestart } from '../../core/render/render-restart.ts';
import { toQualityAnnotations } from '../../core/render/to-quality-annotations.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import { toQualityStop } from '../../core/runs/quality-end.ts';
import type { QualityEnd } from '../../ports/quality-store.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { Deps, Lease } from '../deps.ts';
import { readFacts } from '../look/read-facts.ts';
import { type Run, runToEnd } from '../run/run-to-end.ts';
import { sendCheckRun } from '../tell/send-check-run.ts';
import { tellRestart } from '../tell/tell-restart.ts';
import { judgeQuality, type QualityDeps, type QualityJudgement } from './judge-quality.ts';
import { keepReport } from './keep-report.ts';
import { tellQuality, toCheckRun, toContent, toReport } from './tell-quality.ts';

/** Default time limit in minutes for fetch, setup and all engines on both sides, if the operator sets no ceiling. */
export const DEFAULT_TOTAL_MINUTES = 60;
/** Runs with the same want key that may be interrupted in a row before Ratchet gives up. */
const MAX_INTERRUPTIONS = 3;
const SEARCHED_RUNS = 10;
/** Runs that say nothing about their head. */
const WITHOUT_RESULT: ReadonlyMap<QualityStop['kind'], QualityConclusion> = new Map([
  ['interrupted', 'interrupted'],
  ['superseded', 'cancelled'],
]);
const NOTHING_MORE: RunResult = { nextCheckAt: null };

/** What to run, from the current pull request. */
interface Want {
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly wantKey: string;
  readonly ask: QualityAsk | null;
}

/**
 * One job of the queue `quality`: settle what an earlier run left, read the pull request, run the engines if the policy asks for
 * some and this head has no result (or a person asked for a run), and report in the check run "Ratchet / quality". Safe to run any
 * number of times.
 */
export async function runQuality(deps: QualityDeps, key: string, lease: Lease): Promise<RunResult> {
  const workspace = deps.store.workspace(parsePullRequestKey(key));
  if (workspace === null || deps.store.repository(workspace.repository.repositoryId)?.active === false)
    return NOTHING_MORE;
  await settleLeftovers(deps, workspace, lease);
  const want = await readWant(deps, workspace, lease.signal);
  const waiting = findWaiting(deps, workspace);
  const isWanted = waiting !== null && waiting.wantKey === want?.wantKey;
  if (waiting !== null && !isWanted) await runToEnd(deps, toRun(deps, workspace, waiting, lease), lease);
  if (want === null || isDone(deps, workspace, want)) return NOTHING_MORE;
  const run = isWanted ? waiting : toQualityRun(deps, workspace, want);
  const wanted = toWantedRun(deps, { workspace, run, want, isWaiting: isWanted }, lease);
  await runOrWait(deps, wanted, lease).catch(async (error: unknown) => {
    await tellInterrupted(deps, workspace, { run, lease });
    throw error;
  });
  if (want.policy.fix === 'engines') {
    deps.store.markWakeup(EVALUATE_QUEUE, workspace.key, null);
    await deps.evaluateQueue.announce([workspace.key]);
  }
  return NOTHING_MORE;
}

/** Only a check run that is open on GitHub says so: a run that is stored as reporting has its result. */
async function tellInterrupted(
  deps: QualityDeps,
  workspace: Workspace,
  { run, lease }: { readonly run: QualityRun; readonly lease: Lease },
): Promise<void> {
  const { key } = workspace;
  const told = deps.store.checkRun(toCheckRun(run));
  if (told === null || told.completed || deps.store.qualityReport(run.id) !== null) return;
  const content = toContent(deps, run, renderRestart());
  await tellRestart(deps, { key, leased: { queue: QUALITY_QUEUE, key }, lease }, (signal) =>
    sendCheckRun(deps, { workspace, series: run.id, content, isUnseen: false }, signal),
  );
}

/** While GitHub is in trouble the run stays open, and the queue continues it after a back-off. */
async function runOrWait(deps: QualityDeps, run: Run<QualityEnd>, lease: Lease): Promise<void> {
  try {
    await runToEnd(deps, run, lease);
  } catch (error) {
    if (isOutage(error)) deps.running.setWaiting(run.id, { why: error.message, since: deps.clock.now() });
    throw error;
  }
  deps.running.setWaiting(run.id, null);
}

function toWantedRun(
  deps: QualityDeps,
  given: {
    readonly workspace: Workspace;
    readonly run: QualityRun;
    readonly want: Want;
    /** The run began before, and had to wait for GitHub. */
    readonly isWaiting: boolean;
  },
  lease: Lease,
): Run<QualityEnd> {
  const { workspace, run, want, isWaiting } = given;
  return {
    ...toRun(deps, workspace, run, lease),
    begin: () => {
      if (!isWaiting) deps.store.beginQualityRun(run);
      return true;
    },
    work: (signal) => work(deps, { workspace, run, want }, signal),
    end: (end) => deps.store.endQualityRun(run.id, { ...end, askId: want.ask?.id ?? null }),
  };
}

/** The run that waits for GitHub; null: none does. */
function findWaiting({ running, store }: Pick<Deps, 'running' | 'store'>, { key }: Workspace): QualityRun | null {
  const runs = store.qualityRuns(key, SEARCHED_RUNS);
  return runs.find(({ id, status }) => status === 'running' && running.waitingOf(id) !== null) ?? null;
}

/**
 * At most one run of a key is active, and this is it. A run stored as `running` was left by an ended process, unless it waits for
 * GitHub.
 */
async function settleLeftovers(deps: QualityDeps, workspace: Workspace, lease: Lease): Promise<void> {
  for (const run of deps.store.qualityRuns(workspace.key, SEARCHED_RUNS)) {
    const isLeft = run.status === 'running' && deps.running.waitingOf(run.id) === null;
    if (isLeft) await runToEnd(deps, toRun(deps, workspace, run, lease), lease);
    if (run.status === 'reporting') await tellQuality(deps, workspace, { run, isRepeated: true }, lease.signal);
  }
}

/** The lifecycle of a run that an ended process left. A new run replaces `begin`, `work` and `end`. */
function toRun(deps: QualityDeps, workspace: Workspace, run: QualityRun, lease: Lease): Run<QualityEnd> {
  const { key } = workspace;
  const totalMinutes = deps.settings.operatorPolicy.ceilings.engines?.totalMinutes ?? DEFAULT_TOTAL_MINUTES;
  const limitMs = totalMinutes * 60_000;
  return {
    id: run.id,
    key,
    leased: { queue: QUALITY_QUEUE, key },
    limitMs,
    begin: () => false,
    work: () => Promise.resolve(null),
    planned: () => null,
    toEnd: (interruption) => {
      const stop = toQualityStop(interruption, limitMs);
      return stop === null ? null : toStopped(deps, run, stop);
    },
    end: (end) => deps.store.endQualityRun(run.id, end),
    afterEnd: async () => {
      const ended = deps.store.qualityRuns(key, SEARCHED_RUNS).find(({ id }) => id === run.id);
      await tellQuality(deps, workspace, { run: ended ?? run, isRepeated: false }, lease.signal);
    },
  };
}

/** null: there is nothing to run. */
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

/** A cancelled or interrupted run says nothing about the head. */
function isResult({ conclusion }: QualityRun): boolean {
  return conclusion !== null && conclusion !== 'interrupted' && conclusion !== 'cancelled';
}

function toQualityRun(deps: QualityDeps, { key }: Workspace, { facts, wantKey }: Want): QualityRun {
  return {
    ...{ id: parseRunId(deps.newId()), key, headSha: facts.headSha, wantKey, startedAt: deps.clock.now() },
    ...{ status: 'running', conclusion: null, newFindings: [], endedAt: null },
  };
}

/** Checks obstacles that need no code of the head first. */
async function work(
  deps: QualityDeps,
  { workspace, run, want }: { readonly workspace: Workspace; readonly run: QualityRun; readonly want: Want },
  signal: AbortSignal,
): Promise<QualityEnd> {
  const obstacle = findObstacle(deps, workspace, want);
  if (obstacle !== null) return toStopped(deps, run, obstacle);
  const content = toContent(deps, run, renderQualityStart(run.headSha));
  await sendCheckRun(deps, { workspace, series: run.id, content, isUnseen: true }, signal);
  const { facts, policy, ask } = want;
  const judgement = await judgeQuality(deps, { workspace, run, facts, policy, ask }, signal);
  signal.throwIfAborted();
  if (judgement.kind === 'judged') await keepReport(deps, run.id, judgement.assembled.story);
  return toEnd(deps, run, judgement);
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

function toEnd(deps: Pick<Deps, 'clock' | 'redact'>, run: QualityRun, judgement: QualityJudgement): QualityEnd {
  if (judgement.kind === 'stopped') return toStopped(deps, run, judgement.stop);
  const { newFindings } = judgement.assembled;
  const story = redactStory(judgement.assembled.story, deps.redact);
  const text = renderQuality(story);
  const report = toReport(deps, run, text, toQualityAnnotations(story, judgement.headFiles));
  return { conclusion: text.conclusion ?? 'cancelled', newFindings, at: deps.clock.now(), report, askId: null };
}

function toStopped(
  deps: Pick<Deps, 'clock' | 'redact'>,
  run: Pick<QualityRun, 'id' | 'key' | 'headSha'>,
  stop: QualityStop,
): QualityEnd {
  const text = renderQualityStop(stop);
  const conclusion = WITHOUT_RESULT.get(stop.kind) ?? text.conclusion ?? 'cancelled';
  return { conclusion, newFindings: [], at: deps.clock.now(), report: toReport(deps, run, text), askId: null };
}
