import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { appJwt, at, rest } from './app-client.ts';

let scene: Scene;
let number: number;
let sha: string;

beforeAll(async () => {
  scene = await aScene({ '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': 'process.exit(1);\n' });
  number = await aPullRequest(scene);
  await scene.world.settled();
  sha = await scene.world.headSha(scene.repo, number);
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

async function call(route: string, body?: Parameters<typeof rest>[3]): Promise<Awaited<ReturnType<typeof rest>>> {
  return await rest(scene.world, scene.token, route.replace(' /', ` /repos/${scene.repo}/`), body);
}

describe('answers of the API are valid by GitHub’s description', () => {
  it.each([
    ['GET /pulls?state=all&per_page=5', 200],
    ['GET /pulls/1', 200],
    ['GET /pulls/1/files', 200],
    ['GET /pulls/1/commits', 200],
    ['GET /pulls/1/comments', 200],
    ['GET /pulls/1/reviews', 200],
    ['GET /pulls/99', 404],
    ['GET /commits/main', 200],
    ['GET /commits/feature/pulls', 200],
    ['GET /commits/feature/check-runs?filter=all', 200],
    ['GET /commits/feature/check-suites', 200],
    ['GET /commits/feature/status', 200],
    ['GET /commits/feature/statuses', 200],
    ['GET /commits/nothing/check-runs', 422],
    ['GET /actions/runs?head_sha=none', 200],
    ['GET /branches/main', 200],
    ['GET /branches/none', 404],
    ['GET /rules/branches/main', 200],
    ['GET /git/ref/heads%2Fmain', 200],
    ['GET /compare/main...feature', 200],
    ['GET /contents/a.txt?ref=feature', 200],
    ['GET /contents/.github', 200],
    ['GET /contents/none', 404],
    ['GET /issues/1/comments', 200],
  ])('%s', async (route, status) => {
    const answer = await call(route);

    expect(answer.status).toBe(status);
  });

  it.each(['GET /app', 'GET /app/installations', 'GET /app/hook/config', 'GET /app/hook/deliveries'])(
    '%s',
    async (route) => {
      expect((await rest(scene.world, appJwt(scene.world), route)).status).toBe(200);
    },
  );

  it.each(['GET /repos/acme/widget', 'GET /rate_limit', 'GET /users/ann', 'GET /installation/repositories'])(
    '%s',
    async (route) => {
      expect((await rest(scene.world, scene.token, route)).status).toBe(200);
    },
  );
});

describe('check runs', () => {
  it('append annotations on update and keep what is not sent', async () => {
    const annotation = { path: 'a.txt', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'look' };
    const output = { title: 'T', summary: 'S', annotations: [annotation, annotation] };
    const created = await call('POST /check-runs', { name: 'Ratchet', head_sha: sha, status: 'in_progress', output });
    const id = String(at(created.body, 'id'));

    const updated = await call(`PATCH /check-runs/${id}`, {
      output: { title: 'T2', summary: 'S2', annotations: [annotation] },
      conclusion: 'neutral',
    });
    const listed = await call(`GET /check-runs/${id}/annotations`);

    expect(updated.body).toMatchObject({
      name: 'Ratchet',
      status: 'completed',
      conclusion: 'neutral',
      output: { title: 'T2', annotations_count: 3 },
    });
    expect(listed.body).toHaveLength(3);
  });

  it('need a conclusion to be completed', async () => {
    const answer = await call('POST /check-runs', { name: 'x', head_sha: sha, status: 'completed' });

    expect(answer.status).toBe(422);
  });

  it('are listed in pages with Link headers and a total', async () => {
    for (const name of ['p1', 'p2', 'p3']) await call('POST /check-runs', { name, head_sha: sha });

    const first = await call(`GET /commits/${sha}/check-runs?per_page=2`);
    const link = first.headers.get('link') ?? '';
    const next = /<(?<url>[^>]+)>; rel="next"/u.exec(link)?.groups?.['url'] ?? '';
    const second = await fetch(next, { headers: { authorization: `Bearer ${scene.token}` } });

    expect(at(first.body, 'check_runs')).toHaveLength(2);
    expect(Number(at(first.body, 'total_count'))).toBeGreaterThanOrEqual(4);
    expect(second.status).toBe(200);
    expect(link).toContain('rel="last"');
  });

  it('with one name are one in the latest list and many in all', async () => {
    await call('POST /check-runs', { name: 'twice', head_sha: sha, conclusion: 'failure' });
    await call('POST /check-runs', { name: 'twice', head_sha: sha, conclusion: 'success' });

    const latest = await call(`GET /commits/${sha}/check-runs?check_name=twice`);
    const all = await call(`GET /commits/${sha}/check-runs?check_name=twice&filter=all`);

    expect(at(latest.body, 'check_runs', 0, 'conclusion')).toBe('success');
    expect([at(latest.body, 'total_count'), at(all.body, 'total_count')]).toEqual([1, 2]);
  });
});

describe('comments', () => {
  it('are written, changed, reacted to once, and deleted', async () => {
    const created = await call(`POST /issues/${number}/comments`, { body: 'hello' });
    const id = Number(at(created.body, 'id'));

    const changed = await call(`PATCH /issues/comments/${id}`, { body: 'hello again' });
    const reacted = await call(`POST /issues/comments/${id}/reactions`, { content: 'eyes' });
    const again = await call(`POST /issues/comments/${id}/reactions`, { content: 'eyes' });
    const reactions = scene.world.reactions(id);
    const deleted = await call(`DELETE /issues/comments/${id}`);
    const gone = await call(`GET /issues/comments/${id}`);

    expect(created.body).toMatchObject({ user: { login: 'ratchet-bot[bot]', type: 'Bot' } });
    expect(at(changed.body, 'body')).toBe('hello again');
    expect([reacted.status, again.status, deleted.status, gone.status]).toEqual([201, 200, 204, 404]);
    expect(reactions).toEqual(['eyes by ratchet-bot[bot]']);
  });

  it('on lines are answered in their thread', async () => {
    const review = await call(`POST /pulls/${number}/reviews`, {
      event: 'COMMENT',
      body: '',
      comments: [{ path: 'a.txt', line: 2, body: 'Hm.' }],
    });
    const comments = await call(`GET /pulls/${number}/reviews/${String(at(review.body, 'id'))}/comments`);
    const id = String(at(comments.body, 0, 'id'));

    const reply = await call(`POST /pulls/${number}/comments/${id}/replies`, { body: 'Yes.' });
    const reacted = await call(`POST /pulls/comments/${id}/reactions`, { content: '+1' });

    expect(reply.body).toMatchObject({ in_reply_to_id: Number(id), path: 'a.txt' });
    expect(reacted.status).toBe(201);
    expect((await scene.world.threads(scene.repo, number)).at(-1)?.comments).toHaveLength(2);
  });
});

describe('statuses, merging and re-running', () => {
  it('combine the newest status of each context', async () => {
    await call(`POST /statuses/${sha}`, { state: 'pending', context: 'one' });
    await call(`POST /statuses/${sha}`, { state: 'success', context: 'one' });

    const combined = await call(`GET /commits/${sha}/status`);

    expect(combined.body).toMatchObject({ state: 'success', total_count: 1 });
  });

  it('run a job again when its check run is requested again', async () => {
    const [check] = await scene.world.checkRuns(scene.repo, number, { app: 'github-actions' });

    const answer = await call(`POST /check-runs/${check?.id ?? 0}/rerequest`);
    await scene.world.settled();

    const all = await scene.world.checkRuns(scene.repo, number, { app: 'github-actions', filter: 'all' });
    expect(answer.status).toBe(201);
    expect(all).toHaveLength(2);
  });

  it('refuse to merge a head that is not the expected one', async () => {
    const branch = await scene.world.commit({ repo: scene.repo, branch: 'to-merge', files: { 'm.txt': 'm\n' } });
    const other = await scene.world.openPullRequest({ repo: scene.repo, head: 'to-merge' });

    const wrong = await call(`PUT /pulls/${other}/merge`, { sha });
    const right = await call(`PUT /pulls/${other}/merge`, { sha: branch });

    expect([wrong.status, right.status]).toEqual([409, 200]);
  });
});
