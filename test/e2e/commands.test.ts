import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, READER, REPAIR, ratchetChecks, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const SECOND_WRITER = 'second-maintainer';
const SLOW = [REPAIR, { do: 'hang' }];
const GIVE_UP = [{ do: 'result', status: 'failure', summary: 'no idea' }];

describe.concurrent('people who steer Ratchet', AT_ONCE, () => {
  let slow: Stage;
  let helpless: Stage;
  let slowPlace: Place;
  let helplessPlace: Place;

  beforeAll(async () => {
    slow = await setStage();
    helpless = await setStage();
    slowPlace = { world: slow.world, ratchet: await slow.start({ script: { steps: SLOW }, env: MANY_SLOTS }) };
    helplessPlace = {
      world: helpless.world,
      ratchet: await helpless.start({ script: { steps: GIVE_UP }, env: MANY_SLOTS }),
    };
  });

  afterAll(async () => {
    await slow.close();
    await helpless.close();
  });

  /** Enabled by another; the author of the pull request may only read by now. */
  async function openOfReader(name: string): Promise<Story> {
    const { world } = slow;
    const story = await openStory(slowPlace, { name });
    world.createUser(SECOND_WRITER);
    world.setPermission(story.repo, SECOND_WRITER, 'write');
    world.setPermission(story.repo, WRITER, 'read');
    world.comment({ ...story, login: SECOND_WRITER, body: '/ratchet enable' });
    await story.untilLine('agent started');
    return story;
  }

  it('may stop a running fixup as the author, without permission; nothing follows by itself (S8, S9)', async () => {
    const story = await openOfReader('stopped-by-its-author');

    slow.world.comment({ ...story, login: WRITER, body: '/ratchet stop' });
    const ended = await story.untilLine('fixup completed');
    await story.untilCode('STOPPED_SAME_CAUSE');

    expect(ended).toMatchObject({ exitReason: 'superseded', pushed: false });
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toEqual([]);
  });

  it('may pause as the author, and only a writer resumes', async () => {
    const { world } = slow;
    const story = await openOfReader('paused-by-its-author');

    world.comment({ ...story, login: WRITER, body: '/ratchet pause\n/ratchet stop' });
    await story.untilCode('PAUSED');
    world.comment({ ...story, login: WRITER, body: '/ratchet resume' });
    await world.until(async () => story.ownComments().some(({ body }) => body.includes('write permission')), {
      what: 'the refusal of the resume',
    });

    expect(story.codes().at(-1)).toBe('PAUSED');
    expect(story.pushes()).toEqual([]);
  });

  it('enable by the label that the policy names, and only with write permission (T7)', async () => {
    const { world } = helpless;
    const policy = `labels:\n  enable: ratchet\n${QUICK_POLICY}`;
    const story = await openStory(helplessPlace, { name: 'enabled-by-label', policy });
    await world.label({ ...story, login: READER, name: 'ratchet' });
    await story.untilLine('command changed nothing');
    await world.unlabel({ ...story, login: WRITER, name: 'ratchet' });
    expect(story.lines('action determined')).toEqual([]);

    await world.label({ ...story, login: WRITER, name: 'ratchet' });
    await story.untilLine('command carried out', { command: 'enable', place: 'label' });
    await story.untilConcluded('action_required');

    expect(story.lines('fixup launched')).toHaveLength(1);
  });

  it("retry by GitHub's own Re-run, and only with write permission (T7)", async () => {
    const { world } = helpless;
    const story = await openStory(helplessPlace, { name: 'run-again' });
    story.enable();
    await story.untilConcluded('action_required');
    const [check] = await ratchetChecks(world, story);

    await world.rerunCheck(check?.id ?? 0, READER);
    await story.untilLine('command changed nothing', { place: 'rerun' });
    const launchedBefore = story.lines('fixup launched').length;
    await world.rerunCheck(check?.id ?? 0, WRITER);
    await story.untilLine('command carried out', { command: 'retry', place: 'rerun' });
    await world.until(() => Promise.resolve(story.lines('fixup launched').length === 2), {
      what: 'the second fixup',
    });

    expect(launchedBefore).toBe(1);
    expect(story.ownComments().filter(({ body }) => !body.includes('ratchet:pr'))).toEqual([]);
  });
});
