import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import {
  BROKEN_SUM,
  createCalculator,
  QUICK_POLICY,
  REPAIR,
  type RedOptions,
  toWorkflow,
  WRITER,
} from '../support/red-repository.ts';
import { openStory, type Place, type Story, toStory } from '../support/story.ts';

const LIST = 'list.txt';
const RESOLVED = 'one\ntwo\nof the feature\nof main\n';
const RESOLVE = { do: 'write', file: LIST, text: RESOLVED };
const HARMLESS = { 'note.txt': 'hello\n' };

/** By the title of the pull request, which is its story's name. */
const SCRIPT = {
  cases: [
    { when: { prompt: 'markers-left' }, steps: [{ do: 'edit', file: LIST, find: 'one', replace: 'One' }] },
    { when: { prompt: 'other-file-touched' }, steps: [RESOLVE, { do: 'write', file: 'note.txt', text: 'hi\n' }] },
    { when: { prompt: 'sweep', file: 'sum.mjs', contains: 'left - right' }, steps: [REPAIR] },
    { when: { file: LIST, contains: '<<<<<<<' }, steps: [RESOLVE] },
  ],
  steps: [{ do: 'crash', exitCode: 99 }],
};

describe.concurrent('conflicts with the base branch', AT_ONCE, () => {
  let stage: Stage;
  let place: Place;

  beforeAll(async () => {
    stage = await setStage();
    place = { world: stage.world, ratchet: await stage.start({ script: SCRIPT, env: MANY_SLOTS }) };
  });

  afterAll(async () => {
    await stage.close();
  });

  /** A pull request and its base that both add a last line to one file; `onMain` is what else the base brings. */
  async function openConflict(
    name: string,
    options: RedOptions & { readonly onMain?: Readonly<Record<string, string>> } = {},
  ): Promise<{ readonly story: Story; readonly head: string; readonly base: string }> {
    const { world } = stage;
    const story = await openStory(place, {
      ...{ name, files: { [LIST]: 'one\ntwo\n' }, change: { [LIST]: 'one\ntwo\nof the feature\n' } },
      ...options,
    });
    await story.untilCiEnded();
    const files = { [LIST]: 'one\ntwo\nof main\n', ...options.onMain };
    const base = await world.commit({ repo: story.repo, branch: 'main', files, login: WRITER });
    return { story, head: await world.headSha(story.repo, story.number), base };
  }

  /** What every merge of ours is: of exactly the head and the base, on top of the head, pushed once. */
  async function expectMerged({ story, head, base }: Awaited<ReturnType<typeof openConflict>>): Promise<void> {
    const { world } = stage;
    const [merge] = await world.log(story.repo, story.number, 1);
    expect(merge?.parents).toEqual([head, base]);
    expect(merge?.message.split('\n')[0]).toBe("Merge branch 'main' into feature/rework");
    expect(story.pushes().map(({ before }) => before)).toEqual([head]);
    expect(story.codes().at(-1)).toBe('ALL_GREEN');
  }

  it('are resolved by an agent where only an agent can: a merge of the old head and the base, whose protected files are not held against it (S15, traps 32 and 33)', async () => {
    const { world } = stage;
    const onMain = { '.github/ratchet.yml': `# ours\n${QUICK_POLICY}`, CODEOWNERS: '* @maintainer\n' };
    const conflict = await openConflict('by-agent', { onMain });
    const { story } = conflict;
    story.enable();

    const summary = await story.untilConcluded('success');

    await expectMerged(conflict);
    expect(story.lines('agent started')).toHaveLength(1);
    expect(await world.fileAt(story.repo, story.number, LIST)).toBe(RESOLVED);
    expect(await world.fileAt(story.repo, story.number, 'CODEOWNERS')).toBe('* @maintainer\n');
    expect(summary).toContain('Attempt 1');
  });

  it('are merged by git alone where GitHub is behind with its answer (S7)', async () => {
    const { world } = stage;
    const story = await openStory(place, { name: 'by-git', change: HARMLESS });
    await story.untilCiEnded();
    const head = await world.headSha(story.repo, story.number);
    const base = await world.commit({
      repo: story.repo,
      branch: 'main',
      files: { 'more.txt': 'more\n' },
      login: WRITER,
    });
    world.faults.claimConflicts(story.repo, true);
    story.enable();
    await world.until(() => story.pushes().length > 0, { what: 'the merge' });
    world.faults.claimConflicts(story.repo, false);

    const summary = await story.untilConcluded('success');

    await expectMerged({ story, head, base });
    expect(story.lines('agent started')).toEqual([]);
    expect(summary).toContain('merged by git alone');
  });

  it('are not waited with where GitHub starts no CI because of them (S2, trap 86)', async () => {
    const { world } = stage;
    const repo = 'no-run/no-run';
    await createCalculator(world, 'no-run', {
      owner: 'no-run',
      files: { '.github/workflows/ci.yml': toWorkflow('[pull_request]'), [LIST]: 'one\ntwo\n' },
    });
    const branch = 'feature/rework';
    const head = await world.commit({ repo, branch, files: { [LIST]: 'one\ntwo\nof the feature\n' }, login: WRITER });
    const base = await world.commit({ repo, branch: 'main', files: { [LIST]: 'one\ntwo\nof main\n' }, login: WRITER });
    const number = await world.openPullRequest({ repo, head: branch, title: 'no-run', login: WRITER });
    const story = await toStory(place, { repo, number, branch });
    expect(world.workflowRuns(repo)).toEqual([]);
    story.enable();

    await story.untilConcluded('success');

    await expectMerged({ story, head, base });
    expect(story.codes()[0]).toBe('MERGE_CONFLICT');
    expect(world.workflowRuns(repo)).toHaveLength(1);
  });

  it.each([
    ['markers-left', 'Conflict markers are left'],
    ['other-file-touched', 'Files were changed that are not in conflict'],
  ])('are not pushed as an agent leaves them: %s', async (name, told) => {
    const { world } = stage;
    const { story, head } = await openConflict(name);
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('the conflict is not resolved');
    expect(summary).toContain(told);
    expect(summary).toContain('Attempts used: 0 of 3');
    expect(story.lines('agent started')).toHaveLength(1);
    expect(story.pushes()).toEqual([]);
    expect(await world.headSha(story.repo, story.number)).toBe(head);
  });

  it('may bring workflow files as they stand on the base, which GitHub lets everybody push (S15)', async () => {
    const nightly = toWorkflow('{ push: { branches: [nightly] } }');
    const conflict = await openConflict('workflow-of-the-base', {
      onMain: { '.github/workflows/nightly.yml': nightly },
    });
    const { story } = conflict;
    story.enable();

    await story.untilConcluded('success');

    await expectMerged(conflict);
    expect(await stage.world.fileAt(story.repo, story.number, '.github/workflows/nightly.yml')).toBe(nightly);
  });

  it('in a workflow file are told to a person before an agent is spent (S15, trap 49)', async () => {
    const workflow = '.github/workflows/ci.yml';
    const { story } = await openConflict('workflow-in-conflict', {
      change: { [workflow]: toWorkflow('[push, pull_request]', 'node --test .') },
      onMain: { [workflow]: toWorkflow('[push, pull_request]', 'node --test --test-timeout=9000') },
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');

    expect(summary).toContain('the merge brings workflow files');
    expect(story.lines('agent started')).toEqual([]);
    expect(story.pushes()).toEqual([]);
  });

  it('are found by a push to the base alone: the pull requests that it breaks are woken, and only they are worked on (traps 17, 88)', async () => {
    const { world } = stage;
    const change = { 'sum.mjs': BROKEN_SUM, [LIST]: 'one\ntwo\nof the feature\n' };
    const first = await openStory(place, { name: 'sweep', files: { [LIST]: 'one\ntwo\n' }, change });
    const { repo } = first;
    const open = async (branch: string, files: Readonly<Record<string, string>>): Promise<Story> => {
      await world.commit({ repo, branch, files, login: WRITER });
      const number = await world.openPullRequest({ repo, head: branch, title: branch, login: WRITER });
      return toStory(place, { repo, number, branch });
    };
    const second = await open('feature/second', { [LIST]: 'one\ntwo\nof the second\n' });
    const apart = await open('feature/apart', HARMLESS);
    for (const story of [first, second, apart]) story.enable();
    for (const story of [first, second, apart]) await story.untilConcluded('success');

    await world.commit({ repo, branch: 'main', files: { [LIST]: 'one\ntwo\nof main\n' }, login: WRITER });
    for (const story of [first, second]) {
      await story.untilCode('MERGE_CONFLICT');
      await world.until(async () => (await world.log(story.repo, story.number, 1))[0]?.parents.length === 2, {
        what: `the merge into ${story.branch}`,
      });
      await story.untilConcluded('success');
    }

    const pushed = world.pushes.filter((push) => push.repo === repo && push.login === world.botUser.login);
    expect(pushed.map(({ ref }) => ref).sort()).toEqual([
      'refs/heads/feature/rework',
      'refs/heads/feature/rework',
      'refs/heads/feature/second',
    ]);
    expect(apart.lines('fixup launched')).toEqual([]);
    expect(apart.codes().at(-1)).toBe('ALL_GREEN');
  });
});
