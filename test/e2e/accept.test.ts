import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, READER, REPAIR, type RedOptions, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story, toStory } from '../support/story.ts';

const PRICES = 'tests/test_prices.py';
const toPrices = (value: number): string =>
  `from shop.prices import total\n\n\ndef test_total():\n    assert total([2, 3]) == ${String(value)}\n`;
const FILES = { 'shop/prices.py': 'def total(prices):\n    return sum(prices)\n', [PRICES]: toPrices(5) };
const success = { do: 'result', status: 'success' };

const SCRIPT = {
  cases: [
    { when: { file: PRICES, contains: '<<<<<<<' }, steps: [{ do: 'write', file: PRICES, text: toPrices(8) }, success] },
    {
      when: { file: 'sum.mjs', contains: 'left - right' },
      steps: [REPAIR, { do: 'edit', file: PRICES, find: '== 5', replace: '== 6' }, success],
    },
  ],
  steps: [{ do: 'crash', exitCode: 99 }],
};

describe.concurrent('a change that waits for a person, and `/ratchet accept` (S28)', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: SCRIPT, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  async function open(name: string, options: RedOptions = {}): Promise<Story> {
    return openStory(place, { name, files: FILES, policy: QUICK_POLICY, ...options });
  }

  /** The agent changes what a test expects, which nothing explains. */
  async function openHeld(name: string): Promise<Story> {
    const story = await open(name);
    story.enable();
    const summary = await story.untilConcluded('action_required');
    expect(summary).toContain('`EXPECTATION_CHANGED`');
    expect(story.pushes()).toEqual([]);
    return story;
  }

  /** Answers to commands: the one comment about the state of the pull request is none. */
  const replies = (story: Story): readonly string[] =>
    story.ownComments().flatMap(({ body }) => (body.includes('<!-- ratchet:pr -->') ? [] : [body]));

  /** Comments, and waits for the answer. */
  async function ask(story: Story, login: string): Promise<string> {
    const before = replies(story).length;
    stage.world.comment({ repo: story.repo, number: story.number, login, body: '/ratchet accept' });
    await stage.world.until(() => replies(story).length > before, { what: `an answer on ${story.repo}` });
    return replies(story).at(-1) ?? '';
  }

  const accept = (story: Story): void => {
    stage.world.comment({ repo: story.repo, number: story.number, login: WRITER, body: '/ratchet accept' });
  };

  it('refuses whoever may not write, pushes for a writer exactly what was held, and does nothing twice', async () => {
    const story = await openHeld('held-fix');

    expect(await ask(story, READER)).toContain('write permission');
    expect(story.pushes()).toEqual([]);

    accept(story);
    await story.untilConcluded('success');
    expect(story.pushes()).toHaveLength(1);
    expect(await stage.world.fileAt(story.repo, story.number, PRICES)).toBe(toPrices(6));
    expect((await stage.world.log(story.repo, story.number, 1))[0]?.message).toContain(
      `Ratchet-Accepted-By: ${WRITER}`,
    );

    expect(await ask(story, WRITER)).toContain('no change waits for a person here');
    expect(story.pushes()).toHaveLength(1);
    expect(story.lines('agent started')).toHaveLength(1);
  });

  it('is refused once the head is another one, and says for which head the change was made', async () => {
    const story = await openHeld('held-then-moved');
    const { repo, branch } = story;
    const files = { 'sum.mjs': 'export function sum(left, right) {\n  return right + left;\n}\n' };
    const head = await stage.world.commit({ repo, branch, files, login: WRITER });
    await story.untilConcluded('success');

    expect(await ask(story, WRITER)).toMatch(/was made for|no change waits/u);
    expect(story.pushes()).toEqual([]);
    expect(await stage.world.headSha(repo, story.number)).toBe(head);
  });

  it('works on another pull request of the same branch, and pushes once for both', async () => {
    const { world } = stage;
    const story = await open('held-for-two');
    const { repo, branch } = story;
    await world.commit({ repo, branch: 'release', from: 'main', files: { 'note.txt': 'x\n' }, login: WRITER });
    const number = await world.openPullRequest({ repo, head: branch, base: 'release', title: 'second', login: WRITER });
    const second = await toStory(place, { repo, number, branch });
    // Another run of CI is another cause, for which another fixup would start.
    await second.untilCiEnded();
    story.enable();
    await story.untilConcluded('action_required');
    expect(story.pushes()).toEqual([]);
    second.enable();
    await second.untilCode('STOPPED_SAME_CAUSE');

    accept(second);
    await story.untilConcluded('success');
    expect(story.pushes()).toHaveLength(1);
    expect(await world.fileAt(repo, number, PRICES)).toBe(toPrices(6));
    expect(await ask(story, WRITER)).toContain('no change waits for a person here');
    expect(story.pushes()).toHaveLength(1);
  });

  it('pushes a conflicted merge that was held: of the same head and base, with the resolution that was shown', async () => {
    const { world } = stage;
    const story = await open('held-merge', { change: { [PRICES]: toPrices(6) } });
    await story.untilCiEnded();
    const head = await world.headSha(story.repo, story.number);
    const base = await world.commit({
      ...{ repo: story.repo, branch: 'main', files: { [PRICES]: toPrices(7) }, login: WRITER },
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');
    expect(summary).toContain('`EXPECTATION_CHANGED`');
    expect(summary).toContain('/ratchet accept');
    expect(summary).toContain('== 8');
    expect(story.pushes()).toEqual([]);
    expect(await ask(story, READER)).toContain('write permission');

    accept(story);
    await story.untilConcluded('success');
    const [merge] = await world.log(story.repo, story.number, 1);
    expect(merge?.parents).toEqual([head, base]);
    expect(merge?.message).toContain(`Ratchet-Accepted-By: ${WRITER}`);
    expect(story.pushes()).toHaveLength(1);
    expect(await world.fileAt(story.repo, story.number, PRICES)).toBe(toPrices(8));
    expect(story.lines('agent started')).toHaveLength(1);

    expect(await ask(story, WRITER)).toContain('no change waits for a person here');
    expect(story.pushes()).toHaveLength(1);
  });
});
