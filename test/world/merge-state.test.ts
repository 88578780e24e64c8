import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { at, graphql, installationToken, rest } from './app-client.ts';

let shared: Scene;
let scene: Scene;
let count = 0;

beforeAll(async () => {
  shared = await aScene();
});

beforeEach(async () => {
  count += 1;
  const files = { 'a.txt': 'one\n', 'b.txt': 'b\n' };
  const repo = await shared.world.createRepository({ owner: 'acme', name: `states-${count}`, files });
  shared.world.installApp(repo);
  shared.world.setPermission(repo, 'rob', 'write');
  const token = await installationToken(shared.world, shared.installationId);
  scene = { ...shared, repo, token };
});

afterAll(async () => {
  const { violations } = shared.world;
  await shared.world.close();
  expect(violations).toEqual([]);
});

/** The state as REST and GraphQL tell it, which must be the same. */
async function stateOf(number: number): Promise<string> {
  const { world, repo, token } = scene;
  const answer = await rest(world, token, `GET /repos/${repo}/pulls/${number}`);
  const [owner = '', name = ''] = repo.split('/');
  const query = `query { repository(owner: "${owner}", name: "${name}") { pullRequest(number: ${number}) { mergeStateStatus } } }`;
  const asked = await graphql(world, token, query);
  const state = at(answer.body, 'mergeable_state');
  expect(at(asked, 'data', 'repository', 'pullRequest', 'mergeStateStatus')).toBe(String(state).toUpperCase());
  return String(state);
}

async function moveBase(): Promise<string> {
  const { world, repo } = scene;
  return await world.commit({ repo, branch: 'main', files: { 'b.txt': `b ${count}\n` } });
}

describe('the merge state', () => {
  it('is clean without rules, draft for a draft, dirty for a conflict', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);

    const clean = await stateOf(number);
    await world.setDraft({ repo, number, draft: true });
    const draft = await stateOf(number);
    await world.commit({ repo, branch: 'main', files: { 'a.txt': 'else\n' } });
    const dirty = await stateOf(number);

    expect([clean, draft, dirty]).toEqual(['clean', 'draft', 'dirty']);
  });

  it('is unstable while a check that nobody requires runs or fails', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    const states: string[] = [];

    for (const conclusion of [null, 'failure', 'success'] as const) {
      await world.setCheck({ repo, at: number, name: 'lint', conclusion });
      states.push(await stateOf(number));
    }

    expect(states).toEqual(['unstable', 'unstable', 'clean']);
  });

  it('is blocked while a required check is missing, runs or fails, and a status serves as well', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    world.protectBranch(repo, 'main', { requiredChecks: ['lint'] });
    const states = [await stateOf(number)];

    for (const state of ['pending', 'failure', 'success'] as const) {
      await world.setStatus({ repo, at: number, context: 'lint', state });
      states.push(await stateOf(number));
    }

    expect(states).toEqual(['blocked', 'blocked', 'blocked', 'clean']);
  });

  it('is blocked until enough people approved, and again when one asks for changes', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    world.protectBranch(repo, 'main', { requiredApprovals: 1 });

    const before = await stateOf(number);
    await world.review({ repo, number, state: 'APPROVED', body: '', login: 'rob' });
    const approved = await stateOf(number);
    await world.review({ repo, number, state: 'CHANGES_REQUESTED', body: 'No.', login: 'rob' });

    expect([before, approved, await stateOf(number)]).toEqual(['blocked', 'clean', 'blocked']);
  });

  it.each(['protection', 'ruleset'] as const)(
    'is blocked by an open thread only where a %s demands it',
    async (shape) => {
      const { world, repo } = scene;
      const number = await aPullRequest(scene);
      const threadId = await world.reviewComment({ repo, number, path: 'a.txt', line: 2, body: 'Why?', login: 'rob' });

      const free = await stateOf(number);
      world.protectBranch(repo, 'main', { as: shape, requiresResolvedThreads: true });
      const open = await stateOf(number);
      await world.resolveThread({ threadId, login: 'rob' });

      expect([free, open, await stateOf(number)]).toEqual(['clean', 'blocked', 'clean']);
    },
  );

  it.each(['protection', 'ruleset'] as const)('is behind only where a %s demands the base’s tip', async (shape) => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    await moveBase();

    const free = await stateOf(number);
    world.protectBranch(repo, 'main', { as: shape, requiresUpToDate: true });
    const strict = await stateOf(number);
    await world.updateBranch({ repo, number });

    expect([free, strict, await stateOf(number)]).toEqual(['clean', 'behind', 'clean']);
  });

  it('hides behind a red required check that the head is behind too', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    world.protectBranch(repo, 'main', { requiresUpToDate: true, requiredChecks: ['lint'] });
    await world.setCheck({ repo, at: number, name: 'lint', conclusion: 'failure' });
    await moveBase();

    const red = await stateOf(number);
    await world.setCheck({ repo, at: number, name: 'lint', conclusion: 'success' });

    expect([red, await stateOf(number)]).toEqual(['blocked', 'behind']);
  });
});

