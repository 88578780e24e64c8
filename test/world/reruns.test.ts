import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delivery } from '../../world/webhooks/delivery-queue.ts';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { type ApiAnswer, at, installationToken, rest } from './app-client.ts';

/** Fails in the first attempt and passes in the second, by the variable GitHub sets. */
const FLAKY = "process.exit(process.env.GITHUB_RUN_ATTEMPT === '1' ? 1 : 0);\n";

/** `unit` succeeds, `test` runs check.js, `report` needs `test`. */
const THREE_JOBS = [
  'on: pull_request',
  'jobs:',
  '  unit: { steps: [{ run: echo fine }] }',
  '  test: { steps: [{ run: node check.js }] }',
  '  report: { needs: test, steps: [{ run: echo reported }] }',
  '',
].join('\n');

let shared: Scene;
let count = 0;

beforeAll(async () => {
  shared = await aScene();
});

afterAll(async () => {
  const { violations } = shared.world;
  await shared.world.close();
  expect(violations).toEqual([]);
});

/** A pull request in a repository of its own whose CI has ended. */
async function aFinishedRun(
  files: Readonly<Record<string, string>>,
  prepare: (repo: string) => void = () => undefined,
): Promise<Scene & { readonly number: number; readonly runId: number }> {
  const { world, installationId } = shared;
  count += 1;
  const all = { 'a.txt': 'one\n', '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': 'process.exit(0);\n', ...files };
  const repo = await world.createRepository({ owner: 'acme', name: `reruns-${count}`, files: all });
  world.installApp(repo);
  prepare(repo);
  const scene = { world, repo, installationId, token: await installationToken(world, installationId) };
  const number = await aPullRequest(scene);
  await world.settled();
  return { ...scene, number, runId: world.workflowRuns(repo)[0]?.id ?? 0 };
}

async function call({ world, repo, token }: Scene, route: string): Promise<ApiAnswer> {
  const [method = '', path = ''] = route.split(' ');
  return await rest(world, token, `${method} /repos/${repo}${path}`, method === 'POST' ? {} : undefined);
}

/** `event.action` of the deliveries of one repository since `from`. */
function eventsOf(repo: string, from: number, event: string): readonly Delivery[] {
  return shared.world.deliveries.slice(from).filter((delivery) => {
    return delivery.event === event && at(delivery.payload, 'repository', 'full_name') === repo;
  });
}

