import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { BROKEN_SUM, QUICK_POLICY, WRITER } from '../support/red-repository.ts';
import { openStory, type Place } from '../support/story.ts';

const GOOD_SUM = 'export function sum(left, right) {\n  return right + left;\n}\n';

describe.concurrent('the comment for a person', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    const script = { steps: [{ do: 'result', status: 'failure', summary: 'beyond me' }] };
    place = { world: stage.world, ratchet: await stage.start({ script, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  it('is one, edited in place, and its first line says of which head it speaks (traps 30, 66)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'edited-in-place' });
    const firstLine = (): string | undefined =>
      story
        .ownComments()[0]
        ?.body.replace(/^<!--.*-->\n/u, '')
        .split('\n')[0];
    const untilSaid = async (sha: string, words: string): Promise<void> => {
      await world.until(
        () => firstLine()?.includes(sha.slice(0, 10)) === true && firstLine()?.includes(words) === true,
        {
          what: `a comment that begins with ${words} at ${sha}; it says ${String(firstLine())}`,
        },
      );
    };
    story.enable();
    await untilSaid(await world.headSha(story.repo, story.number), 'Could not fix');
    expect(story.ownComments()[0]?.body).toContain('beyond me');

    const repaired = await world.commit({ ...story, files: { 'sum.mjs': GOOD_SUM }, login: WRITER });
    await story.untilConcluded('success');
    await untilSaid(repaired, 'Nothing to do');

    const broken = await world.commit({ ...story, files: { 'sum.mjs': BROKEN_SUM }, login: WRITER });
    await untilSaid(broken, 'Could not fix');

    expect(story.ownComments()).toHaveLength(1);
    expect(story.pushes()).toEqual([]);
    expect(world.comments(story.repo, story.number)).toHaveLength(2);
  });

  it('is not written where the policy wants none', async () => {
    const story = await openStory(place, { name: 'none-wanted', policy: `comment: never\n${QUICK_POLICY}` });
    story.enable();

    await story.untilConcluded('action_required');
    const looked = story.untilNext('action determined');
    stage.world.comment({ ...story, login: WRITER, body: '/ratchet retry' });
    await looked;

    expect(story.ownComments()).toEqual([]);
  });
});
