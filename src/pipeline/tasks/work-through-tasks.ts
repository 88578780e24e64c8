import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { Task } from '../../core/model/task.ts';
import type { CollectStage, RunEvent } from '../../core/model/task-record.ts';
import { toUsd } from '../../core/spend/session-limits.ts';
import { findStopCause, isCheckpointDue, type StopCause } from '../../core/tasks/judge-progress.ts';
import { executePlan } from '../execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../execution/execution-tool-registry.ts';
import { type AttemptEnded, attemptTask, type SharedState, toClaimEnd } from './attempt-task.ts';
import { type Collected, collectFindings, toEngineKey } from './collect-findings.ts';
import { integrateChanges, type RunHead } from './integrate-changes.ts';
import { createIntegrationQueue } from './integration-queue.ts';
import { planNextTasks } from './plan-next-tasks.ts';
import { RUN_NOTES, type RunState, restoreState } from './run-state.ts';
import { ATTEMPT, COLLECT, type TaskPlace, toTaskPlan } from './task-actions.ts';
import type { TaskDeps, TaskRunGround } from './task-run.ts';

/** What people who watch a run are told. */
export type RunChange =
  | { readonly kind: 'collecting'; readonly stage: CollectStage }
  | {
      readonly kind: 'collected';
      readonly stage: CollectStage;
      readonly findings: number;
      /** How many engines gave an answer. */
      readonly ran: number;
      readonly incomplete: readonly string[];
    }
  | { readonly kind: 'planned'; readonly newTasks: number }
  | { readonly kind: 'attempt_started'; readonly task: Task; readonly attemptNo: number }
  | { readonly kind: 'attempt_progress'; readonly taskId: number; readonly progress: AgentProgress }
  | { readonly kind: 'attempt_ended'; readonly ended: AttemptEnded }
  | { readonly kind: 'stopped'; readonly why: string };

export interface TaskWork {
  readonly watch: (change: RunChange) => void;
  /** Ends after the first plan: nothing is attempted. */
  readonly isDryRun: boolean;
}

const WRITE_WAIT_MS = 60_000;
const MAX_COLLECTIONS = 100;
/** Each engine has a time limit of its own. */
const COLLECT_SECONDS = 24 * 60 * 60;
/** Of a plan of which the run has no limit. */
const NO_LIMIT_USD = 1_000_000;
const STOP_WORDS: Readonly<Record<StopCause, string>> = {
  NO_REDUCTION: 'the checkpoints show no fewer findings',
  FINDINGS_REPEAT: 'the findings of an earlier checkpoint are back',
  DIFFS_CHURN: 'the changes undo each other',
};

interface Run {
  readonly deps: TaskDeps;
  readonly ground: TaskRunGround;
  readonly work: TaskWork;
  readonly state: RunState;
  readonly place: TaskPlace;
  readonly signal: AbortSignal;
}

/**
 * Works through the findings of a commit (001.R3): collects, plans tasks, attempts them, collects again at checkpoints, and at the end.
 * The store has every step, so a process that takes over goes on where this one ended. Returns the state at the end.
 * @throws the reason of `signal`, and what an adapter throws.
 */
export async function workThroughTasks(
  deps: TaskDeps,
  ground: TaskRunGround,
  work: TaskWork,
  signal: AbortSignal,
): Promise<RunState> {
  const state = restoreState(deps, ground);
  if (state.isFinal) return state;
  const run: Run = { deps, ground, work, state, signal, place: createPlace({ deps, ground, work, state }) };
  // Whoever had a claim is dead: this process holds the run.
  await deps.store.onceWritable(
    () => deps.store.recoverTaskClaims(ground.runId, deps.clock.now(), 'all'),
    WRITE_WAIT_MS,
  );
  for (;;) {
    signal.throwIfAborted();
    const { last } = state;
    if (last === null) {
      await collectAndPlan(run);
      if (work.isDryRun) return state;
      continue;
    }
    await stopIfNeeded(run);
    if (await attemptAll(run)) continue;
    if (state.head !== last.head) {
      await collectAndPlan(run);
      continue;
    }
    if (state.stopped === null && (await plan(run, last.collected)) > 0) continue;
    await store(run, 'final', last.collected);
    return state;
  }
}

