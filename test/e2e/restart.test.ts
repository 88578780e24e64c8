import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import {
  openRedPullRequest,
  ownPushes,
  QUICK_POLICY,
  REPAIR,
  ratchetChecks,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';
import { startRedis } from '../support/redis.ts';

/** As long as the agent's own script says so: what a test changes between two starts. */
const HANGING = { steps: [REPAIR, { do: 'hang', ignoreSigterm: true }] };
const REPAIRING = { steps: [REPAIR] };
/** What containers are given between SIGTERM and SIGKILL. */
const CONTAINER_GRACE_MS = 10_000;
const BY_ITSELF: unknown = expect.stringContaining('by itself');
const RESTARTING = 'Restarting · continues by itself';

describe.concurrent('a stop that is asked for while it works', AT_ONCE, () => {
  async function stopInTime(ratchet: Ratchet): Promise<void> {
    const askedAt = performance.now();

    expect(await ratchet.stop()).toBe(0);

    expect(performance.now() - askedAt).toBeLessThan(CONTAINER_GRACE_MS);
    expect(ratchet.lines.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(ratchet.lines.find(({ msg }) => msg === 'stopping')).toMatchObject({ why: 'SIGTERM' });
  }

  it('ends within the grace of a container although the agent ignores SIGTERM, tells so, and goes on to one green push', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const first = await stage.start({ script: HANGING });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await first.untilLog(({ msg }) => msg === 'agent started', 'the agent to run');
    await world.until(async () => (await ratchetChecks(world, red)).some(({ output }) => output.title !== null), {
      what: 'a check run',
    });

    await stopInTime(first);
    const meanwhile = await ratchetChecks(world, red);
    const left = await readdir(join(first.dataDir, 'sessions'));
    const second = await stage.start({ script: REPAIRING });
    await untilConcluded(world, red, 'success');

    expect(meanwhile).toMatchObject([
      {
        status: 'in_progress',
        conclusion: null,
        output: { title: RESTARTING, summary: BY_ITSELF },
      },
    ]);
    expect(left).toEqual([]);
    expect(ownPushes(world, red.repo)).toHaveLength(1);
    const launched = second.lines.filter(({ msg }) => msg === 'fixup launched');
    expect(launched.map((line) => line['attempt'])).toEqual([1]);
    expect(await ratchetChecks(world, red)).toHaveLength(1);
  });

  it('goes on ending when Ctrl-C arrives twice, as it does below npm, or the terminal is closed', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const first = await stage.start({ script: REPAIRING });
    process.kill(first.pid, 'SIGHUP');
    process.kill(first.pid, 'SIGINT');
    process.kill(first.pid, 'SIGINT');

    expect(await first.stop()).toBe(0);

    expect(first.lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('ends at once when it is asked for again, and nothing is lost', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const first = await stage.start({ script: HANGING });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await first.untilLog(({ msg }) => msg === 'agent started', 'the agent to run');
    process.kill(first.pid, 'SIGTERM');
    // A second after the first one; a repetition within half a second is not heeded.
    await first.untilLog(({ msg }) => msg === 'runs are ended', 'the runs to be ended');

    expect(await first.stop()).toBe(3);
    expect(first.lines.at(-1)).not.toMatchObject({ msg: 'stopped' });
    await stage.start({ script: REPAIRING });
    await untilConcluded(world, red, 'success');
    expect(ownPushes(world, red.repo)).toHaveLength(1);
  });

  it('ends in time although GitHub does not answer what it wants to tell', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const first = await stage.start({ script: HANGING });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await first.untilLog(({ msg }) => msg === 'agent started', 'the agent to run');
    await world.until(async () => (await ratchetChecks(world, red)).some(({ output }) => output.title !== null), {
      what: 'a check run',
    });
    world.faults.hangRequests({
      times: 5,
      matches: ({ method, path }) => method === 'PATCH' && path.includes('check-runs'),
    });

    await stopInTime(first);

    expect(first.lines.map(({ msg }) => msg)).toContain('the restart could not be reported');
    expect((await ratchetChecks(world, red)).map(({ output }) => output.title)).not.toContain(RESTARTING);
  });

  it('ends in time although Redis died in the middle, which has kept no pull request from green', async ({
    onTestFinished,
  }) => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: REPAIRING, redisUrl: redis.url });
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await ratchet.untilLog(({ msg }) => msg === 'agent started', 'the agent to run');
    await redis.kill();
    await untilConcluded(world, red, 'success');

    await stopInTime(ratchet);

    expect(ownPushes(world, red.repo)).toHaveLength(1);
    expect(ratchet.lines.map(({ msg }) => msg)).toContain('Redis fails, the queue goes on without it');
  });

  it('tells so of engines, too, and runs them again after the next start', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const name = 'Ratchet / quality';
    const policy = `${QUICK_POLICY}engines:
  endless:
    command: [node, -e, "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)", "{report}"]
    format: jsonl
`;
    const first = await stage.start({ script: REPAIRING });
    const red = await openRedPullRequest(world, { policy });
    const titles = async (): Promise<readonly (string | null)[]> =>
      (await world.checkRuns(red.repo, red.number, { name, filter: 'all' })).map(({ output }) => output.title);
    await world.until(async () => (await titles()).includes('Engines are running'), { what: 'the engines' });

    await stopInTime(first);
    const meanwhile = await titles();
    await stage.start({ script: REPAIRING });
    await world.until(async () => (await titles()).includes('Engines are running'), { what: 'the engines again' });

    expect(meanwhile).toEqual([RESTARTING]);
    expect((await titles()).toSorted()).toEqual(['Engines are running', 'Interrupted']);
  });
});
