import { toDiffStat } from '../../core/judge/to-diff-stat.ts';
import type { AgentProgress } from '../../core/model/agent-progress.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import { InvariantError, RepositoryError, toError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { DiffStat, SessionOutcome } from '../../core/model/session.ts';
import type { AttemptCause, Task, TaskFinding } from '../../core/model/task.ts';
import { settleAttempt, type TaskSettlement } from '../../core/tasks/settle-attempt.ts';
import { cutBytes } from '../../core/text/cut-bytes.ts';
import type { TaskClaim } from '../../ports/task-store.ts';
import type { Integration, PassedChange, WaitingChange } from './integrate-changes.ts';
import { judgeTaskChange } from './judge-task-change.ts';
import { keepChange } from './keep-change.ts';
import { type AgentSeen, type AttemptWork, makeByAgent, makeByFixer, toAttemptName } from './make-task-change.ts';
import { toTreeId, withTree } from './open-tree.ts';
import { proveTaskChange, type TaskProof } from './prove-task-change.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';
import { validateTask } from './validate-task.ts';

/** What the attempts of one run share. */
export interface SharedState {
  /** The commit with every change that was integrated. */
  readonly head: () => Sha;
  /** The last run of its engine over the whole project; null: there was none. */
  readonly runBefore: (task: Task) => EngineRun | null;
  /** Whether changes were integrated since the last collection. */
  readonly hasMoved: () => boolean;
  readonly findingsOf: (task: Task) => readonly TaskFinding[];
  /** Waits for the changes before it, and ends when it is settled. */
  readonly integrate: (change: WaitingChange) => Promise<void>;
  readonly report: (taskId: number, progress: AgentProgress) => void;
}

/** How an attempt ended, and what became of its task. */
export interface AttemptEnded {
  readonly task: Task;
  readonly attemptNo: number;
  readonly cause: AttemptCause | null;
  readonly detail: string;
  readonly settlement: TaskSettlement;
  readonly microUsd: number;
  /** Lines that its change inserted and deleted. */
  readonly changedLines: number;
}

export interface Result {
  readonly end: Parameters<typeof settleAttempt>[1];
  readonly diffStat: DiffStat | null;
  readonly changeRef: Sha | null;
  readonly summary: string;
  readonly exitCode: number | null;
  /** null: it was not validated, or did not pass. */
  readonly proof: TaskProof | null;
}

/**
 * This process holds the run, so nobody else could take a task, and whoever takes the run over recovers all claims. A claim therefore
 * lasts as long as the run may: the clock of a machine that slept, or is set right, must not take tasks from those who work on them.
 */
const LEASE_MARGIN_MS = 60 * 60_000;
const HEARTBEAT_MS = 15_000;
const WRITE_WAIT_MS = 60_000;
/** How the attempt ended, beside its prompt, its outputs and its patch. */
const ATTEMPT_FILE = 'attempt.json';
const MAX_DETAIL_BYTES = 8 * 1024;
const NOTHING = { diffStat: null, changeRef: null, summary: '', exitCode: null, proof: null } as const;

/** The end of a claim that begins, or is renewed, now. */
export function toClaimEnd({ clock }: Pick<TaskDeps, 'clock'>, { deadline }: Pick<TaskRunGround, 'deadline'>): number {
  return Math.max(clock.now(), deadline) + LEASE_MARGIN_MS;
}

/**
 * One attempt on a claimed task (001.R58): a private clone, the change, the judgement of what git says of it, the validation, the
 * integration. The change is kept in the mirror before its clone is removed. How it ended is stored, and the claim given back, unless
 * the attempt was interrupted: then it stays for who resumes the run. @throws the reason of `signal` once it has fired.
 */
