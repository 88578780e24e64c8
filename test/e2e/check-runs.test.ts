import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, openStage, type Stage, setStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import { QUICK_POLICY, REPAIR, ratchetChecks, WRITER } from '../support/red-repository.ts';
import { openStory, type Story } from '../support/story.ts';

describe.concurrent('check runs as GitHub keeps them', AT_ONCE, () => {
  let stage: Stage;
  let ratchet: Ratchet;
  beforeAll(async () => {
    stage = await setStage();
    ratchet = await stage.start({ script: { steps: [REPAIR] }, env: { RATCHET_COMMIT_SIGNOFF: 'true' } });
  });
  afterAll(async () => stage.close());

  /** All our check runs named "Ratchet" at the head, oldest first. */
  async function allRuns({ repo, number }: Story): Promise<readonly { status: string; conclusion: string | null }[]> {
    const runs = await stage.world.checkRuns(repo, number, { name: 'Ratchet', filter: 'all' });
    return runs.map(({ status, conclusion }) => ({ status, conclusion }));
  }

  it('a completed one cannot be reopened: another of its name takes its place, and the newest counts (L30)', async () => {
    const { world } = stage;
    const story = await openStory({ world, ratchet }, { name: 'outlived', policy: `mode: observe\n${QUICK_POLICY}` });
    story.enable();
    await story.untilConcluded('action_required');
    const observed = await allRuns(story);
    await world.commit({ repo: story.repo, branch: 'main', files: { '.github/ratchet.yml': QUICK_POLICY } });
    const [check] = await ratchetChecks(world, story);
    const head = await world.headSha(story.repo, story.number);
    await world.rerunCheck(check?.id ?? 0, WRITER);
    await story.untilLine('fixup completed', { exitReason: 'pushed' });
    await story.untilConcluded('success');

    expect(observed).toEqual([{ status: 'completed', conclusion: 'action_required' }]);
    const before = await world.checkRuns(story.repo, head, { name: 'Ratchet', filter: 'all' });
    expect(before.map(({ conclusion }) => conclusion)).toContain('action_required');
    expect(before.map(({ conclusion }) => conclusion)).toContain('neutral');
    expect(before.every(({ status }) => status === 'completed')).toBe(true);
    expect(new Set(before.map(({ externalId }) => externalId)).size).toBe(before.length);
    expect(await ratchetChecks(world, story)).toMatchObject([{ conclusion: 'success' }]);
    expect(story.pushes()).toHaveLength(1);
    expect(story.lines('fixup launched')).toHaveLength(1);
  });

  it('a button that is pressed again some time later acts again, though GitHub sends the same body (S45)', async () => {
    const { world } = stage;
    const story = await openStory({ world, ratchet }, { name: 'pressed', policy: `mode: observe\n${QUICK_POLICY}` });
    story.enable();
    await story.untilConcluded('action_required');
    const [check] = await ratchetChecks(world, story);
    const before = story.ownComments().length;
    await world.clickButton(check?.id ?? 0, 'why', WRITER);
    await world.clickButton(check?.id ?? 0, 'why', WRITER);
    await world.until(() => story.ownComments().length === before + 1, { what: 'the first answer' });
    // A press counts as the same until it is answered and settled, and for the time of a double click.
    const answeredAt = Date.now();
    await world.until(() => Date.now() - answeredAt > 1_500, { what: 'the time of a double click to be over' });

    await world.clickButton(check?.id ?? 0, 'why', WRITER);
    await world.until(() => story.ownComments().length > before + 1, { what: 'the second answer' });

    expect(story.ownComments()).toHaveLength(before + 2);
    expect(story.lines('fixup launched')).toEqual([]);
  });

  it('a commit is made by the bot account of the App, signed off, and passes a CLA check (L31)', async () => {
    const { world } = stage;
    const story = await openStory({ world, ratchet }, { name: 'authors', policy: QUICK_POLICY });
    world.checkAuthors(story.repo, ['license/cla']);
    story.enable();
    await story.untilLine('fixup completed', { exitReason: 'pushed' });
    const head = await world.headSha(story.repo, story.number);
    const [ours] = await world.log(story.repo, story.number, 1);
    const cla = await world.checkRuns(story.repo, head, { name: 'license/cla' });

    expect(ours?.author).toBe(world.botUser.login);
    expect(ours?.message).toContain(`Signed-off-by: ${world.botUser.login} <`);
    expect(ours?.message).toMatch(/@users\.noreply\.[\d.]+>$/m);
    expect(cla).toMatchObject([{ conclusion: 'success' }]);
  });

  it('a rule that refuses our commits is told before an agent works (S48)', async () => {
    const { world } = stage;
    const story = await openStory({ world, ratchet }, { name: 'ruled' });
    world.protectBranch(story.repo, 'feature/*', {
      as: 'ruleset',
      commitPatterns: [{ of: 'author_email', operator: 'ends_with', pattern: '@example.org', negate: false }],
    });
    story.enable();
    const text = await story.untilConcluded('action_required');

    expect(await story.title()).toBe('Branch rules forbid a push');
    expect(text).toMatch(/COMMIT.{0,2}AUTHOR.{0,2}EMAIL/);
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.pushes()).toEqual([]);
  });

  it('a crash between settling a command and its reaction loses no reaction (S46)', async ({ onTestFinished }) => {
    const own = await openStage(onTestFinished);
    const first = await own.start({ script: { steps: [] } });
    const story = await openStory({ world: own.world, ratchet: first }, { name: 'reacted' });
    let isHanging = false;
    const commentId = own.world.comment({ ...story, login: WRITER, body: '/ratchet disable' });
    own.world.faults.hangRequests({
      times: 1,
      matches: ({ method, path }) => {
        isHanging = method === 'POST' && path.endsWith('/reactions') && own.world.reactions(commentId).length === 1;
        return isHanging;
      },
    });
    await own.world.until(() => isHanging, { what: 'the reaction to begin' });
    await first.crash();
    const between = own.world.reactions(commentId);
    await own.start({ script: { steps: [] } });
    await own.world.until(() => own.world.reactions(commentId).length === 2, { what: 'the reaction' });

    expect(between).toEqual([`eyes by ${own.world.botUser.login}`]);
    expect(own.world.reactions(commentId)).toEqual(
      ['eyes', '+1'].map((content) => `${content} by ${own.world.botUser.login}`),
    );
  });
});