/** Attempts what can be claimed, up to the next checkpoint. False: there is nothing. */
async function attemptAll(run: Run): Promise<boolean> {
  const { state, deps, ground } = run;
  const { tasks } = ground.policy;
  const claimable = state.stopped === null ? countClaimable(run) : 0;
  if (claimable === 0) return false;
  const room = Math.max(1, tasks.checkpointTasks - state.succeededSince);
  await execute(run, 'attempt', Math.min(claimable, room));
  const since = { succeeded: state.succeededSince, at: state.collectedAt };
  const isDue = state.head !== state.last?.head && isCheckpointDue(since, deps.clock.now(), tasks);
  if (isDue && countClaimable(run) > 0) await collectAndPlan(run);
  return true;
}

async function collectAndPlan(run: Run): Promise<void> {
  await execute(run, 'collect', 1);
  const { last, stopped } = run.state;
  if (last !== null && stopped === null) await plan(run, last.collected);
}

async function plan({ deps, ground, state, work }: Run, collected: Collected): Promise<number> {
  const newTasks = await planNextTasks(deps, ground, state, collected);
  if (newTasks > 0) work.watch({ kind: 'planned', newTasks });
  return newTasks;
}

/** Decides whether anything more is started, and tells it once. */
async function stopIfNeeded(run: Run): Promise<void> {
  const { deps, ground, state, work } = run;
  state.stopped ??= findStop(run);
  if (state.stopped === null || state.isStopTold) return;
  state.isStopTold = true;
  await note(deps, ground, { [RUN_NOTES.stopped]: state.stopped });
  work.watch({ kind: 'stopped', why: state.stopped });
}

function findStop({ deps, ground, state }: Run): string | null {
  const { maxMicroUsd, deadline, key } = ground;
  const spent = deps.store.spent({ scope: 'pull_request', key }).microUsd;
  if (maxMicroUsd !== null && spent > 0 && spent >= maxMicroUsd) return 'the budget of the run is spent';
  if (deps.clock.now() >= deadline) return 'the time of the run is over';
  if (state.collections >= MAX_COLLECTIONS) return 'it has looked for findings too often';
  const cause = findStopCause(state.checkpoints);
  return cause === null ? null : STOP_WORDS[cause];
}

/** Keeps something for whoever resumes the run. */
async function note({ store, clock }: TaskDeps, { runId }: TaskRunGround, payload: RunEvent['payload']): Promise<void> {
  const event = { runId, at: clock.now(), level: 'info', payload } as const;
  await store.onceWritable(() => store.noteEvent(event), WRITE_WAIT_MS);
}

/** Tasks that could be claimed now. */
function countClaimable({ deps, ground }: Pick<Run, 'deps' | 'ground'>): number {
  const tasks = deps.store.tasks(ground.runId);
  const isDone = ({ status, cause }: Task): boolean => status === 'succeeded' || cause === 'GONE';
  const succeeded = new Set(tasks.filter(isDone).map(({ fingerprint }) => fingerprint));
  return tasks.filter(({ status, dependsOn }) => status === 'queued' && dependsOn.every((one) => succeeded.has(one)))
    .length;
}

/** One plan on the executor, which keeps the number of workers, the budget and the time. */
async function execute(run: Run, action: 'collect' | 'attempt', count: number): Promise<void> {
  const { deps, ground, place, signal, state } = run;
  const { maxMicroUsd, key, deadline } = ground;
  const spent = deps.store.spent({ scope: 'pull_request', key }).microUsd;
  const steps = toTaskPlan(action, {
    count,
    budgetUsd: maxMicroUsd === null ? NO_LIMIT_USD : toUsd(Math.max(0, maxMicroUsd - spent)),
    timeoutSeconds:
      action === 'collect' ? COLLECT_SECONDS : Math.max(1, Math.ceil((deadline - deps.clock.now()) / 1000)),
  });
  const { results } = await executePlan(steps, {
    ...{ registry: createExecutionToolRegistry([COLLECT, ATTEMPT]), place, signal, clock: deps.clock },
    maxConcurrent: ground.policy.tasks.maxAgentWorkers,
  });
  signal.throwIfAborted();
  for (const { cause } of results.values()) {
    if (cause === null) continue;
    if (cause.code === 'BUDGET') state.stopped ??= 'the budget of the run is spent';
    else if (cause.code === 'TIMEOUT') state.stopped ??= 'the time of the run is over';
    else throw new InvariantError(`a step of the run failed: ${cause.message}`);
  }
}

