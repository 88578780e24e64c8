import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { PlannedTask, Task, TaskFinding } from '../../core/model/task.ts';
import type { CollectStage } from '../../core/model/task-record.ts';
import { toUsd } from '../../core/spend/session-limits.ts';
import { findStop } from '../../core/tasks/find-stop.ts';
import { executePlan } from '../execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../execution/execution-tool-registry.ts';
import { type AttemptEnded, attemptTask, type SharedState, toClaimEnd } from './attempt-task.ts';
import { collectFindings } from './collect-findings.ts';
import { type RunState, restoreState } from './run-state.ts';
import { ATTEMPT, COLLECT, type TaskPlace, toTaskPlan } from './task-actions.ts';
import type { TaskDeps, TaskRunGround } from './task-run.ts';

/** Makes tasks of findings; those that the run has already are left out when they are stored. */
export type PlanTasks = (findings: readonly TaskFinding[]) => readonly PlannedTask[];

/** What people who watch a run are told. */
export type RunChange =
  | { readonly kind: 'collecting'; readonly stage: CollectStage }
  | {
      readonly kind: 'collected';
      readonly stage: CollectStage;
      readonly findings: number;
      readonly incomplete: readonly string[];
      readonly newTasks: number;
    }
  | { readonly kind: 'attempt_started'; readonly task: Task; readonly attemptNo: number }
  | { readonly kind: 'attempt_progress'; readonly taskId: number; readonly progress: AgentProgress }
  | { readonly kind: 'attempt_ended'; readonly ended: AttemptEnded }
  | { readonly kind: 'stopped'; readonly why: string };

export interface TaskWork {
  readonly planTasks: PlanTasks;
  readonly watch: (change: RunChange) => void;
  /** Ends after the first collection: nothing is attempted. */
  readonly isDryRun: boolean;
}

const WRITE_WAIT_MS = 60_000;
const MAX_COLLECTIONS = 50;
const COLLECT_SECONDS = 24 * 60 * 60;
/** Of a plan of which the run has no limit. */
const NO_LIMIT_USD = 1_000_000;

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
  const run: Run = { deps, ground, work, state, signal, place: createPlace({ deps, ground, work, state }) };
  const last = state.collected.at(-1);
  if (last === undefined) await execute(run, 'collect', 1);
  // Its process may have ended before the tasks were stored.
  else if (last.collection.stage !== 'final') await insertTasks(run, work.planTasks(last.findings));
  if (work.isDryRun) return state;
  // Its holder is dead, so no claim is alive.
  await deps.store.onceWritable(() => deps.store.recoverTaskClaims(ground.runId, toClaimEnd(deps)), WRITE_WAIT_MS);
  for (;;) {
    signal.throwIfAborted();
    stopIfNeeded(run);
    const waiting = state.stopped === null ? countClaimable(run) : 0;
    if (waiting > 0) {
      const room = Math.max(1, ground.settings.checkpointTasks - state.succeededSince);
      await execute(run, 'attempt', Math.min(waiting, room));
      if (isCheckpointDue(run) && countClaimable(run) > 0) await execute(run, 'collect', 1);
      continue;
    }
    const isFinal = isLast(run);
    if (!isFinal) await execute(run, 'collect', 1);
    if (isFinal) return state;
  }
}

/** Whether nothing is left that a collection could show: the last one was final. */
function isLast({ state }: Run): boolean {
  return state.collected.at(-1)?.collection.stage === 'final';
}

function isCheckpointDue({ deps, ground, state }: Run): boolean {
  const { checkpointTasks, checkpointMs } = ground.settings;
  const isOld = deps.clock.now() - state.lastCheckpointAt >= checkpointMs && state.succeededSince > 0;
  return state.succeededSince >= checkpointTasks || isOld;
}

function stopIfNeeded({ deps, ground, state, work }: Run): void {
  if (state.stopped !== null) return;
  const found = state.collected.map(({ findings }) => new Set(findings.map(({ fingerprint }) => fingerprint)));
  const { maxMicroUsd, deadline, key } = ground;
  const spent = deps.store.spent({ scope: 'pull_request', key }).microUsd;
  if (maxMicroUsd !== null && spent >= maxMicroUsd && spent > 0) state.stopped = 'the budget of the run is spent';
  else if (deps.clock.now() >= deadline) state.stopped = 'the time of the run is over';
  else if (state.collected.length >= MAX_COLLECTIONS) state.stopped = 'it has collected findings too often';
  else state.stopped = findStop(found);
  if (state.stopped !== null) work.watch({ kind: 'stopped', why: state.stopped });
}

/** Returns how many are new. */
async function insertTasks(
  { deps, ground }: Pick<Run, 'deps' | 'ground'>,
  planned: readonly PlannedTask[],
): Promise<number> {
  if (planned.length === 0) return 0;
  return deps.store.onceWritable(() => deps.store.insertTasks(ground.runId, planned, deps.clock.now()), WRITE_WAIT_MS);
}

