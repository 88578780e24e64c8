import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { BROKEN_SUM, REPAIR, toWorkflow, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

/** CI runs once for each head. */
const ONE_RUN = { '.github/workflows/ci.yml': toWorkflow('[pull_request]') };
const HARMLESS = { 'note.txt': 'hello\n' };

describe.concurrent('a cheaper means than an agent comes first', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [REPAIR] }, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  it('runs again, once, what the infrastructure failed, and tells of the flake (S7)', async () => {
    const { world } = stage;
    world.faults.failJobOnce('lost-runner/lost-runner', { name: 'test', kind: 'infrastructure' });
    const story = await openStory(place, { name: 'lost-runner', files: ONE_RUN, change: HARMLESS });
    story.enable();

    const summary = await story.untilConcluded('success');

    expect(summary).toContain('Flaky: `test` failed and then passed on the same commit');
    expect(summary).toContain('Attempts used: 0 of 3');
    expect(rerunsOf(world, story)).toBe(1);
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.pushes()).toEqual([]);
  });

  it('launches an agent for what is red again after the re-run (S7)', async () => {
    const { world } = stage;
    world.faults.failJobOnce('red-again/red-again', { name: 'test', kind: 'network' });
    const story = await openStory(place, { name: 'red-again', files: ONE_RUN });
    story.enable();

    await story.untilConcluded('success');

    const codes = story.codes();
    expect(codes.indexOf('CI_FAILED')).toBeGreaterThan(codes.indexOf('CI_FLAKY'));
    expect(rerunsOf(world, story)).toBe(1);
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('runs nothing again that is red because of the code (S7)', async () => {
    const story = await openStory(place, { name: 'really-red', files: ONE_RUN });
    story.enable();

    await story.untilConcluded('success');

    expect(rerunsOf(stage.world, story)).toBe(0);
    expect(story.pushes()).toHaveLength(1);
  });

  it('asks a person, and no agent, about what is red on the base too (S7)', async () => {
    const { world } = stage;
    const story = await openStory(place, {
      name: 'red-on-base',
      files: { 'sum.mjs': BROKEN_SUM },
      change: HARMLESS,
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('RED_ON_BASE');
    expect(summary).toMatch(/`test`.*: failure, also fails on the base branch/u);
    expect(story.lines('fixup launched')).toEqual([]);
    expect(rerunsOf(world, story)).toBe(0);
    expect(story.pushes()).toEqual([]);
  });

  it('updates a head that the merge queue removed for its merge result, and asks a person if that shows nothing (L7)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'merge-queue-failed', change: HARMLESS });
    const { repo } = story;
    const leave = async (): Promise<void> => {
      await world.enqueue({ ...story, login: WRITER });
      await world.dequeue({ ...story, login: WRITER, reason: 'CI_FAILURE' });
    };
    story.enable();
    await story.untilConcluded('success');
    const head = await world.headSha(repo, story.number);
    const base = await world.commit({ repo, branch: 'main', files: { 'other.txt': 'new\n' }, login: WRITER });

    await leave();
    await world.until(async () => (await world.headSha(repo, story.number)) !== head, { what: 'the update' });
    await story.untilConcluded('success');
    const codes = story.codes();
    await leave();
    const summary = await story.untilConcluded('action_required');

    expect(codes).toContain('MERGE_QUEUE_FAILED');
    expect(codes.at(-1)).toBe('ALL_GREEN');
    const [update] = await world.log(repo, story.number, 1);
    expect(update?.parents).toEqual([head, base]);
    expect(story.codes().at(-1)).toBe('MERGE_QUEUE_UNEXPLAINED');
    expect(summary).toContain(String.raw`CI\_FAILURE`);
    expect(story.lines('fixup launched')).toEqual([]);
    // By GitHub, in the App's name: the update.
    expect(story.pushes()).toHaveLength(1);
  });

  it('has GitHub update a head that must hold its base, once for each base, and counts no attempt (S7, S10, traps 15, 65)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'behind', change: HARMLESS });
    const { repo } = story;
    const head = await world.headSha(repo, story.number);
    world.protectBranch(repo, 'main', { requiresUpToDate: true });
    const base = await world.commit({ repo, branch: 'main', files: { 'other.txt': 'new\n' }, login: WRITER });
    story.enable();

    await story.untilConcluded('success');
    const looked = story.untilNext('action determined');
    world.comment({ ...story, login: WRITER, body: '/ratchet status' });
    await looked;

    const [update] = await world.log(repo, story.number, 1);
    expect(update?.parents).toEqual([head, base]);
    expect(story.lines('observed').map((line) => line['observation'])).toContain('own_update_seen');
    expect(story.lines('observed').map((line) => line['observation'])).not.toContain('outside_push_seen');
    expect(updatesOf(world, story)).toBe(1);
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.codes().at(-1)).toBe('ALL_GREEN');
  });
});

function rerunsOf(world: World, { repo }: Story): number {
  return world.requests.filter(({ path }) => path.includes(`${repo}/actions/runs/`) && path.includes('rerun')).length;
}

function updatesOf(world: World, { repo }: Story): number {
  return world.requests.filter(({ path }) => path.includes(`${repo}/pulls/`) && path.endsWith('/update-branch')).length;
}
