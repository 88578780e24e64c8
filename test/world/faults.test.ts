import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { appJwt, at, installationToken, rest } from './app-client.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let scene: Scene;
let receiver: Receiver;
let number: number;
let token: string;

beforeAll(async () => {
  scene = await aScene();
  number = await aPullRequest(scene);
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

beforeEach(async () => {
  receiver = await startReceiver();
  token = await installationToken(scene.world, scene.installationId);
  await scene.world.settled();
  scene.world.setWebhookUrl(receiver.url);
});

afterEach(async () => {
  scene.world.faults.clear();
  await scene.world.settled();
  receiver.close();
});

function say(body: string): void {
  scene.world.comment({ repo: scene.repo, number, body, login: 'ann' });
}

function heard(): readonly unknown[] {
  return receiver.received.map(({ payload }) => at(payload, 'comment', 'body'));
}

describe('deliveries', () => {
  it('can arrive twice with the same id', async () => {
    scene.world.faults.duplicateDeliveries();

    say('one');
    await scene.world.settled();

    expect(heard()).toEqual(['one', 'one']);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-github-delivery'])).size).toBe(1);
  });

  it('can be lost, and sent again later with the same id', async () => {
    scene.world.faults.dropDeliveries(({ event }) => event === 'issue_comment');
    say('lost');
    await scene.world.settled();
    expect(heard()).toEqual([]);
    const lost = scene.world.deliveries.at(-1);

    scene.world.redeliver(lost?.id ?? 0);
    await scene.world.settled();

    expect(lost?.outcome).toBe('dropped');
    expect(heard()).toEqual(['lost']);
    expect(receiver.received[0]?.headers['x-github-delivery']).toBe(lost?.guid);
  });

  it('can be asked for again by the App', async () => {
    say('one');
    await scene.world.settled();
    const authorization = `Bearer ${appJwt(scene.world)}`;
    const listed = await fetch(`${scene.world.url}/api/v3/app/hook/deliveries?per_page=1`, {
      headers: { authorization },
    });
    // As text: the id is beyond 2^53.
    const id = /"id":(\d+)/u.exec(await listed.text())?.[1] ?? '';

    const answer = await rest(scene.world, appJwt(scene.world), `POST /app/hook/deliveries/${id}/attempts`);
    await scene.world.settled();

    expect(answer.status).toBe(202);
    expect(heard()).toEqual(['one', 'one']);
  });

  it('can be held back and released in another order', async () => {
    const held = scene.world.faults.holdDeliveries();
    say('one');
    say('two');
    await scene.world.settled();
    expect(heard()).toEqual([]);
    expect(held.count()).toBe(2);

    held.release('reversed');
    await scene.world.settled();

    expect(heard()).toEqual(['two', 'one']);
  });

  it('can be late', async () => {
    scene.world.faults.delayDeliveries(150);
    const startedMs = performance.now();

    say('late');
    await scene.world.settled();

    expect(heard()).toEqual(['late']);
    expect(performance.now() - startedMs).toBeGreaterThan(140);
  });

  it('to a receiver that is gone are recorded as failed', async () => {
    receiver.close();

    say('to nobody');
    await scene.world.settled();

    expect(scene.world.deliveries.at(-1)).toMatchObject({ outcome: 'failed', status: null });
  });
});

describe('requests', () => {
  const route = (): string => `GET /repos/${scene.repo}/pulls/${number}`;

  it('can fail with 502 a given number of times', async () => {
    scene.world.faults.failRequests({ times: 2, matches: ({ path }) => path.includes('/pulls/') });

    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await rest(scene.world, token, route())).status);

    expect(statuses).toEqual([502, 502, 200]);
  });

  it.each([403, 429] as const)('can hit the secondary rate limit with %i and Retry-After', async (status) => {
    scene.world.faults.rateLimit({ times: 1, status, retryAfterSeconds: 7 });

    const answer = await rest(scene.world, token, route());

    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(at(answer.body, 'message')).toContain('secondary rate limit');
  });

  it('can be left without an answer', async () => {
    scene.world.faults.hangRequests({ times: 1 });

    const call = fetch(`${scene.world.url}/api/v3/rate_limit`, { signal: AbortSignal.timeout(100) });

    await expect(call).rejects.toThrow('timeout');
  });

  it('are refused with 401 once all tokens have expired', async () => {
    scene.world.faults.expireTokens();

    const answer = await rest(scene.world, token, route());

    expect(answer.status).toBe(401);
    expect(at(answer.body, 'message')).toBe('Bad credentials');
  });
});

describe('late answers of GitHub', () => {
  it('say nothing of mergeability for a while', async () => {
    scene.world.faults.lateMergeability(1);
    const read = async (): Promise<unknown> =>
      (await rest(scene.world, token, `GET /repos/${scene.repo}/pulls/${number}`)).body;

    const first = await read();
    const second = await read();

    expect([at(first, 'mergeable'), at(first, 'mergeable_state')]).toEqual([null, 'unknown']);
    expect(at(second, 'mergeable')).toBe(true);
  });

  it('show no check until CI has registered', async () => {
    const { world, repo } = scene;
    world.faults.delayCiRegistration(100);

    await world.commit({ repo, branch: 'feature', files: { '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': '' } });
    const atOnce = await world.checkRuns(repo, number);
    await world.until(async () => (await world.checkRuns(repo, number)).length > 0, { what: 'a check run' });

    expect(atOnce).toEqual([]);
    await world.settled();
  });

  it('leave jobs queued while CI is paused', async () => {
    const { world, repo } = scene;
    world.faults.pauseCi();
    await world.commit({ repo, branch: 'feature', files: { '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': '' } });
    const [paused] = await world.checkRuns(repo, number);

    world.faults.resumeCi();
    await world.settled();

    expect(paused?.status).toBe('queued');
    expect((await world.checkRuns(repo, number))[0]?.conclusion).toBe('success');
  });
});

describe('until', () => {
  it('says what it waited for and what the world saw last', async () => {
    const waiting = scene.world.until(() => false, { what: 'the moon', timeoutMs: 60 });

    await expect(waiting).rejects.toThrow(/the moon[^]*last requests:[^]*access_tokens 201/u);
  });
});