export async function attemptTask(
  deps: TaskDeps,
  ground: TaskRunGround,
  { task, claim, state }: { readonly task: Task; readonly claim: TaskClaim; readonly state: SharedState },
  signal: AbortSignal,
): Promise<AttemptEnded> {
  const { store, clock } = deps;
  const earlier = store.attempts(task.id);
  const taken = task.worker === 'agent' ? ground.agent : null;
  const begun = { agentName: taken?.agent.name ?? null, startedAt: clock.now() };
  const { id, attemptNo } = await store.onceWritable(() => store.createAttempt(claim, begun), WRITE_WAIT_MS);
  const seen: AgentSeen = { exitCode: null, use: null };
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    const renewed = store.onceWritable(() => store.renewTaskClaim(claim, toClaimEnd(deps, ground)), WRITE_WAIT_MS);
    // A database that cannot be written now may be at the next beat.
    if (!(await renewed.catch(() => true))) lost.abort(new InvariantError('a task is worked on twice'));
  };
  const heartbeat = setInterval(() => void renew(), HEARTBEAT_MS);
  const turn = { task, attemptNo, earlier, findings: state.findingsOf(task), taken, seen, state };
  try {
    const stored: AttemptEnded[] = [];
    // What was integrated is stored before the next change is.
    const finish = async (result: Result): Promise<void> => {
      const settlement = settleAttempt(task, result.end, earlier);
      const given = { task, claim, attemptId: id, attemptNo, seen, settlement, result };
      stored.push(await storeEnd(deps, ground, given));
    };
    await tryOnce(deps, ground, { ...turn, finish }, AbortSignal.any([signal, lost.signal]));
    const [ended] = stored;
    if (ended === undefined) throw new InvariantError('the end of an attempt was not stored');
    return ended;
  } finally {
    clearInterval(heartbeat);
  }
}

interface Turn extends Omit<AttemptWork, 'tree'> {
  readonly taken: TaskRunGround['agent'];
  readonly seen: AgentSeen;
  readonly state: SharedState;
  readonly finish: (result: Result) => Promise<void>;
}

async function tryOnce(deps: TaskDeps, ground: TaskRunGround, turn: Turn, signal: AbortSignal): Promise<void> {
  const { task, attemptNo, state } = turn;
  const place = { name: toAttemptName(task.id, attemptNo), commitSha: state.head() };
  try {
    const passed = await withTree(
      deps,
      ground,
      { ...place, work: (tree) => inTree(deps, ground, { ...turn, tree }, signal) },
      signal,
    );
    if (passed.kind === 'ended') {
      await turn.finish(passed.result);
      return;
    }
    const change = { ...passed, task, attemptName: place.name, from: place.commitSha };
    await state.integrate({ change, signal, settle: (integrated) => turn.finish(toResult(passed, integrated)) });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RepositoryError)) throw error;
    const detail = `The clone could not be prepared: ${toError(error).message}`;
    await turn.finish({ ...NOTHING, end: { kind: 'failed', cause: 'WORKSPACE_FAILED', detail } });
  }
}

interface Passed
  extends Pick<PassedChange, 'commitSha' | 'validation'>,
    Pick<Result, 'diffStat' | 'summary' | 'exitCode' | 'proof'> {
  readonly kind: 'passed';
}

type InTree = { readonly kind: 'ended'; readonly result: Result } | Passed;

function toResult({ diffStat, summary, proof, ...passed }: Passed, integrated: Integration): Result {
  const shown = { diffStat, summary, proof };
  if (integrated.kind === 'failed') {
    const { cause, detail, exitCode } = integrated;
    return { end: { kind: 'failed', cause, detail }, ...shown, exitCode, changeRef: passed.commitSha };
  }
  return { end: { kind: 'succeeded' }, ...shown, exitCode: passed.exitCode, changeRef: integrated.head };
}

