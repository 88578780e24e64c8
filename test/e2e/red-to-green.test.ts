import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../support/e2e.ts';
import {
  openRedPullRequest,
  ownPushes,
  REPAIR,
  TEST_COMMAND,
  untilConcluded,
  WRITER,
} from '../support/red-repository.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

describe.each(['embedded', 'bullmq'])('a pull request goes from red to green, on the %s queue', (queue) => {
  let redis: TestRedis | null = null;
  let stage: Stage;

  beforeAll(async () => {
    redis = queue === 'bullmq' ? await startRedis() : null;
  });

  afterAll(async () => {
    await redis?.stop();
  });

  beforeEach(async () => {
    stage = await setStage();
  });

  afterEach(async () => {
    await stage.close();
  });

  it('by webhooks alone: enabled, fixed, pushed once, green, done (002.R34, CARD.R1 and R9)', async () => {
    const { world } = stage;
    const ratchet = await stage.start({ script: { steps: [REPAIR] }, redisUrl: redis?.url ?? null });
    const red = await openRedPullRequest(world);
    const redHead = await world.headSha(red.repo, red.number);
    const commentId = world.comment({ ...red, login: WRITER, body: '/ratchet enable' });

    const summary = await untilConcluded(world, red, 'success');

    const [fix] = await world.log(red.repo, red.number, 1);
    expect(fix?.parents).toEqual([redHead]);
    expect(fix?.message).toContain('Ratchet-Attempt: ');
    expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
    expect(ownPushes(world, red.repo)).toHaveLength(1);
    expect(world.reactions(commentId)).toEqual(['eyes', '+1'].map((content) => `${content} by ${world.botUser.login}`));
    expect(world.comments(red.repo, red.number)).toHaveLength(1);
    expect(summary).toContain(`\`${TEST_COMMAND}\`: passed`);
    expect(summary).toContain('1 file, +1 −1');
    expect(world.violations).toEqual([]);
    expect(await ratchet.stop()).toBe(0);
  });
});
