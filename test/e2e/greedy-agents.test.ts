import { createHmac, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import { openRedPullRequest, ownPushes, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

/** Small enough that a bomb is over soon, large enough for Node and git. */
const LIMITS = {
  RATCHET_FIXUP_CONCURRENCY: '5',
  RATCHET_SANDBOX_MAX_MEMORY_BYTES: String(512 * 1024 ** 2),
  RATCHET_SANDBOX_MAX_PROCESSES: '100',
  RATCHET_SANDBOX_MAX_DISK_BYTES: String(64 * 1024 ** 2),
  RATCHET_SANDBOX_MAX_FILES: '5000',
};

/** Each takes without end what its command takes, until it is stopped. */
const GREEDY: Readonly<Record<string, readonly [string, string]>> = {
  'fills-the-disk': ['wrote more to the disk', 'while :; do i=$((i+1)); head -c 20000000 /dev/zero > file-$i; done'],
  'takes-all-memory': ['used more memory', `perl -e 'my @all; push @all, "x" x 1e6 while 1'`],
  'forks-without-end': ['started more processes', `perl -e 'fork while 1'`],
  'writes-a-million-files': [
    'wrote more to the disk',
    `perl -e 'while (1) { mkdir "d" . ++$i; open(F, ">", "d$i/$_") for 1 .. 100 }'`,
  ],
};
const WAITING = 'waits-and-repairs';

/** Posts one signed webhook; returns how long the answer took in milliseconds. */
async function ping(world: World, ratchet: Ratchet): Promise<number> {
  const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
  const startedAt = performance.now();
  const response = await fetch(`${ratchet.url}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', world.app.webhookSecret).update(body).digest('hex')}`,
    },
    body,
  });
  await response.arrayBuffer();
  if (response.status >= 300) throw new Error(`a webhook was answered with ${String(response.status)}`);
  return performance.now() - startedAt;
}

describe.concurrent('agents that take everything', AT_ONCE, () => {
  it('end with their reason, while webhooks are answered and another pull request is repaired (T41)', async ({
    onTestFinished,
  }) => {
    const { world, start } = await openStage(onTestFinished);
    const cases = Object.entries(GREEDY).map(([name, [, command]]) => ({
      when: { prompt: name },
      steps: [REPAIR, { do: 'run', command }],
    }));
    const steps = [{ do: 'wait', for: 'repair' }, REPAIR];
    const ratchet = await start({ script: { cases, steps }, env: LIMITS });
    const enable = async (name: string): ReturnType<typeof openRedPullRequest> => {
      const red = await openRedPullRequest(world, { owner: name, name, title: name });
      world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
      return red;
    };
    const [repaired, ...greedy] = await Promise.all([WAITING, ...Object.keys(GREEDY)].map(enable));
    if (repaired === undefined) throw new Error('no pull request');
    await ratchet.untilLog((line) => line.msg === 'agent started', 'an agent to run');

    const times: number[] = [];
    const begunAt = performance.now();
    const over = new AbortController();
    const pings = (async () => {
      while (!over.signal.aborted) times.push(await ping(world, ratchet));
    })();
    const summaries = await Promise.all(greedy.map((red) => untilConcluded(world, red, 'action_required')));
    await ratchet.release('repair');
    await untilConcluded(world, repaired, 'success');
    over.abort();
    await pings;
    const passed = performance.now() - begunAt;

    const said = Object.values(GREEDY).map(([text]) => text);
    expect(summaries.map((summary, index) => [said[index], summary.includes(said[index] ?? '?')])).toEqual(
      said.map((text) => [text, true]),
    );
    for (const red of greedy) expect(ownPushes(world, red.repo)).toEqual([]);
    expect(ownPushes(world, repaired.repo)).toHaveLength(1);
    expect(times.length).toBeGreaterThan(100);
    // No answer waits for the agents to end: all but a few take a small part of the time, however slow the machine is.
    const share = (times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.99)] ?? passed) / passed;
    expect(share).toBeLessThan(0.05);
  });

  it('are cleared away by a restart in the middle, which repairs the pull request (F1)', async ({ onTestFinished }) => {
    const { world, start } = await openStage(onTestFinished);
    const many = `perl -e 'for $i (1 .. 40) { mkdir "d$i"; open(F, ">", "d$i/$_") for 1 .. 100 }'; chmod 0 d1; echo full`;
    const first = await start({
      script: {
        steps: [
          { do: 'run', command: many },
          { do: 'write', file: '/ratchet/artifacts/ready', text: '' },
          { do: 'hang' },
        ],
      },
      env: LIMITS,
    });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    const findReady = async (): Promise<boolean> =>
      (await readdir(join(first.dataDir, 'sessions'), { recursive: true }).catch(() => [])).some((path) =>
        path.endsWith('artifacts/ready'),
      );
    await world.until(findReady, { what: 'the agent to have written its files' });

    await first.crash();
    const second = await start({ script: { steps: [REPAIR] }, env: LIMITS });
    await untilConcluded(world, red, 'success');

    expect(ownPushes(world, red.repo)).toHaveLength(1);
    await world.until(async () => (await readdir(join(second.dataDir, 'trash'))).length === 0, {
      what: 'an empty trash',
    });
    expect(await readdir(join(second.dataDir, 'sessions'))).toEqual([]);
  });
});
