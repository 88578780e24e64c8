import { describe, expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, openStage } from '../support/e2e.ts';
import {
  openRedPullRequest,
  ownPushes,
  REPAIR,
  type RedPullRequest,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';

describe.concurrent('deliveries that go wrong change nothing in the end', AT_ONCE, () => {
  async function expectOneFix(world: World, red: RedPullRequest): Promise<void> {
    await untilConcluded(world, red, 'success');
    expect(ownPushes(world, red.repo)).toHaveLength(1);
    expect(world.comments(red.repo, red.number)).toHaveLength(1);
    expect(world.violations).toEqual([]);
  }

  it('when every delivery comes twice (T3, F18, trap 41)', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] } });
    world.faults.duplicateDeliveries();
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    await expectOneFix(world, red);
    expect(ratchet.lines.filter((line) => line.msg === 'command carried out')).toHaveLength(1);
  });

  it('when all but the command are lost: the timed look finds what they would have told (002.R35, F17)', async ({
    onTestFinished,
  }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    await stage.start({ script: { steps: [REPAIR] }, env: { RATCHET_RECHECK_SECONDS: '1' } });
    world.faults.dropDeliveries(({ event }) => event !== 'issue_comment' && event !== 'installation');
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    await expectOneFix(world, red);
  });

  it('when they come in the reverse order (002.R11, F18, traps 10 and 71)', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    await stage.start({ script: { steps: [REPAIR] } });
    const held = world.faults.holdDeliveries();
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await world.until(
      async () => (await world.checkRuns(red.repo, red.number)).every(({ status }) => status === 'completed'),
      {
        what: 'CI to end before anything is delivered',
      },
    );
    held.release('reversed');

    await expectOneFix(world, red);
  });

  it('when GitHub fails, limits and forgets tokens on the way (F13, F14, F16)', async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    await stage.start({ script: { steps: [REPAIR] } });
    const red = await openRedPullRequest(world);
    world.faults.failRequests({ times: 2, status: 502, matches: ({ path }) => path.includes('graphql') });
    world.faults.rateLimit({ times: 1, retryAfterSeconds: 1, matches: ({ path }) => path.includes('/check-runs') });
    world.faults.lateMergeability(1);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await world.until(() => world.pushes.some(({ login }) => login === world.botUser.login), {
      what: 'the push',
    });
    world.faults.expireTokens();

    await expectOneFix(world, red);
  });
});
