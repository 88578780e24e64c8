import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import { ownPushes, QUICK_POLICY, RED_IN_CI_ONLY, REPAIR, TEST_COMMAND, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story, toStory } from '../support/story.ts';

const LAX_POLICY = QUICK_POLICY.replace(TEST_COMMAND, 'exit 0');
/** Passes its validation and leaves CI red, with another change each time; repairs where the repository lets it. */
const SCRIPT = {
  cases: [
    { when: { file: 'repairable.txt', contains: 'yes' }, steps: [REPAIR] },
    { when: { file: 'note.txt', contains: 'two' }, steps: [{ do: 'write', file: 'note.txt', text: 'three\n' }] },
    { when: { file: 'note.txt', contains: 'one' }, steps: [{ do: 'write', file: 'note.txt', text: 'two\n' }] },
  ],
  steps: [{ do: 'write', file: 'note.txt', text: 'one\n' }],
};
const FORMATTER = 'formatter[bot]';

describe.concurrent('one loop per branch, and who pushes to it', AT_ONCE, () => {
  let stage: Stage;
  let ratchet: Ratchet;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    ratchet = await stage.start({ script: SCRIPT, env: MANY_SLOTS });
    place = { world: stage.world, ratchet };
  });

  afterAll(async () => {
    await stage.close();
  });

  /** Waits until the App has pushed that often to the story's branch. */
  async function untilPushed(story: Story, times: number): Promise<void> {
    await stage.world.until(() => story.pushes().length >= times, { what: `push ${String(times)} to ${story.repo}` });
  }

  it('counts every attempt up to the limit where a formatter pushes after each of them, and renews nothing (S17, L5)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'formatted', policy: LAX_POLICY, files: RED_IN_CI_ONLY });
    story.enable();
    for (const nth of [1, 2, 3]) {
      await untilPushed(story, nth);
      await world.commit({ ...story, files: { 'style.txt': `${String(nth)}\n` }, login: FORMATTER });
    }

    const text = await story.untilConcluded('action_required');
    await world.settled();

    expect(text).toContain('3 of 3');
    expect(story.lines('fixup launched').map((line) => line['attempt'])).toEqual([1, 2, 3]);
    expect(story.pushes()).toHaveLength(3);
    expect(story.codes().at(-1)).toBe('ATTEMPTS_EXHAUSTED');
  });

  it('launches a bounded number of fixups for two pull requests of one branch, and tells of it on both (S18, L5)', async () => {
    const { world } = stage;
    const first = await openStory(place, { name: 'twins', policy: LAX_POLICY, files: RED_IN_CI_ONLY });
    const { repo, branch } = first;
    await world.commit({ repo, branch: 'release', from: 'main', files: { 'RELEASE.md': '1\n' }, login: WRITER });
    const number = await world.openPullRequest({ repo, head: branch, base: 'release', login: WRITER });
    const second = await toStory(place, { repo, branch, number });
    first.enable();
    second.enable();

    await Promise.all([first, second].map((story) => story.untilCode('ATTEMPTS_EXHAUSTED')));
    await world.settled();

    const launched = [first, second].flatMap((story) => story.lines('fixup launched'));
    expect(launched.map((line) => line['attempt']).toSorted()).toEqual([1, 2, 3]);
    expect(ownPushes(world, repo)).toHaveLength(3);
    expect(await first.untilConcluded('action_required')).toMatch(/#\d has the same branch as #\d/u);
    for (const [story, other] of [
      [first, second],
      [second, first],
    ] as const) {
      world.comment({ ...story, login: WRITER, body: '/ratchet status' });
      const line = `#${String(story.number)} has the same branch as #${String(other.number)}`;
      await world.until(() => story.ownComments().some(({ body }) => body.includes(line)), {
        what: 'the status to name the other pull request',
      });
    }
  });

  it('stops where a person reverts its fix, launches nothing, and goes on when asked to (S19, L6)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'reverted', files: { 'repairable.txt': 'yes\n' } });
    story.enable();
    await story.untilConcluded('success');
    const fixed = await world.headSha(story.repo, story.number);

    await world.revert({ ...story, sha: fixed, login: WRITER });
    const text = await story.untilConcluded('action_required');
    await world.settled();

    expect(text).toContain('The fix was reverted');
    expect(text).toContain(fixed);
    expect(story.codes().at(-1)).toBe('TAKEN_BACK');
    expect(story.lines('fixup launched')).toHaveLength(1);
    await world.until(() => story.ownComments().some(({ body }) => body.includes('The fix was reverted')), {
      what: 'the comment about the revert',
    });

    world.comment({ ...story, login: WRITER, body: '/ratchet retry' });
    await story.untilNext('fixup launched');
    expect(story.lines('fixup launched')).toHaveLength(2);
  });
});
