import type { PlannedTask } from '../../core/model/task.ts';
import { planFixerTasks } from '../../core/tasks/plan-fixer-tasks.ts';
import { planQuarantine } from '../../core/tasks/plan-quarantine.ts';
import { planTasks, type TasksInput } from '../../core/tasks/plan-tasks.ts';
import type { KnownTask } from '../../core/tasks/task-history.ts';
import type { Collected } from './collect-findings.ts';
import type { RunState } from './run-state.ts';
import type { TaskDeps, TaskRunGround } from './task-run.ts';

const WRITE_WAIT_MS = 60_000;

/**
 * Plans tasks from what was collected last: those of the tools' own fixers first, and once there are none, those of agents. Stores
 * them, and returns how many can now be worked on that could not before. Planning the same again changes nothing.
 */
export async function planNextTasks(
  deps: Pick<TaskDeps, 'clock' | 'store'>,
  ground: TaskRunGround,
  state: RunState,
  { findings, sources, place }: Collected,
): Promise<number> {
  const { store, clock } = deps;
  const known = readKnown(deps, ground);
  const input: TasksInput = {
    // The policy's own commands validate what CI found, which no local run has.
    ...{ findings, sources, place, commands: [], settings: ground.policy.tasks, known, base: ground.baseSha },
  };
  const insert = (tasks: readonly PlannedTask[]): Promise<number> =>
    store.onceWritable(() => store.insertTasks(ground.runId, tasks, clock.now()), WRITE_WAIT_MS);
  const fixers = planFixerTasks(input, place.files).map(({ task }) => task);
  if (fixers.length > 0) return insert(fixers);
  // What a fixer leaves is for agents.
  const plan = planTasks({ ...input, known: known.filter(({ worker }) => worker === 'agent') });
  state.unplanned = plan.unplanned;
  const byFingerprint = new Map(store.tasks(ground.runId).map((task) => [task.fingerprint, task]));
  const stand = async (
    fingerprint: string,
    standing: Parameters<typeof store.updateTaskStatus>[1],
  ): Promise<boolean> => {
    const task = byFingerprint.get(fingerprint);
    if (task === undefined) return false;
    return store.onceWritable(() => store.updateTaskStatus(task.id, standing, clock.now()), WRITE_WAIT_MS);
  };
  for (const fingerprint of plan.gone) {
    await stand(fingerprint, { status: 'abandoned', cause: 'GONE', causeDetail: 'Its findings are gone.' });
  }
  const wanted = [...plan.tasks, ...planQuarantines(deps, ground)];
  let count = wanted.length === 0 ? 0 : await insert(wanted);
  for (const fingerprint of plan.reopened) {
    if (await stand(fingerprint, { status: 'queued', cause: null, causeDetail: '' })) count += 1;
  }
  return count;
}

/** Proposals to quarantine what nobody could repair, if the policy allows them. One that the run has is not inserted again. */
function planQuarantines(
  { store, clock }: Pick<TaskDeps, 'clock' | 'store'>,
  { runId, policy }: TaskRunGround,
): readonly PlannedTask[] {
  const at = { settings: policy.tasks, now: clock.now() };
  return store.tasks(runId).flatMap((task) => planQuarantine(task, task, at)?.task ?? []);
}

function readKnown({ store }: Pick<TaskDeps, 'store'>, { runId, baseSha }: TaskRunGround): readonly KnownTask[] {
  return store.tasks(runId).map((task) => ({
    ...task,
    attempts: store.attempts(task.id).length,
    isOfRun: true,
    base: baseSha,
  }));
}
