import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/adapters/github/create-github.ts';
import type { GitHub } from '../../../src/ports/github.ts';
import { recordingLog } from '../../support/store.ts';
import { aPullRequest, aScene, type Scene } from '../../world/a-world.ts';
import { refOf } from './world-fixture.ts';

const signal = (): AbortSignal => new AbortController().signal;

let scene: Scene;

beforeEach(async () => {
  scene = await aScene();
});

afterEach(async () => {
  expect(scene.world.violations).toEqual([]);
  await scene.world.close();
});

/** The adapter, whose waits take no time but for the clock; what it slept. */
function connect(): { readonly github: GitHub; readonly slept: readonly number[] } {
  const { world } = scene;
  const slept: number[] = [];
  let passedMs = 0;
  const github = createGitHub({
    appId: world.app.id,
    privateKey: world.app.privateKey,
    baseUrl: `${world.url}/api/v3`,
    userAgent: 'ratchet-test',
    log: recordingLog().log,
    clock: { now: () => Date.now() + passedMs },
    sleep: async (ms) => {
      slept.push(ms);
      passedMs += ms;
    },
  });
  return { github, slept };
}

describe('the local GitHub in trouble, as the adapter sees it', () => {
  it('limits GraphQL with status 200, without data and with requests remaining', async () => {
    const ref = await refOf(scene, await aPullRequest(scene));
    scene.world.faults.limitGraphql({ times: 1, retryAfterSeconds: 5 });
    const { github, slept } = connect();

    await expect(github.readPullRequest(ref, signal())).resolves.toMatchObject({ number: ref.number });

    expect(slept).toEqual([expect.closeTo(5000, -3)]);
  });

  it('fails by itself, with a message and nothing else', async () => {
    const ref = await refOf(scene, await aPullRequest(scene));
    scene.world.faults.failQueries({ times: 2 });
    const { github, slept } = connect();

    await expect(github.readPullRequest(ref, signal())).resolves.toMatchObject({ number: ref.number });

    expect(slept).toHaveLength(2);
  });

  it('answers with pages', async () => {
    const ref = await refOf(scene, await aPullRequest(scene));
    const matches = ({ path }: { readonly path: string }): boolean => path.endsWith('/permission');
    for (const status of [200, 403, 404, 502]) {
      scene.world.faults.failRequests({ times: 1, status, as: 'page', matches });
      const { github, slept } = connect();

      const { userId } = await github.readPermission(ref.repository, 'ann', signal());

      // A missing account would have the id 0.
      expect(userId).toBeGreaterThan(0);
      expect(slept).toHaveLength(1);
    }
  });

  it('cannot answer a query of many nodes, and answers it with smaller pages', async () => {
    const ref = await refOf(scene, await aPullRequest(scene));
    const { github } = connect();
    const whole = await github.readPullRequest(ref, signal());
    scene.world.faults.limitQueryNodes(1500);

    await expect(github.readPullRequest(ref, signal())).resolves.toEqual(whole);

    scene.world.faults.limitQueryNodes(1);
    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject({ code: 'TOO_LARGE', retry: 'later' });
  });

  it('hides the branch of a fork, and nothing else', async () => {
    const { world, repo } = scene;
    const headRepo = await world.createFork(repo, 'bob');
    await world.commit({ repo: headRepo, branch: 'idea', from: 'main', files: { 'idea.txt': 'x\n' }, login: 'bob' });
    const number = await world.openPullRequest({ repo, headRepo, head: 'idea', login: 'bob' });
    const ref = await refOf(scene, number);
    const { github } = connect();
    const whole = await github.readPullRequest(ref, signal());
    world.faults.hideForkRefs(true);

    await expect(github.readPullRequest(ref, signal())).resolves.toEqual({ ...whole, fork: true });
  });

  it.each([-2, 2])('has another time, by %i hours', async (hours) => {
    const ref = await refOf(scene, await aPullRequest(scene));
    scene.world.faults.skewClock(hours * 60 * 60_000);

    await expect(connect().github.readPullRequest(ref, signal())).resolves.toMatchObject({ number: ref.number });
  });
});
