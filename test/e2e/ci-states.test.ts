import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { BROKEN_SUM, REPAIR, TEST_COMMAND, toWorkflow, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const ONE_RUN = { '.github/workflows/ci.yml': toWorkflow('[pull_request]') };
const HARMLESS = { 'note.txt': 'hello\n' };
const SUM = 'export function sum(left, right) {\n  return left + right;\n}\n';

const RESTARTED_BY_LABEL = `name: ci
on:
  pull_request:
    types: [opened, synchronize, labeled]
concurrency:
  group: \${{ github.workflow }}-\${{ github.ref }}
  cancel-in-progress: true
jobs:
  test:
    strategy:
      matrix:
        node: [22, 24]
    runs-on: ubuntu-latest
    steps:
      - run: ${TEST_COMMAND}
`;

const WITH_LINT = `${toWorkflow('[pull_request]')}  lint:
    runs-on: ubuntu-latest
    steps:
      - run: 'true'
`;

const WITH_DEPLOY = `${toWorkflow('[pull_request]')}  deploy:
    runs-on: ubuntu-latest
    environment: preview
    steps:
      - run: 'true'
`;

describe.concurrent('CI as it is', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: { steps: [REPAIR] }, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  it('is green where a label cancels a run before its matrix expands and starts another (L9)', async () => {
    const { world } = stage;
    const files = { '.github/workflows/ci.yml': RESTARTED_BY_LABEL };
    world.faults.leaveUnexpanded('labelled/labelled');
    const story = await openStory(place, { name: 'labelled', files, change: HARMLESS });
    story.enable();
    await story.untilCode('CI_RUNNING');

    await world.label({ ...story, login: WRITER, name: 'ready' });
    await story.untilConcluded('success');

    const runs = world.workflowRuns(story.repo).filter(({ event }) => event === 'pull_request');
    expect(runs.map(({ conclusion }) => conclusion)).toEqual(['cancelled', 'success']);
    const checks = await world.checkRuns(story.repo, story.number);
    expect(checks.filter(({ conclusion }) => conclusion === 'cancelled').map(({ name }) => name)).toEqual([
      'test (${{ matrix.node }})',
    ]);
    expectNothingLaunched(story);
  });

  it('goes on by an update of the branch once its base is repaired, and spends nothing (L11)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'repaired', files: { 'sum.mjs': BROKEN_SUM }, change: HARMLESS });
    story.enable();
    await story.untilConcluded('action_required');
    expect(story.codes().at(-1)).toBe('RED_ON_BASE');

    const tip = await world.commit({ repo: story.repo, branch: 'main', files: { 'sum.mjs': SUM }, login: WRITER });
    await story.untilConcluded('success');

    expect(story.codes()).toContain('BASE_REPAIRED');
    expect(updatesOf(world, story)).toBe(1);
    const [update] = await world.log(story.repo, story.number, 1);
    expect(update?.parents).toContain(tip);
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.pushes().map(({ after }) => after)).toEqual([update?.sha]);
  });

  it('is not green, and no flake, while GitHub has withdrawn the results of a re-run', async () => {
    const { world } = stage;
    const repo = 'withdrawn/withdrawn';
    world.faults.failJobOnce(repo, { name: 'test', kind: 'infrastructure' });
    const held = world.faults.withdrawOnRerun(repo);
    const files = { '.github/workflows/ci.yml': WITH_LINT };
    const story = await openStory(place, { name: 'withdrawn', files, change: HARMLESS });
    story.enable();
    await world.until(() => held.count() === 1, { what: 'the re-run to be asked for' });

    const looked = story.untilNext('action determined');
    world.comment({ ...story, login: WRITER, body: '/ratchet status' });
    const { code } = await looked;
    await held.release();
    await story.untilConcluded('success');

    expect(code).toBe('CI_RUNNING');
    const codes = story.codes();
    expect(codes.filter((one) => one === 'ALL_GREEN')).toHaveLength(1);
    expect(codes.at(-1)).toBe('ALL_GREEN');
    expect(story.lines('observed').filter((line) => line['observation'] === 'flake_seen')).toHaveLength(1);
    expectNothingLaunched(story);
  });

  it('has a red test fixed while a deployment waits for a person, and then says who is waited for (L10)', async () => {
    const { world } = stage;
    const files = { '.github/workflows/ci.yml': WITH_DEPLOY };
    const story = await openStory(place, { name: 'protected', files, change: HARMLESS });
    world.protectEnvironment(story.repo, 'preview');
    await world.commit({ ...story, files: { 'sum.mjs': BROKEN_SUM }, login: WRITER });
    story.enable();

    await story.untilLine('fixup launched');
    await story.untilLine('action determined', { code: 'CI_BLOCKED' });
    await story.untilConcluded('action_required');
    expect(await story.title()).toBe('CI is waiting for approval');
    const waiting = world.workflowRuns(story.repo).findLast(({ event }) => event === 'pull_request');
    await world.reviewDeployments(waiting?.id ?? 0, 'approved');
    await story.untilConcluded('success');

    expect(waiting?.status).toBe('waiting');
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('asks a person where the account does not pay, with the line that says so, and goes on after that (L12, S21)', async () => {
    const { world } = stage;
    world.faults.failJobOnce('unpaid/unpaid', { name: 'test', kind: 'billing' });
    const story = await openStory(place, { name: 'unpaid', files: ONE_RUN, change: HARMLESS });
    story.enable();

    const text = await story.untilConcluded('action_required');

    expect(story.codes().at(-1)).toBe('CI_NEEDS_PERSON');
    expect(text).toContain('CI fails for a reason outside the code');
    expect(text).toContain('The job was not started because recent account payments have failed');
    await world.until(() => story.ownComments().some(({ body }) => body.includes('recent account payments have')), {
      what: 'the comment that says so',
    });
    expect(rerunsOf(world, story)).toBe(0);

    const [check] = await world.checkRuns(story.repo, story.number, { name: 'test' });
    await world.rerunCheck(check?.id ?? 0);
    await story.untilConcluded('success');

    expectNothingLaunched(story);
  });
});

function expectNothingLaunched(story: Story): void {
  expect(story.lines('fixup launched')).toEqual([]);
  expect(story.pushes()).toEqual([]);
}

function rerunsOf(world: World, { repo }: Story): number {
  return world.requests.filter(({ path }) => path.includes(`${repo}/actions/runs/`) && path.includes('rerun')).length;
}

function updatesOf(world: World, { repo }: Story): number {
  return world.requests.filter(({ path }) => path.includes(`${repo}/pulls/`) && path.endsWith('/update-branch')).length;
}