function createPlace(run: Omit<Run, 'place' | 'signal'>): TaskPlace {
  const { deps, ground, state } = run;
  const shared = createShared(run);
  return {
    collect: async (signal) => {
      const stage = state.collections === 0 ? 'baseline' : 'checkpoint';
      run.work.watch({ kind: 'collecting', stage });
      const commitSha = state.head;
      const name = `c${String(state.collections + 1)}`;
      const { expected } = state;
      const collected = await collectFindings(deps, ground, { name, commitSha, expected }, signal);
      if (stage === 'baseline') {
        state.expected = collected.runs.map(toEngineKey);
        await note(deps, ground, { [RUN_NOTES.engines]: state.expected });
      }
      await store(run, stage, collected);
      state.last = { collected, head: commitSha };
      state.checkpoints.push({ ...collected.checkpoint, changedLines: state.changedLines });
      state.succeededSince = 0;
      state.collectedAt = deps.clock.now();
      return `${String(collected.findings.length)} findings`;
    },
    attempt: async (signal) => {
      const none = { text: 'nothing to claim', costUsd: 0 };
      if (state.stopped !== null) return none;
      const claim = { workerId: deps.newId(), now: deps.clock.now(), until: toClaimEnd(deps, ground) };
      const task = await deps.store.onceWritable(() => deps.store.claimNextTask(ground.runId, claim), WRITE_WAIT_MS);
      if (task === null) return none;
      run.work.watch({ kind: 'attempt_started', task, attemptNo: deps.store.attempts(task.id).length + 1 });
      const given = { task, claim: { taskId: task.id, workerId: claim.workerId }, state: shared };
      const ended = await attemptTask(deps, ground, given, signal);
      if (ended.settlement.status === 'succeeded') {
        state.succeededSince += 1;
        state.changedLines += ended.changedLines;
      }
      run.work.watch({ kind: 'attempt_ended', ended });
      if (ended.settlement.endsRun) state.stopped ??= `every task would meet the same: ${ended.detail}`;
      return { text: ended.settlement.status, costUsd: toUsd(ended.microUsd) };
    },
  };
}

async function store(
  { deps, ground, state, work }: Omit<Run, 'place' | 'signal'>,
  stage: CollectStage,
  { findings, incomplete, runs }: Collected,
): Promise<void> {
  const collection = { stage, at: deps.clock.now(), incomplete };
  await deps.store.onceWritable(() => deps.store.addCollection(ground.runId, collection, findings), WRITE_WAIT_MS);
  state.collections += 1;
  work.watch({ kind: 'collected', stage, findings: findings.length, ran: runs.length, incomplete });
}

function createShared({ deps, ground, state, work }: Omit<Run, 'place' | 'signal'>): SharedState {
  const head: RunHead = {
    get: () => state.head,
    move: (next) => {
      state.head = next;
    },
  };
  return {
    head: head.get,
    hasMoved: () => state.head !== state.last?.head,
    runBefore: ({ tool, validation }) => {
      const project = validation.check?.project ?? '.';
      return state.last?.collected.runs.find((run) => run.engine === tool && run.project === project) ?? null;
    },
    findingsOf: ({ findings: wanted }) => {
      const numbers = Array.from({ length: state.collections }, (_, index) => index + 1);
      const all = numbers.flatMap((no) => deps.store.findingsOf(ground.runId, no));
      const newest = new Map(all.map((finding) => [finding.fingerprint, finding]));
      return wanted.flatMap((fingerprint) => newest.get(fingerprint) ?? []);
    },
    integrate: createIntegrationQueue((waiting, signal) => integrateChanges(deps, ground, { head, waiting }, signal)),
    report: (taskId, progress) => work.watch({ kind: 'attempt_progress', taskId, progress }),
  };
}