describe('a re-run of the failed jobs', () => {
  it('is a new attempt that repeats them and what needs them, and keeps the others', async () => {
    const scene = await aFinishedRun({ '.github/workflows/ci.yml': THREE_JOBS, 'check.js': FLAKY });
    const { world, repo, number, runId } = scene;
    const before = await world.checkRuns(repo, number);

    const answer = await call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`);
    await world.settled();

    const after = await world.checkRuns(repo, number);
    const shown = (rows: typeof after): readonly string[] => {
      return rows.map(({ name, conclusion }) => `${name}: ${conclusion ?? ''}`).sort();
    };
    expect(answer.status).toBe(201);
    expect(shown(before)).toEqual(['report: skipped', 'test: failure', 'unit: success']);
    expect(shown(after)).toEqual(['report: success', 'test: success', 'unit: success']);
    expect(new Set([...before, ...after].map(({ suiteId }) => suiteId)).size).toBe(1);
    expect(world.workflowRuns(repo)).toHaveLength(1);
    expect(world.workflowRuns(repo)[0]).toMatchObject({ attempt: 2, conclusion: 'success' });
    const unit = (rows: typeof after): unknown => rows.find(({ name }) => name === 'unit')?.id;
    expect(unit(after)).toBe(unit(before));
  });

  it('tells the App of the new attempt, step by step, and who asked for it', async () => {
    const scene = await aFinishedRun({ 'check.js': FLAKY });
    const from = shared.world.deliveries.length;

    await call(scene, `POST /actions/runs/${scene.runId}/rerun-failed-jobs`);
    await scene.world.settled();

    const runs = eventsOf(scene.repo, from, 'workflow_run');
    expect(runs.map(({ action }) => action)).toEqual(['requested', 'in_progress', 'completed']);
    expect(runs.map(({ payload }) => at(payload, 'workflow_run', 'run_attempt'))).toEqual([2, 2, 2]);
    expect(runs[2]?.payload).toMatchObject({
      sender: { login: 'ratchet-bot[bot]' },
      workflow_run: { conclusion: 'success', actor: { login: 'ann' }, triggering_actor: { login: 'ratchet-bot[bot]' } },
    });
    expect(eventsOf(scene.repo, from, 'check_run').map(({ action }) => action)).toEqual(['created', 'completed']);
    expect(eventsOf(scene.repo, from, 'check_suite').map(({ action }) => action)).toEqual(['completed']);
  });

  it('keeps the jobs and the result of the attempt before it readable', async () => {
    const scene = await aFinishedRun({ 'check.js': FLAKY });
    await call(scene, `POST /actions/runs/${scene.runId}/rerun-failed-jobs`);
    await scene.world.settled();

    const first = await call(scene, `GET /actions/runs/${scene.runId}/attempts/1`);
    const firstJobs = await call(scene, `GET /actions/runs/${scene.runId}/attempts/1/jobs`);
    const latestJobs = await call(scene, `GET /actions/runs/${scene.runId}/jobs`);
    const allJobs = await call(scene, `GET /actions/runs/${scene.runId}/jobs?filter=all`);
    const latest = await call(scene, `GET /actions/runs/${scene.runId}`);
    const third = await call(scene, `GET /actions/runs/${scene.runId}/attempts/3`);

    expect(first.body).toMatchObject({ run_attempt: 1, conclusion: 'failure', previous_attempt_url: null });
    expect(latest.body).toMatchObject({ run_attempt: 2, conclusion: 'success' });
    expect(at(latest.body, 'previous_attempt_url')).toMatch(/\/attempts\/1$/u);
    expect(at(firstJobs.body, 'jobs', 0)).toMatchObject({ run_attempt: 1, conclusion: 'failure' });
    expect(at(latestJobs.body, 'jobs', 0)).toMatchObject({ run_attempt: 2, conclusion: 'success' });
    expect([at(latestJobs.body, 'total_count'), at(allJobs.body, 'total_count')]).toEqual([1, 2]);
    expect(third.status).toBe(404);
  });

  it('is refused when nothing failed, and starts nothing', async () => {
    const scene = await aFinishedRun({});

    const answer = await call(scene, `POST /actions/runs/${scene.runId}/rerun-failed-jobs`);

    expect([answer.status, at(answer.body, 'message')]).toEqual([403, 'This workflow run cannot be retried']);
    expect(scene.world.workflowRuns(scene.repo)[0]?.attempt).toBe(1);
  });

  it('is refused while the run has not completed, and once only when asked for twice at once', async () => {
    const scene = await aFinishedRun({ 'check.js': FLAKY });
    const { world, repo, runId } = scene;

    const answers = await Promise.all([
      call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`),
      call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`),
    ]);
    await world.settled();

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect(answers.map(({ body }) => at(body, 'message'))).toContain('This workflow is already running');
    expect(world.workflowRuns(repo)[0]?.attempt).toBe(2);
  });

  it('needs actions: write', async () => {
    const scene = await aFinishedRun({ 'check.js': FLAKY });
    const token = await installationToken(scene.world, scene.installationId, { permissions: { actions: 'read' } });

    const answer = await call({ ...scene, token }, `POST /actions/runs/${scene.runId}/rerun-failed-jobs`);

    expect([answer.status, at(answer.body, 'message')]).toEqual([403, 'Resource not accessible by integration']);
    expect(scene.world.workflowRuns(scene.repo)[0]?.attempt).toBe(1);
  });
});

describe('a re-run of one job or of everything', () => {
  it('repeats one job, but not by the id of an attempt before', async () => {
    const scene = await aFinishedRun({ '.github/workflows/ci.yml': THREE_JOBS, 'check.js': FLAKY });
    const { world, repo, number } = scene;
    const [old] = (await world.checkRuns(repo, number)).filter(({ name }) => name === 'test');

    const first = await call(scene, `POST /actions/jobs/${old?.id ?? 0}/rerun`);
    await world.settled();
    const second = await call(scene, `POST /actions/jobs/${old?.id ?? 0}/rerun`);

    const [current] = (await world.checkRuns(repo, number)).filter(({ name }) => name === 'test');
    expect([first.status, second.status]).toEqual([201, 403]);
    expect(at(second.body, 'message')).toBe('Only jobs from the current attempt can be re-run');
    expect(current).toMatchObject({ conclusion: 'success' });
    expect(current?.id).not.toBe(old?.id);
  });

  it('repeats every job of a run', async () => {
    const scene = await aFinishedRun({ '.github/workflows/ci.yml': THREE_JOBS });

    const answer = await call(scene, `POST /actions/runs/${scene.runId}/rerun`);
    await scene.world.settled();

    const all = await scene.world.checkRuns(scene.repo, scene.number, { filter: 'all' });
    expect(answer.status).toBe(201);
    expect(all.map(({ name }) => name).sort()).toEqual(['report', 'report', 'test', 'test', 'unit', 'unit']);
  });
});

describe('a job that fails through no fault of the code', () => {
  it.each([
    ['infrastructure', 'failure', 'The hosted runner lost communication with the server.'],
    ['shutdown', 'failure', 'The runner has received a shutdown signal.'],
    ['timeout', 'cancelled', 'has exceeded the maximum execution time of 360 minutes.'],
    ['network', 'failure', 'npm error network read ECONNRESET'],
  ] as const)(
    'by %s ends as %s, says so in its log, and passes in the next attempt',
    async (kind, conclusion, text) => {
      const scene = await aFinishedRun({}, (repo) => {
        shared.world.faults.failJobOnce(repo, { name: 'test', kind });
      });
      const { world, repo, number, runId } = scene;
      const [struck] = await world.checkRuns(repo, number);

      await call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`);
      await world.settled();

      const [healed] = await world.checkRuns(repo, number);
      const isAnnotated = struck?.annotations.some(({ message }) => message.includes(text));
      expect(struck?.conclusion).toBe(conclusion);
      expect(world.jobLog(struck?.id ?? 0)).toContain(text);
      expect(isAnnotated).toBe(kind !== 'network');
      expect(healed).toMatchObject({ conclusion: 'success', annotations: [] });
    },
  );

  it('can be struck more than once and with another conclusion, and only the job of that name', async () => {
    const scene = await aFinishedRun({ '.github/workflows/ci.yml': THREE_JOBS }, (repo) => {
      shared.world.faults.failJobOnce(repo, {
        name: 'test',
        kind: 'timeout',
        times: 2,
        conclusion: 'timed_out',
        minutes: 5,
      });
    });
    const { world, repo, number, runId } = scene;

    await call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`);
    await world.settled();

    const all = await world.checkRuns(repo, number, { filter: 'all' });
    const [last] = (await world.checkRuns(repo, number)).filter(({ name }) => name === 'test');
    expect(all.filter(({ name }) => name === 'test').map((run) => run.conclusion)).toEqual(['timed_out', 'timed_out']);
    expect(last?.annotations[0]?.message).toContain('execution time of 5 minutes');
    expect(all.filter(({ name }) => name === 'unit').map((run) => run.conclusion)).toEqual(['success']);
  });
});

describe('a run without jobs', () => {
  it.each(['startup_failure', 'action_required'] as const)('ends as %s and has no check run', async (conclusion) => {
    const from = shared.world.deliveries.length;
    const scene = await aFinishedRun({}, (repo) => {
      shared.world.faults.stopRunsAtStart(repo, conclusion);
    });
    const { world, repo, number, runId } = scene;

    const jobs = await call(scene, `GET /actions/runs/${runId}/jobs`);
    const suites = await call(scene, 'GET /commits/feature/check-suites?app_id=15368');
    const rerun = await call(scene, `POST /actions/runs/${runId}/rerun-failed-jobs`);

    expect(world.workflowRuns(repo)).toMatchObject([{ status: 'completed', conclusion }]);
    expect(await world.checkRuns(repo, number)).toEqual([]);
    expect(at(jobs.body, 'total_count')).toBe(0);
    expect(at(suites.body, 'check_suites', 0)).toMatchObject({ conclusion, latest_check_runs_count: 0 });
    expect(eventsOf(repo, from, 'workflow_run').map(({ action }) => action)).toEqual(['requested', 'completed']);
    expect(rerun.status).toBe(403);
  });

  it('runs after somebody approved it, as the same attempt', async () => {
    const scene = await aFinishedRun({}, (repo) => {
      shared.world.faults.stopRunsAtStart(repo, 'action_required');
    });
    const { world, repo, number, runId } = scene;

    await world.approveRun(runId, 'acme');
    await world.settled();
    const again = await call(scene, `POST /actions/runs/${runId}/approve`);

    expect(world.workflowRuns(repo)).toMatchObject([{ attempt: 1, conclusion: 'success', triggeredByLogin: 'acme' }]);
    expect(await world.checkRuns(repo, number)).toMatchObject([{ name: 'test', conclusion: 'success' }]);
    expect(again.status).toBe(403);
  });
});