/** Tasks that could be claimed now. */
function countClaimable({ deps, ground }: Run): number {
  const tasks = deps.store.tasks(ground.runId);
  const succeeded = new Set(tasks.filter(({ status }) => status === 'succeeded').map(({ fingerprint }) => fingerprint));
  return tasks.filter(({ status, dependsOn }) => status === 'queued' && dependsOn.every((one) => succeeded.has(one)))
    .length;
}

/** One plan on the executor, which keeps the number of workers, the budget and the time. */
async function execute(run: Run, action: 'collect' | 'attempt', count: number): Promise<void> {
  const { deps, ground, place, signal, state } = run;
  const { maxMicroUsd, key, deadline } = ground;
  const spent = deps.store.spent({ scope: 'pull_request', key }).microUsd;
  const plan = toTaskPlan(action, {
    count,
    budgetUsd: maxMicroUsd === null ? NO_LIMIT_USD : toUsd(Math.max(0, maxMicroUsd - spent)),
    // Each engine has a time limit of its own.
    timeoutSeconds:
      action === 'collect' ? COLLECT_SECONDS : Math.max(1, Math.ceil((deadline - deps.clock.now()) / 1000)),
  });
  const { results } = await executePlan(plan, {
    ...{ registry: createExecutionToolRegistry([COLLECT, ATTEMPT]), place, signal, clock: deps.clock },
    maxConcurrent: ground.settings.maxAgentWorkers,
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
  const { deps, ground, work, state } = run;
  const shared = createShared(run);
  return {
    collect: async (signal) => collect(run, signal),
    attempt: async (signal) => {
      const none = { text: 'nothing to claim', costUsd: 0 };
      if (state.stopped !== null) return none;
      const claim = { workerId: deps.newId(), now: deps.clock.now(), until: toClaimEnd(deps) };
      const claimed: Task[] = [];
      await deps.store.onceWritable(() => {
        const task = deps.store.claimNextTask(ground.runId, claim);
        if (task !== null) claimed.push(task);
      }, WRITE_WAIT_MS);
      const [task] = claimed;
      if (task === undefined) return none;
      work.watch({ kind: 'attempt_started', task, attemptNo: deps.store.attempts(task.id).length + 1 });
      const given = { task, claim: { taskId: task.id, workerId: claim.workerId }, state: shared };
      const ended = await attemptTask(deps, ground, given, signal);
      if (ended.settlement.status === 'succeeded') state.succeededSince += 1;
      work.watch({ kind: 'attempt_ended', ended });
      if (ended.settlement.endsRun) state.stopped ??= `every task would meet the same: ${ended.detail}`;
      return { text: ended.settlement.status, costUsd: toUsd(ended.microUsd) };
    },
  };
}

function createShared({ state, work }: Omit<Run, 'place' | 'signal'>): SharedState {
  let last: Promise<unknown> = Promise.resolve();
  return {
    head: () => state.head,
    known: () => new Set(state.collected.at(-1)?.findings.map(({ fingerprint }) => fingerprint)),
    findingsOf: ({ findings: wanted }) => {
      const known = state.collected.flatMap(({ findings }) => findings.map((one) => [one.fingerprint, one] as const));
      const newest = new Map(known);
      return wanted.flatMap((fingerprint) => newest.get(fingerprint) ?? []);
    },
    integrate: (change) => {
      const mine = last.then(async () => {
        state.head = (await change(state.head)) ?? state.head;
      });
      last = mine.catch(() => undefined);
      return mine;
    },
    report: (taskId, progress) => work.watch({ kind: 'attempt_progress', taskId, progress }),
  };
}

async function collect(run: Omit<Run, 'place' | 'signal'>, signal: AbortSignal): Promise<string> {
  const { deps, ground, work, state } = run;
  const no = state.collected.length + 1;
  const isBaseline = no === 1;
  // Without a change since the last collection there is nothing new to find.
  const before = state.collectedHead === state.head ? state.collected.at(-1) : undefined;
  const stage: CollectStage = isBaseline
    ? 'baseline'
    : before !== undefined || state.stopped !== null
      ? 'final'
      : 'checkpoint';
  work.watch({ kind: 'collecting', stage });
  const collected =
    before === undefined
      ? await collectFindings(deps, ground, { name: `c${String(no)}`, commitSha: state.head }, signal)
      : { findings: before.findings, incomplete: before.collection.incomplete, ran: state.ran };
  const { findings, incomplete } = collected;
  state.ran = collected.ran;
  await deps.store.onceWritable(() => {
    deps.store.addCollection(ground.runId, { stage, at: deps.clock.now(), incomplete }, findings);
  }, WRITE_WAIT_MS);
  const newTasks = await insertTasks(run, stage === 'final' ? [] : work.planTasks(findings));
  state.collected.push({ collection: { no, stage, incomplete, findings: findings.length }, findings });
  state.collectedHead = state.head;
  state.succeededSince = 0;
  state.lastCheckpointAt = deps.clock.now();
  work.watch({ kind: 'collected', stage, findings: findings.length, incomplete, newTasks });
  return `${String(findings.length)} findings`;
}