/** Everything that happens in the clone of the attempt, in the order of enforcement (001.R38 to R42). */
async function inTree(
  deps: TaskDeps,
  ground: TaskRunGround,
  turn: Turn & { readonly tree: OpenedTree },
  signal: AbortSignal,
): Promise<InTree> {
  const { task, tree: opened, findings, seen, state } = turn;
  const failed = (cause: AttemptCause, detail: string, more: Partial<Result> = {}): InTree => ({
    kind: 'ended',
    result: {
      ...NOTHING,
      ...more,
      end: { kind: 'failed', cause, detail: cutBytes(deps.redact(detail), MAX_DETAIL_BYTES) },
    },
  });
  if (task.worker === 'agent' && turn.taken === null)
    return failed('AGENT_UNAVAILABLE', 'The task needs an agent, and this run has none.');
  if (state.hasMoved() && (await isDone(deps, ground, turn, signal))) {
    const summary = 'The change of another task has repaired it.';
    return { kind: 'ended', result: { ...NOTHING, summary, end: { kind: 'succeeded' } } };
  }
  const report = (progress: AgentProgress): void => {
    state.report(task.id, progress);
  };
  const made =
    turn.taken === null
      ? await makeByFixer(deps, ground, turn, signal)
      : await makeByAgent(deps, ground, { work: turn, taken: turn.taken, seen, report }, signal);
  signal.throwIfAborted();
  if (made.kind === 'ended') return failed(...toCause(made.outcome));
  const { tree, summary } = made.value;
  const diffStat = toDiffStat(tree.changes);
  const more = { diffStat, summary };
  const judged = await judgeTaskChange(deps, ground, { task, findings, opened, tree }, signal);
  if (judged.kind === 'rejected') return failed(judged.code, judged.detail, more);
  const { treeSha } = tree;
  const commitSha = await keepChange(deps, opened.repository, { treeSha, task }, signal);
  const validation = { task, before: state.runBefore(task) };
  const validated = await validateTask(deps, ground, { ...validation, opened, treeSha, name: 'validate' }, signal);
  signal.throwIfAborted();
  const { exitCode } = validated;
  if (validated.kind === 'failed')
    return failed(validated.cause, validated.detail, { ...more, exitCode, changeRef: commitSha });
  const proved = await proveTaskChange(deps, ground, { ...validation, opened, tree, findings }, signal);
  signal.throwIfAborted();
  const doubt = judged.kind === 'held' ? judged.detail : proved.doubt;
  if (doubt !== null) {
    const end = { kind: 'held', detail: doubt } as const;
    return { kind: 'ended', result: { end, ...more, exitCode, changeRef: commitSha, proof: proved } };
  }
  return { kind: 'passed', commitSha, validation, ...more, exitCode, proof: proved };
}

/** Whether what other tasks changed since the last collection has repaired it, too. */
async function isDone(
  deps: TaskDeps,
  ground: TaskRunGround,
  { task, state, tree: opened }: Turn & { readonly tree: OpenedTree },
  signal: AbortSignal,
): Promise<boolean> {
  const before = state.runBefore(task);
  const treeSha = opened.repository.headSha;
  const validated = await validateTask(deps, ground, { task, before, opened, treeSha, name: 'before' }, signal);
  return validated.kind === 'passed';
}

function toCause(outcome: SessionOutcome): [AttemptCause, string] {
  if (outcome.kind === 'rejected') return [outcome.code, outcome.detail];
  if (outcome.kind === 'timed_out') return ['AGENT_TIMEOUT', 'The agent did not end in time.'];
  return ['INTERRUPTED', 'The attempt was interrupted.'];
}

async function storeEnd(
  { store, clock, files }: Pick<TaskDeps, 'store' | 'clock' | 'files'>,
  ground: TaskRunGround,
  given: {
    readonly task: Task;
    readonly claim: TaskClaim;
    readonly attemptId: number;
    readonly attemptNo: number;
    readonly seen: AgentSeen;
    readonly settlement: TaskSettlement;
    readonly result: Result;
  },
): Promise<AttemptEnded> {
  const { task, claim, attemptId, attemptNo, seen, settlement, result } = given;
  const { end, summary, diffStat, changeRef, exitCode } = result;
  const { status, cause, causeDetail } = settlement;
  const failure = end.kind === 'failed' ? end : null;
  const folder = toTreeId(ground, toAttemptName(task.id, attemptNo));
  const ended = {
    ...{ task: task.id, attempt: attemptNo, end, settlement, summary, diffStat, changeRef },
    ...{ agentExitCode: seen.exitCode, validationExitCode: exitCode, proof: result.proof, use: seen.use },
  };
  await files.writeArtifact(folder, ATTEMPT_FILE, `${JSON.stringify(ended, null, 2)}\n`);
  const artifacts = store.artifacts(ground.runId).flatMap(({ path }) => (path.startsWith(`${folder}/`) ? [path] : []));
  await store.onceWritable(() => {
    store.finishAttempt(
      claim,
      attemptId,
      {
        ...{ status: failure === null ? 'succeeded' : 'failed', cause: failure?.cause ?? null },
        ...{ detail: failure?.detail ?? '', agentExitCode: seen.exitCode, validationExitCode: exitCode },
        ...{ at: clock.now(), artifacts, summary, diffStat, changeRef, use: seen.use },
      },
      { status, cause, causeDetail },
    );
  }, WRITE_WAIT_MS);
  const microUsd = seen.use?.microUsd ?? 0;
  const changedLines = (diffStat?.insertions ?? 0) + (diffStat?.deletions ?? 0);
  return {
    task,
    attemptNo,
    cause: failure?.cause ?? null,
    detail: failure?.detail ?? causeDetail,
    settlement,
    microUsd,
    changedLines,
  };
}
