import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { BROKEN_SUM, QUICK_POLICY, REPAIR, ratchetChecks, TEST_COMMAND } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const PATH = '.github/ratchet.yml';
const MISSPELT = `${QUICK_POLICY}maxAtempts: 5\n`;
const MISSPELT_LINE = MISSPELT.split('\n').indexOf('maxAtempts: 5') + 1;

describe.concurrent('a pull request that changes the policy file', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [REPAIR] }, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  async function untilConfigCheck({ repo, number }: Story, conclusion: string): ReturnType<typeof configChecks> {
    await stage.world.until(async () => (await configChecks(repo, number))[0]?.conclusion === conclusion, {
      what: `a check run Ratchet / config with ${conclusion} on ${repo}`,
    });
    return configChecks(repo, number);
  }

  async function configChecks(repo: string, number: number): ReturnType<Stage['world']['checkRuns']> {
    return stage.world.checkRuns(repo, number, { name: 'Ratchet / config', filter: 'all' });
  }

  it('is told at the line what is wrong with it, also where nobody has enabled Ratchet', async () => {
    const story = await openStory(place, { name: 'misspelt', change: { [PATH]: MISSPELT } });

    const [check, ...more] = await untilConfigCheck(story, 'failure');

    expect(more).toEqual([]);
    expect(check?.output.title).toBe('1 problem in the policy file');
    expect(check?.annotations.map(({ path, startLine, level }) => ({ path, startLine, level }))).toEqual([
      { path: PATH, startLine: MISSPELT_LINE, level: 'failure' },
    ]);
    expect(check?.annotations[0]?.message).toContain('maxAttempts');
    expect(await ratchetChecks(stage.world, story)).toEqual([]);
    expect(story.ownComments()).toEqual([]);
    expect(story.codes()).toEqual([]);
  });

  it('is told that a second file of the other name makes both void (L15)', async () => {
    const story = await openStory(place, { name: 'twice', change: { '.github/ratchet.yaml': QUICK_POLICY } });

    const [check] = await untilConfigCheck(story, 'failure');

    expect(check?.output.summary).toContain('there are two policy files, .github/ratchet.yml and .github/ratchet.yaml');
    expect(check?.annotations.map(({ path, startLine }) => ({ path, startLine }))).toEqual([
      { path: PATH, startLine: 1 },
    ]);
    expect(story.codes()).toEqual([]);
  });

  it('is told what would change, once it is right', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'corrected', change: { [PATH]: MISSPELT } });
    await untilConfigCheck(story, 'failure');
    const files = { [PATH]: `${QUICK_POLICY}maxAttempts: 5\n` };
    await world.commit({ repo: story.repo, branch: story.branch, files });

    const [check] = await untilConfigCheck(story, 'success');

    expect(check?.output.title).toBe('The policy file is valid · 1 setting would change');
    expect(check?.output.summary).toContain('`maxAttempts`: `3` → `5`');
    expect(check?.annotations).toEqual([]);
  });

  it('is never obeyed: the file of the base holds, though the head asks for less, or has faults', async () => {
    const story = await openStory(place, {
      name: 'not-obeyed',
      change: { 'sum.mjs': BROKEN_SUM, [PATH]: `mode: observe\nvalidate: exit 1\nmaxAtempts: 5\n` },
    });
    story.enable();

    await untilConfigCheck(story, 'failure');
    const summary = await story.untilConcluded('success');

    expect(summary).toContain(`\`${TEST_COMMAND}\`: passed`);
    expect(story.pushes()).toHaveLength(1);
    expect(await stage.world.fileAt(story.repo, story.number, 'sum.mjs')).not.toBe(BROKEN_SUM);
  });

  it('gets no such check run where it leaves the file alone', async () => {
    const story = await openStory(place, { name: 'left-alone' });
    story.enable();

    await story.untilConcluded('success');

    expect(await configChecks(story.repo, story.number)).toEqual([]);
  });
});
