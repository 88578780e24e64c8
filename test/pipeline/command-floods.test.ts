import { describe, expect, it } from 'vitest';
import { aCheck, aPerson } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startLaunched, startPipeline } from '../support/pipeline-fixture.ts';

const STRANGER = aPerson({ id: 301, login: 'stan' });
const GREEN = { checks: [aCheck()] };

function count(pipeline: Pipeline, call: string): number {
  return pipeline.github.calls.filter((made) => made === call).length;
}

/** Looks until no command is left; returns how many looks that took. */
async function lookAtAll(pipeline: Pipeline): Promise<number> {
  for (let looks = 1; looks <= 20; looks += 1) {
    await pipeline.evaluate();
    if (pipeline.store.pendingCommands(pipeline.key).length === 0) return looks;
  }
  throw new Error('commands are left');
}

describe('a flood of commands', () => {
  it('of a stranger is answered thirty times and costs no more, and a word of a writer is not far behind it (T13)', async () => {
    const pipeline = await startLaunched();
    const asked = count(pipeline, 'readPermission');
    const reactions = pipeline.github.reactions.length;
    for (let nth = 0; nth < 1000; nth += 1) {
      pipeline.comment(nth % 2 === 0 ? '/ratchet stop' : '/ratchet status', { author: STRANGER });
    }
    pipeline.comment('/ratchet disable');

    const looks = await lookAtAll(pipeline);

    expect(looks).toBeLessThanOrEqual(4);
    expect(pipeline.workspace().enablement).toBe('disabled');
    expect(pipeline.replies()).toHaveLength(30);
    expect(pipeline.github.reactions.length - reactions).toBe(62);
    expect(count(pipeline, 'readPermission') - asked).toBeLessThanOrEqual(2 * looks);
    expect(count(pipeline, 'readPullRequest')).toBeLessThanOrEqual(2 * looks + 2);
  });

  it('of a writer keeps its effect, and is answered no more than anybody', async () => {
    const pipeline = await startEnabled(GREEN);
    for (let nth = 0; nth < 40; nth += 1) pipeline.comment('/ratchet help');
    pipeline.comment('/ratchet disable');

    await lookAtAll(pipeline);

    // The first comment of all enabled it.
    expect(pipeline.replies()).toHaveLength(29);
    expect(pipeline.workspace().enablement).toBe('disabled');
  });

  it('is over after an hour, and answers are given again', async () => {
    const pipeline = startPipeline();
    for (let nth = 0; nth < 40; nth += 1) pipeline.comment('/ratchet help', { author: STRANGER });
    await lookAtAll(pipeline);

    pipeline.clock.advance(60 * MINUTE_MS + 1);
    pipeline.comment('/ratchet help', { author: STRANGER });
    await lookAtAll(pipeline);

    expect(pipeline.replies()).toHaveLength(31);
  });

  it('comes to an end where another program answers each of our replies (traps 53 and 54)', async () => {
    const pipeline = startPipeline();
    let heard = -1;
    for (let round = 0; round < 100; round += 1) {
      if (heard === pipeline.replies().length) break;
      heard = pipeline.replies().length;
      pipeline.comment('/ratchet status', { author: STRANGER });
      await pipeline.evaluate();
    }

    expect(pipeline.replies()).toHaveLength(30);
  });
});
