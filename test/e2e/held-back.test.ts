import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, REPAIR, TEST_COMMAND, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

describe.concurrent('what holds Ratchet back is told, and nothing is launched or pushed', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;
  let folder: string;

  beforeAll(async () => {
    stage = await setStage();
    folder = await mkdtemp(join(tmpdir(), 'ratchet-operator-'));
    const path = join(folder, 'operator.yml');
    await writeFile(path, 'observe: [forced/watched]\n');
    const env = { ...MANY_SLOTS, RATCHET_POLICY_FILE: path };
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [REPAIR] }, env }) };
  });

  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  function expectUntouched(story: Story): void {
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.lines('agent started')).toEqual([]);
    expect(story.pushes()).toEqual([]);
  }

  it('the mode `observe`: it decides, and does nothing', async () => {
    const story = await openStory(place, { name: 'observe', policy: `mode: observe\n${QUICK_POLICY}` });
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('OBSERVE_ONLY');
    expect(summary).toContain('Observed · 2 failing checks');
    expect(summary).toContain('Ratchet would start a fixup');
    expectUntouched(story);
    expect(story.ownComments()).toEqual([]);
  });

  it('the operator, who lets one repository be observed only: whatever its policy says, and no other repository', async () => {
    const policy = `mode: push\n${QUICK_POLICY}`;
    const watched = await openStory(place, { owner: 'forced', name: 'watched', policy });
    const free = await openStory(place, { owner: 'forced', name: 'free', policy });
    watched.enable();
    free.enable();

    const summary = await watched.untilConcluded('action_required');
    await free.untilConcluded('success');

    expect(watched.codes().at(-1)).toBe('OBSERVE_ONLY');
    expect(summary).toContain('Observed · 2 failing checks');
    expect(summary).toContain('- Mode: `observe` (Ratchet only reports)');
    expect(summary).toContain('**Next step (operator):** Let Ratchet do more than observe in this repository.');
    expect(summary).not.toContain('allow it in');
    expectUntouched(watched);
    expect(watched.ownComments()).toEqual([]);
    expect(free.pushes()).toHaveLength(1);
  });

  it('the mode `suggest`: a proven change becomes a patch on the check run, and is not pushed', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'suggest', policy: `mode: suggest\n${QUICK_POLICY}` });
    const head = await world.headSha(story.repo, story.number);
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(await story.title()).toBe('A change is suggested');
    expect(summary).toContain('Suggested, but not pushed');
    expect(summary).toContain('-  return left - right;\n+  return left + right;');
    expect(summary).toContain(`\`${TEST_COMMAND}\`: passed`);
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.lines('push planned')).toEqual([]);
    expect(story.pushes()).toEqual([]);
    expect(await world.headSha(story.repo, story.number)).toBe(head);
  });

  it.each(['protection', 'ruleset'] as const)(
    'a %s that wants signatures: found out before an agent is spent (trap 50)',
    async (shape) => {
      const { world } = stage;
      const story = await openStory(place, { name: `signatures-by-${shape}` });
      world.protectBranch(story.repo, 'feature/*', { as: shape, requiresSignatures: true });
      story.enable();

      const summary = await story.untilConcluded('action_required');

      expect(story.codes().at(-1)).toBe('PUSH_FORBIDDEN');
      expect(summary).toContain('Branch rules forbid a push');
      expectUntouched(story);
    },
  );

  it('auto-merge, where approvals outlive a push (S16)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'auto-merge-holds' });
    await world.setAutoMerge({ ...story, login: WRITER, on: true });
    story.enable();

    await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('AUTO_MERGE_ON');
    expectUntouched(story);
    expect((await world.pullRequest(story.repo, story.number)).autoMerge).not.toBeNull();

    await world.setAutoMerge({ ...story, login: WRITER, on: false });
    await story.untilConcluded('success');

    expect(story.pushes()).toHaveLength(1);
  });

  it('not auto-merge, where the policy lets it be turned off first (S16)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'auto-merge-disarmed', policy: `autoMerge: disarm\n${QUICK_POLICY}` });
    await world.setAutoMerge({ ...story, login: WRITER, on: true });
    story.enable();

    await world.until(() => story.pushes().length === 1, { what: 'the push' });
    expect((await world.pullRequest(story.repo, story.number)).autoMerge).toBeNull();
    await story.untilConcluded('success');

    expect(story.pushes()).toHaveLength(1);
  });

  it('a merge queue, until the pull request is out of it (S16)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'merge-queue' });
    await world.enqueue({ ...story, login: WRITER });
    story.enable();

    await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('IN_MERGE_QUEUE');
    expectUntouched(story);

    await world.dequeue({ ...story, login: WRITER });
    await story.untilConcluded('success');

    expect(story.pushes()).toHaveLength(1);
  });
});
