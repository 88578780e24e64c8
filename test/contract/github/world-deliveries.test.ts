import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GitHub, SentDelivery } from '../../../src/ports/github.ts';
import { aScene, type Scene } from '../../world/a-world.ts';
import { connect } from './world-fixture.ts';

let scene: Scene;
let github: GitHub;
let status = 202;
const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(status).end());
});
const { signal } = new AbortController();

beforeEach(async () => {
  status = 202;
  scene = await aScene();
  github = connect(scene);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  scene.world.setWebhookUrl(`http://127.0.0.1:${String(address.port)}/`);
});
afterEach(async () => {
  await scene.world.close();
  await new Promise((resolve) => server.close(resolve));
  expect(scene.world.violations).toEqual([]);
});

describe('the deliveries that GitHub made', () => {
  it('are listed newest first, with ids beyond 2^53 as they are', async () => {
    status = 503;
    await push('one');
    status = 202;
    scene.world.faults.dropDeliveries();
    await push('two');
    scene.world.faults.clear();
    await push('three');

    const { deliveries, next } = await github.readSentDeliveries(null, signal);

    const pushes = deliveries.filter(({ eventName }) => eventName === 'push');
    expect(pushes.map(({ isReceived }) => isReceived)).toEqual([true, false, false]);
    expect(next).toBeNull();
    for (const { id } of deliveries) expect(Number.isSafeInteger(Number(id))).toBe(false);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(deliveries.length);
  });

  it('are listed page by page, each once', async () => {
    for (let nth = 0; nth < 3; nth += 1) await push(`branch-${String(nth)}`);
    const made = scene.world.deliveries.filter(({ outcome }) => outcome === 'sent').length;
    const sent = scene.world.deliveries.find(({ outcome }) => outcome === 'sent');
    for (let nth = 0; nth < 120; nth += 1) scene.world.redeliver(sent?.id ?? 0);
    await scene.world.settled();

    const all: SentDelivery[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: Awaited<ReturnType<GitHub['readSentDeliveries']>> = await github.readSentDeliveries(cursor, signal);
      all.push(...page.deliveries);
      cursor = page.next;
      pages += 1;
    } while (cursor !== null);

    expect(pages).toBe(2);
    expect(new Set(all.map(({ id }) => id)).size).toBe(made + 120);
  });

  it('are made again on request, with the same GUID', async () => {
    scene.world.faults.dropDeliveries();
    await push('lost');
    scene.world.faults.clear();
    const [lost] = (await github.readSentDeliveries(null, signal)).deliveries;

    expect(await github.redeliver(lost?.id ?? '', signal)).toEqual({ kind: 'asked' });
    await scene.world.settled();

    const [again] = (await github.readSentDeliveries(null, signal)).deliveries;
    expect(again).toMatchObject({ guid: lost?.guid, isReceived: true });
    expect(again?.id).not.toBe(lost?.id);
  });

  it('are refused where GitHub does not have them any more', async () => {
    expect(await github.redeliver('3804004623172239366', signal)).toMatchObject({ kind: 'refused' });
  });
});

async function push(branch: string): Promise<void> {
  const { world, repo } = scene;
  await world.commit({ repo, branch, files: { 'b.txt': `${branch}\n` }, login: 'ann' });
  await world.settled();
}
