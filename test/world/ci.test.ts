import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { at, installationToken, rest } from './app-client.ts';

let shared: Scene;

beforeAll(async () => {
  shared = await aScene();
});

afterAll(async () => {
  const { violations } = shared.world;
  await shared.world.close();
  expect(violations).toEqual([]);
});

/** A repository of its own with CI, in the world of this file. */
async function sceneWithCi(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const { world, installationId } = shared;
  const all = {
    'a.txt': 'one\n',
    '.github/workflows/ci.yml': CI_WORKFLOW,
    'check.js': "console.log('\\u001b[31mno good\\u001b[0m'); process.exit(1);\n",
    ...files,
  };
  const repo = await world.createRepository({ owner: 'acme', name: `with-ci-${world.requests.length}`, files: all });
  world.installApp(repo);
  return { world, repo, installationId, token: await installationToken(world, installationId) };
}

describe('CI', () => {
  it('really runs the failing command, and the passing one after the next push', async () => {
    const scene = await sceneWithCi();
    const number = await aPullRequest(scene);
    await scene.world.settled();
    const [red] = await scene.world.checkRuns(scene.repo, number);

    await scene.world.commit({ repo: scene.repo, branch: 'feature', files: { 'check.js': 'process.exit(0);\n' } });
    await scene.world.settled();
    const [green] = await scene.world.checkRuns(scene.repo, number);

    expect(red).toMatchObject({ name: 'test', app: 'github-actions', status: 'completed', conclusion: 'failure' });
    expect(red?.annotations[0]?.message).toBe('Process completed with exit code 1.');
    expect(green).toMatchObject({ name: 'test', conclusion: 'success' });
  });

  it('serves the job’s log behind a redirect, as GitHub writes it', async () => {
    const scene = await sceneWithCi();
    const number = await aPullRequest(scene);
    await scene.world.settled();
    const [red] = await scene.world.checkRuns(scene.repo, number);

    const answer = await rest(scene.world, scene.token, `GET /repos/${scene.repo}/actions/jobs/${red?.id ?? 0}/logs`);
    const log = await (await fetch(answer.headers.get('location') ?? '')).text();

    expect(answer.status).toBe(302);
    expect(red?.detailsUrl).toContain(`/job/${red?.id ?? 0}`);
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z ##\[group\]Run actions\/checkout@v5$/mu);
    expect(log).toMatch(/Z \u001B\[31mno good\u001B\[0m$/mu);
    expect(log).toMatch(/Z ##\[error\]Process completed with exit code 1\.$/mu);
  });

  it('runs a failed job again as a new attempt with a new check run', async () => {
    const flaky =
      "const fs = require('node:fs'); const f = '/tmp/flaky-' + process.env.GITHUB_RUN_ID;\n" +
      "if (fs.existsSync(f)) { fs.rmSync(f); process.exit(0); } fs.writeFileSync(f, ''); process.exit(1);\n";
    const scene = await sceneWithCi({ 'check.js': flaky });
    const number = await aPullRequest(scene);
    await scene.world.settled();
    const [run] = scene.world.workflowRuns(scene.repo);

    const answer = await rest(
      scene.world,
      scene.token,
      `POST /repos/${scene.repo}/actions/runs/${run?.id ?? 0}/rerun-failed-jobs`,
      {},
    );
    await scene.world.settled();
    const all = await scene.world.checkRuns(scene.repo, number, { filter: 'all' });

    expect(answer.status).toBe(201);
    expect(all.map(({ conclusion }) => conclusion)).toEqual(['failure', 'success']);
    expect(scene.world.workflowRuns(scene.repo)[0]).toMatchObject({ attempt: 2, conclusion: 'success' });
  });

  it('lets jobs trust the certificates that this machine trusts', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/own.pem');
    onTestFinished(() => void vi.unstubAllEnvs());
    const workflow =
      'on: pull_request\njobs: { test: { steps: [{ run: test $NODE_EXTRA_CA_CERTS = /etc/own.pem }] } }\n';
    const scene = await sceneWithCi({ '.github/workflows/ci.yml': workflow });
    const number = await aPullRequest(scene);
    await scene.world.settled();

    const [run] = await scene.world.checkRuns(scene.repo, number);

    expect(run).toMatchObject({ name: 'test', conclusion: 'success' });
  });

  it('skips a job that needs a failed one, names matrix jobs, and knows nothing of git or secrets', async () => {
    const workflow = [
      'on: pull_request',
      'env: { GREETING: hello }',
      'jobs:',
      '  deploy:',
      '    needs: test',
      '    steps: [{ run: exit 0 }]',
      '  test:',
      '    strategy: { matrix: { node: [20, 22] } }',
      '    steps:',
      '      - run: test "$GREETING" = hello && test "${{ matrix.node }}" = 22 && test -z "$(env | grep -i -e ^GIT_ -e SECRET -e TOKEN)"',
      '',
    ].join('\n');
    const scene = await sceneWithCi({ '.github/workflows/ci.yml': workflow });
    const number = await aPullRequest(scene);
    await scene.world.settled();

    const runs = await scene.world.checkRuns(scene.repo, number);

    expect(runs.map(({ name, conclusion }) => `${name}: ${conclusion ?? ''}`).sort()).toEqual([
      'deploy: skipped',
      'test (20): failure',
      'test (22): success',
    ]);
  });

  it('does not start on a pull request that conflicts with its base', async () => {
    const scene = await sceneWithCi();
    await scene.world.commit({ repo: scene.repo, branch: 'feature', files: { 'a.txt': 'mine\n' } });
    await scene.world.commit({ repo: scene.repo, branch: 'main', files: { 'a.txt': 'theirs\n' } });

    const number = await scene.world.openPullRequest({ repo: scene.repo, head: 'feature' });
    await scene.world.settled();

    expect(await scene.world.checkRuns(scene.repo, number)).toEqual([]);
  });

  it('runs push workflows only on the branches they name', async () => {
    const workflow = CI_WORKFLOW.replace('  pull_request:', "  push:\n    branches: ['release/**']");
    const scene = await sceneWithCi({ '.github/workflows/ci.yml': workflow });

    await scene.world.commit({ repo: scene.repo, branch: 'feature', files: { 'b.txt': 'b\n' } });
    await scene.world.commit({ repo: scene.repo, branch: 'release/1.0', files: { 'b.txt': 'b\n' } });

    expect(scene.world.workflowRuns(scene.repo).map(({ event, headBranch }) => `${event} ${headBranch}`)).toEqual([
      'push release/1.0',
    ]);
  });

  it('lists runs and jobs of a head, and check runs that share the job’s id', async () => {
    const scene = await sceneWithCi();
    const number = await aPullRequest(scene);
    await scene.world.settled();
    const sha = await scene.world.headSha(scene.repo, number);

    const runs = await rest(scene.world, scene.token, `GET /repos/${scene.repo}/actions/runs?head_sha=${sha}`);
    const runId = String(at(runs.body, 'workflow_runs', 0, 'id'));
    const jobs = await rest(scene.world, scene.token, `GET /repos/${scene.repo}/actions/runs/${runId}/jobs`);
    const checks = await rest(
      scene.world,
      scene.token,
      `GET /repos/${scene.repo}/commits/${sha}/check-runs?app_id=15368`,
    );

    expect(at(jobs.body, 'jobs', 0, 'id')).toBe(at(checks.body, 'check_runs', 0, 'id'));
    expect(at(jobs.body, 'jobs', 0, 'steps', 1, 'conclusion')).toBe('failure');
    expect(at(checks.body, 'check_runs', 0, 'pull_requests', 0, 'number')).toBe(number);
  });
});
