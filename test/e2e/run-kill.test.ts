import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BROKEN, createRunStage, MEND_ALL, type RunStage, toRunJson } from '../support/run-stage.ts';

/** Two files with failing tests, one of a name, and a gap; everything is collected again after each task that succeeds. */
const SMALL = Object.fromEntries(
  Object.entries(BROKEN)
    .filter(([path]) => !/m[345]\./u.test(path))
    .map(([path, text]) => [path, path.endsWith('ratchet.yml') ? `${text}tasks:\n  checkpointTasks: 1\n` : text]),
);

let stage: RunStage;
beforeEach(async () => {
  stage = await aStage();
});
afterEach(async () => stage.remove());

async function aStage(): Promise<RunStage> {
  const made = await createRunStage();
  await made.write(SMALL);
  await made.commit();
  await made.script(MEND_ALL);
  return made;
}

/** What must not depend on whether the run was disturbed. */
async function toEnd(on: RunStage, ended: Parameters<typeof toRunJson>[0]) {
  const { runId, branch, tasks, ...rest } = toRunJson(ended);
  const isOwn = branch === `ratchet/run-${runId}`;
  return {
    ...{ ...rest, isOwn, exitCode: ended.exitCode, tree: await on.git('rev-parse', `${branch ?? ''}^{tree}`) },
    tasks: tasks.map(({ id, type, status, attempts }) => {
      const done = attempts.filter((attempt) => attempt.status === 'succeeded').length;
      return { id, type, status, done };
    }),
    branches: (await on.git('branch', '--list', '--format=%(refname:short)')).split('\n').length,
  };
}

describe('a run whose process is killed', () => {
  let undisturbed: ReturnType<typeof toEnd> | null = null;
  const getUndisturbed = (): ReturnType<typeof toEnd> => (undisturbed ??= runUndisturbed());

  async function runUndisturbed(): ReturnType<typeof toEnd> {
    const other = await aStage();
    const end = await toEnd(other, await other.ratchet('run', '--repo', 'repo', '--json'));
    await other.remove();
    return end;
  }

  it.each([
    ['while it collects', 'baseline 1 before'],
    ['before it plans', 'baseline 1 after'],
    ['once it has planned', 'task_queued 1 after'],
    ['when an agent begins', 'attempt_started 1 after'],
    ['before it stores that a change is integrated', 'attempt_finished 1 before'],
    ['once a change is integrated, while another is at work', 'attempt_finished 1 after'],
    ['while it collects again', 'checkpoint 1 before'],
    ['at a checkpoint', 'checkpoint 1 after'],
    ['before its last collection is stored', 'final 1 before'],
    ['before it makes the branch', 'final 1 after'],
    ['once it has made the branch', 'run_finished 1 before'],
    ['before it prints its report', 'run_finished 1 after'],
  ])('%s (%s) goes on there, and ends as one that was not disturbed (001.R10, R51)', async (_when, point) => {
    const killed = await stage.killAt(point, 'run', '--repo', 'repo', '--json');
    expect(killed.stdout).toBe('');

    const resumed = await stage.ratchet('run', '--repo', 'repo', '--resume', killed.runId, '--json');

    const end = await getUndisturbed();
    expect(end).toMatchObject({ exitCode: 0, status: 'succeeded', isOwn: true, branches: 2, final: { findings: 0 } });
    expect(await toEnd(stage, resumed)).toEqual(end);
    // What was begun and lost is told, and counts as no attempt of the task.
    const { tasks } = toRunJson(resumed);
    const failed = tasks.flatMap(({ attempts }) => attempts.filter(({ status }) => status !== 'succeeded'));
    for (const { reason } of failed) expect(reason).toMatch(/^LEASE_EXPIRED: /u);
  });
});
