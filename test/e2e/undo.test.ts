import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { runRatchet } from '../support/ratchet-process.ts';
import { BROKEN_SUM, READER, REPAIR, ratchetChecks, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const ADMIN_TOKEN = 'token-of-the-undo-tests';
const ADDITION = '\n\nexport const names = ["left", "right"];\n';
const FIXED_SUM = BROKEN_SUM.replace('left - right', 'left + right');

describe.concurrent('people who take a fixup back (S26)', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    const env = { ...MANY_SLOTS, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN };
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [REPAIR] }, env }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  /** A fixup was pushed and turned CI green. */
  async function openFixed(name: string): Promise<Story> {
    const story = await openStory(place, { name });
    story.enable();
    await story.untilConcluded('success');
    return story;
  }

  const sumOf = ({ repo, number }: Story): Promise<string | null> => stage.world.fileAt(repo, number, 'sum.mjs');

  it('by the button: the change is gone, the commit of a person on top stays, and nothing makes it again (S19)', async () => {
    const { world } = stage;
    const story = await openFixed('undone-by-button');
    const login = WRITER;
    const files = { 'sum.mjs': FIXED_SUM + ADDITION, 'note.txt': 'a person\n' };
    const person = await world.commit({ ...story, files, login });
    await story.untilCiEnded();
    await story.untilConcluded('success');
    const [check] = await ratchetChecks(world, story);
    await world.clickButton(check?.id ?? 0, 'undo', READER);
    await world.until(async () => story.ownComments().some(({ body }) => body.includes('needs write permission')), {
      what: 'the refusal of a reader',
    });
    await world.clickButton(check?.id ?? 0, 'undo', login);
    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('The fix was reverted');
    expect(await sumOf(story)).toBe(BROKEN_SUM + ADDITION);
    expect(await world.fileAt(story.repo, story.number, 'note.txt')).toBe('a person\n');
    expect(story.pushes()).toHaveLength(2);
    expect(story.pushes().at(-1)?.before).toBe(person);
    expect(story.lines('fixup launched')).toHaveLength(1);
  });

  it('by a comment, twice: the second one says that it is done, and pushes nothing', async () => {
    const { world } = stage;
    const story = await openFixed('undone-twice');
    world.comment({ ...story, login: WRITER, body: '/ratchet undo' });
    await story.untilConcluded('action_required');
    world.comment({ ...story, login: WRITER, body: '/ratchet undo' });
    await world.until(async () => story.ownComments().some(({ body }) => body.includes('was undone by')), {
      what: 'the reply to the second undo',
    });

    expect(await sumOf(story)).toBe(BROKEN_SUM);
    expect(story.pushes()).toHaveLength(2);
  });

  it('not where a person changed the same lines since: a conflict is told, and nothing is pushed', async () => {
    const { world } = stage;
    const story = await openFixed('undo-in-conflict');
    const changed = FIXED_SUM.replace('left + right', 'right + left');
    const person = await world.commit({ ...story, files: { 'sum.mjs': changed }, login: WRITER });
    world.comment({ ...story, login: WRITER, body: '/ratchet undo' });
    await world.until(async () => story.ownComments().some(({ body }) => body.includes('git revert')), {
      what: 'the reply with the conflict',
    });

    expect(await world.headSha(story.repo, story.number)).toBe(person);
    expect(await sumOf(story)).toBe(changed);
    expect(story.pushes()).toHaveLength(1);
  });

  it('not where it is a merge of the base: the reason is told with commands for a person, and nothing is pushed', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'merge-kept', change: { 'note.txt': 'hello\n' } });
    await story.untilCiEnded();
    const before = await world.headSha(story.repo, story.number);
    await world.commit({ repo: story.repo, branch: 'main', files: { 'more.txt': 'more\n' }, login: WRITER });
    world.faults.claimConflicts(story.repo, true);
    story.enable();
    await world.until(() => story.pushes().length > 0, { what: 'the merge' });
    world.faults.claimConflicts(story.repo, false);
    await story.untilConcluded('success');
    const merge = await world.headSha(story.repo, story.number);

    world.comment({ ...story, login: WRITER, body: '/ratchet undo' });
    await world.until(
      async () => story.ownComments().some(({ body }) => body.includes("would then remove the base's changes")),
      { what: 'the refusal' },
    );
    const refusal = story.ownComments().find(({ body }) => body.includes("would then remove the base's changes"));
    expect(refusal?.body).toContain(`git reset --hard ${before}`);
    expect(story.pushes()).toHaveLength(1);
    expect(await world.headSha(story.repo, story.number)).toBe(merge);
    expect(await world.fileAt(story.repo, story.number, 'more.txt')).toBe('more\n');
  });

  it('by `ratchet undo`, which waits for the end', async () => {
    const story = await openFixed('undone-by-operator');
    const env = { RATCHET_URL: place.ratchet.url, RATCHET_ADMIN_TOKEN: ADMIN_TOKEN };
    const { exitCode, stdout } = await runRatchet(['undo', `${story.repo}#${String(story.number)}`], '', env);

    expect(stdout).toContain('Undid');
    expect(exitCode).toBe(0);
    expect(await sumOf(story)).toBe(BROKEN_SUM);
  });
});