describe('the merge queue', () => {
  it('is entered and left, with a webhook each, and keeps its order', async () => {
    const { world, repo, token } = scene;
    const [owner = '', name = ''] = repo.split('/');
    const first = await aPullRequest(scene, 'first');
    const second = await aPullRequest(scene, 'second');
    const query = `query { repository(owner: "${owner}", name: "${name}") {
      pullRequest(number: ${second}) { isInMergeQueue mergeQueueEntry { position state enqueuer { login } } } } }`;

    await world.enqueue({ repo, number: first });
    await world.enqueue({ repo, number: second, login: 'rob' });
    const queued = await graphql(world, token, query);
    await world.dequeue({ repo, number: first });
    const moved = await graphql(world, token, query);

    const entry = { position: 2, state: 'QUEUED', enqueuer: { login: 'rob' } };
    expect(at(queued, 'data', 'repository', 'pullRequest')).toEqual({ isInMergeQueue: true, mergeQueueEntry: entry });
    expect(at(moved, 'data', 'repository', 'pullRequest', 'mergeQueueEntry', 'position')).toBe(1);
    const actions = world.deliveries.map(({ event, action }) => `${event}.${action ?? ''}`);
    expect(actions.filter((action) => action.endsWith('queued'))).toEqual([
      'pull_request.enqueued',
      'pull_request.enqueued',
      'pull_request.dequeued',
    ]);
  });

  it('is told by the timeline, whose newest item is a later push', async () => {
    const { world, repo, token } = scene;
    const [owner = '', name = ''] = repo.split('/');
    const number = await aPullRequest(scene);
    const query = `query { repository(owner: "${owner}", name: "${name}") { pullRequest(number: ${String(number)}) {
      timelineItems(last: 1, itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT, REMOVED_FROM_MERGE_QUEUE_EVENT, PULL_REQUEST_COMMIT]) {
        nodes { __typename ... on RemovedFromMergeQueueEvent { reason } } } } } }`;
    const newest = async (): Promise<unknown> =>
      at(await graphql(world, token, query), 'data', 'repository', 'pullRequest', 'timelineItems', 'nodes');

    await world.enqueue({ repo, number });
    const queued = await newest();
    await world.dequeue({ repo, number, reason: 'CI_FAILURE' });
    const removed = await newest();
    await world.commit({ repo, branch: 'feature', files: { 'd.txt': 'd\n' } });

    expect([queued, removed, await newest()]).toEqual([
      [{ __typename: 'AddedToMergeQueueEvent' }],
      [{ __typename: 'RemovedFromMergeQueueEvent', reason: 'CI_FAILURE' }],
      [{ __typename: 'PullRequestCommit' }],
    ]);
  });

  it('is left by a push to the head', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    await world.enqueue({ repo, number });
    const from = world.deliveries.length;

    await world.commit({ repo, branch: 'feature', files: { 'c.txt': 'c\n' } });

    const actions = world.deliveries.slice(from).map(({ event, action }) => `${event}.${action ?? ''}`);
    expect((await world.pullRequest(repo, number)).queue).toBeNull();
    expect(actions).toContain('pull_request.dequeued');
  });
});

describe('updating a branch by the API', () => {
  async function update(number: number, expected: string): Promise<Awaited<ReturnType<typeof rest>>> {
    const route = `PUT /repos/${scene.repo}/pulls/${number}/update-branch`;
    return await rest(scene.world, scene.token, route, { expected_head_sha: expected });
  }

  it('makes a real merge commit by the caller, moves the head and starts CI', async () => {
    const { world, repo } = scene;
    const files = { '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': 'process.exit(0);\n' };
    await world.commit({ repo, branch: 'main', files });
    const number = await aPullRequest(scene);
    await world.settled();
    const main = await moveBase();
    const head = await world.headSha(repo, number);
    const from = world.deliveries.length;

    const answer = await update(number, head);
    await world.settled();

    const [commit] = await world.log(repo, number, 1);
    expect(answer.status).toBe(202);
    expect(commit).toMatchObject({
      message: "Merge branch 'main' into feature",
      author: 'ratchet-bot[bot]',
      parents: [head, main],
    });
    const synchronized = world.deliveries.slice(from).find(({ action }) => action === 'synchronize');
    expect(synchronized?.payload).toMatchObject({
      before: head,
      after: commit?.sha,
      sender: { login: 'ratchet-bot[bot]' },
    });
    expect(await world.checkRuns(repo, number, { name: 'test' })).toMatchObject([
      { headSha: commit?.sha, conclusion: 'success' },
    ]);
  });

  it.each(['moved', 'up to date', 'in conflict', 'closed'] as const)(
    'is refused with 422 when the head is %s',
    async (how) => {
      const { world, repo } = scene;
      const number = await aPullRequest(scene);
      const head = await world.headSha(repo, number);
      if (how === 'in conflict') await world.commit({ repo, branch: 'main', files: { 'a.txt': 'else\n' } });
      if (how === 'moved' || how === 'closed') await moveBase();
      if (how === 'closed') await world.closePullRequest({ repo, number });
      if (how === 'moved') await world.commit({ repo, branch: 'feature', files: { 'c.txt': 'c\n' } });
      const now = await world.headSha(repo, number);

      const answer = await update(number, head);

      expect(answer.status).toBe(422);
      expect(await world.headSha(repo, number)).toBe(now);
    },
  );

  it('of a fork the App is not installed on is refused', async () => {
    const { world, repo } = scene;
    const fork = await world.createFork(repo, 'fiona');
    await world.commit({ repo: fork, branch: 'patch', files: { 'c.txt': 'c\n' }, login: 'fiona' });
    const number = await world.openPullRequest({ repo, headRepo: fork, head: 'patch', login: 'fiona' });
    await moveBase();
    const head = await world.headSha(repo, number);

    const answer = await update(number, head);

    expect(answer.status).toBe(422);
    expect(await world.headSha(fork, 'patch')).toBe(head);
  });
});
