import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectAt, stringAt } from '../../world/json.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import { QUICK_POLICY, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

const REVIEWER = 'reviewer';
const SECOND_REVIEWER = 'second-reviewer';
const POLICY = `reviews:\n  quietSeconds: 1\n${QUICK_POLICY}`;
const LABEL = `export function toLabel(cents) {
  return (cents / 100).toFixed(2);
}
`;

const CHANGED_LABEL = LABEL.replace('cents / 100', 'Number(cents) / 100');

const NAME_THE_CURRENCY = { do: 'edit', file: 'label.mjs', find: 'toFixed(2)', replace: "toFixed(2) + ' EUR'" };
const NAME_IT_FIRST = { do: 'edit', file: 'label.mjs', find: "+ ' EUR'", replace: "+ ' euro'" };

function answer(answers: readonly object[]): object {
  return { do: 'result', status: 'success', summary: 'went through the comments', answers };
}

/** By the title of the pull request, which is its story's name. */
const SCRIPT = {
  cases: [
    {
      when: { prompt: 'two-threads-and-a-request' },
      steps: [
        NAME_THE_CURRENCY,
        { do: 'write', file: 'NOTES.md', text: 'Labels name their currency.\n' },
        answer([
          { when: 'currency', status: 'fixed', reason: 'The label ends with EUR.' },
          { when: 'cents', status: 'declined', reason: 'Every price of this module is in cents.' },
          { when: 'notes', status: 'fixed', reason: 'Added NOTES.md.' },
        ]),
      ],
    },
    {
      when: { prompt: 'left-to-a-person' },
      steps: [
        NAME_THE_CURRENCY,
        answer([
          { when: 'currency', status: 'fixed', reason: 'The label ends with EUR.' },
          { when: 'price list', status: 'needs_human', reason: 'Which list is meant?' },
        ]),
      ],
    },
    { when: { prompt: 'all-declined' }, steps: [answer([{ status: 'declined', reason: 'It is right as it is.' }])] },
    {
      when: { prompt: 'word-in-between', file: 'label.mjs', contains: 'EUR' },
      steps: [NAME_IT_FIRST, answer([{ status: 'fixed', reason: 'It is called euro now.' }])],
    },
    {
      when: { prompt: 'word-in-between' },
      steps: [
        NAME_THE_CURRENCY,
        { do: 'wait', for: 'word-in-between' },
        answer([{ status: 'fixed', reason: 'Added EUR.' }]),
      ],
    },
  ],
  steps: [NAME_THE_CURRENCY, answer([{ status: 'fixed', reason: 'Done.' }])],
};

describe.concurrent('reviews', AT_ONCE, () => {
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

  /** A green pull request that reviewers look at. */
  async function openReviewed(name: string, policy: string = POLICY): Promise<Story> {
    const { world } = stage;
    const story = await openStory(place, { name, policy, change: { 'label.mjs': LABEL } });
    for (const login of [REVIEWER, SECOND_REVIEWER]) world.setPermission(story.repo, login, 'write');
    await story.untilCiEnded();
    return story;
  }

  function ownReviews({ repo, number }: Story): ReturnType<Stage['world']['reviews']> {
    return stage.world.reviews(repo, number).filter(({ authorLogin }) => authorLogin === stage.world.botUser.login);
  }

  /** Each submitted review of ours is one mail to everybody who takes part. */
  function notificationsOf({ repo }: Story): number {
    return stage.world.deliveries.filter(
      ({ event, action, payload }) =>
        event === 'pull_request_review' &&
        action === 'submitted' &&
        stringAt(objectAt(payload, 'repository'), 'full_name') === repo &&
        stringAt(objectAt(payload, 'sender'), 'login') === stage.world.botUser.login,
    ).length;
  }

  it('two threads and a request for changes are one run, one push and one review, which resolves what was fixed and nothing else (traps 45, 57, 105)', async () => {
    const { world } = stage;
    const story = await openReviewed('two-threads-and-a-request');
    const { repo, number } = story;
    const approval = await world.review({ repo, number, login: 'approver', state: 'APPROVED' });
    await world.review({
      ...{ repo, number, login: REVIEWER, state: 'COMMENTED', body: 'Two things.' },
      comments: [
        { path: 'label.mjs', line: 2, body: 'Which currency is this?' },
        { path: 'label.mjs', line: 1, body: 'Why not take euros instead of cents?' },
      ],
    });
    const request = await world.review({
      ...{ repo, number, login: SECOND_REVIEWER, state: 'CHANGES_REQUESTED', body: 'Please add release notes.' },
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');
    const [first, second] = await world.threads(repo, number);
    await world.resolveThread({ threadId: second?.id ?? 0, login: REVIEWER });
    await story.untilConcluded('success');

    expect(summary).toContain('Ratchet declined the comment of reviewer on label.mjs: "Every price');
    expect(story.lines('agent started')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
    const [review, ...more] = ownReviews(story);
    expect(more).toEqual([]);
    expect(review?.state).toBe('COMMENTED');
    expect(review?.body).toContain('Added NOTES.md');
    expect(notificationsOf(story)).toBe(1);
    expect([first, second].map((thread) => [thread?.isResolved, thread?.comments.length])).toEqual([
      [true, 2],
      [false, 2],
    ]);
    expect(second?.comments[1]?.body).toContain('Every price of this module is in cents');
    const states = new Map(world.reviews(repo, number).map(({ id, state }) => [id, state]));
    expect(states.get(approval)).toBe('APPROVED');
    expect(states.get(request)).toBe('CHANGES_REQUESTED');
    expect(await story.title()).toBe('All green · waiting for a review by `second-reviewer`');
    expect(story.codes().at(-1)).toBe('ALL_GREEN');
  });

  it('one of two items is left to a person: not green, and everything quotes the answer, until somebody reacts (L1, S20)', async () => {
    const { world } = stage;
    const story = await openReviewed('left-to-a-person');
    const { repo, number } = story;
    await world.review({
      ...{ repo, number, login: REVIEWER, state: 'CHANGES_REQUESTED', body: 'Two things.' },
      comments: [
        { path: 'label.mjs', line: 2, body: 'Which currency is this?' },
        { path: 'label.mjs', line: 1, body: 'Is this the name that the price list has?' },
      ],
    });
    story.enable();

    const summary = await story.untilConcluded('action_required');
    const launched = story.lines('fixup launched').length;
    const looked = story.untilNext('action determined', { code: 'REVIEW_NEEDS_PERSON' });
    world.comment({ repo, number, login: WRITER, body: '/ratchet status' });
    await looked;
    await world.until(() => story.ownComments().length === 2, { what: `the status of ${repo}` });
    const [told, status] = story.ownComments();
    const titled = await story.title();
    const [fixed, left] = await world.threads(repo, number);
    const lookedAgain = story.untilNext('action determined', { code: 'REVIEW_NEEDS_PERSON' });
    await world.reply({ threadId: left?.id ?? 0, login: REVIEWER, body: '👍' });
    await lookedAgain;
    await world.reply({ threadId: left?.id ?? 0, login: WRITER, body: 'It is: see prices.csv.' });
    await story.untilConcluded('success');
    await world.until(() => story.ownComments()[0]?.body.includes('Waiting for a review') === true, {
      what: `the comment on ${repo} to be settled`,
    });

    expect(titled).toBe('1 review comment open');
    for (const text of [summary, told?.body, status?.body]) {
      expect(text).toContain('1 review comment needs a person');
      expect(text).toContain('Which list is meant');
      expect(text).not.toContain('no review comment is open');
    }
    expect([fixed, left].map((thread) => thread?.isResolved)).toEqual([true, false]);
    expect(await story.title()).toBe('All green · waiting for a review by `reviewer`');
    expect([launched, story.lines('fixup launched').length]).toEqual([1, 1]);
    expect(story.pushes()).toHaveLength(1);
    expect(ownReviews(story)).toHaveLength(1);
  });

  it('a maintainer asks in a thread of a bot whose line has changed since: it is worked on, and thanks are not (L2, L3, L4)', async () => {
    const { world } = stage;
    const story = await openReviewed('asked-by-a-maintainer');
    const { repo, number } = story;
    const threadId = await world.reviewComment({
      ...{ repo, number, login: 'linter[bot]', path: 'label.mjs', line: 2, body: 'No currency.' },
    });
    await world.reply({ threadId, login: REVIEWER, body: 'Please fix this.' });
    await world.commit({ repo, branch: story.branch, files: { 'label.mjs': CHANGED_LABEL }, login: WRITER });
    story.enable();

    await story.untilConcluded('success');
    const looked = story.untilNext('action determined', { code: 'ALL_GREEN' });
    await world.reply({ threadId, login: REVIEWER, body: 'Thanks! :tada:' });
    await looked;

    expect(await world.fileAt(repo, number, 'label.mjs')).toContain("+ ' EUR'");
    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.pushes()).toHaveLength(1);
  });

  it('an agent that declines everything ends the loop: nothing pushed, nothing counted, the reasons told (002.R5, R34, trap 57)', async () => {
    const { world } = stage;
    const story = await openReviewed('all-declined');
    const head = await world.headSha(story.repo, story.number);
    await world.reviewComment({ ...story, login: REVIEWER, path: 'label.mjs', line: 2, body: 'Make it blue.' });
    story.enable();

    const summary = await story.untilConcluded('action_required');
    const looked = story.untilNext('action determined', { code: 'STOPPED_SAME_CAUSE' });
    world.comment({ ...story, login: WRITER, body: '/ratchet status' });
    await looked;

    expect(summary).toContain('Review comments were declined');
    expect(summary).toContain('declined: It is right as it is');
    expect(summary).toContain('Attempts used: 0 of 3');
    expect(story.lines('agent started')).toHaveLength(1);
    expect(story.pushes()).toEqual([]);
    expect(await world.headSha(story.repo, story.number)).toBe(head);
    expect((await world.threads(story.repo, story.number)).every(({ isResolved }) => !isResolved)).toBe(true);
  });

  it('what the reviewer adds while the agent works keeps the thread open, and is the next fixup', async () => {
    const { world } = stage;
    const story = await openReviewed('word-in-between');
    const { repo, number } = story;
    const threadId = await world.reviewComment({
      ...{ repo, number, login: REVIEWER, path: 'label.mjs', line: 2, body: 'Which currency?' },
    });
    story.enable();
    await story.untilLine('agent started');

    await world.reply({ threadId, login: REVIEWER, body: 'And please call it "euro".' });
    const second = story.untilNext('fixup launched');
    await ratchet.release('word-in-between');
    await story.untilLine('fixup completed', { exitReason: 'pushed' });
    await second;
    const [thread] = await world.threads(repo, number);
    expect(thread?.isResolved).toBe(false);
    await story.untilConcluded('success');

    expect(await world.fileAt(repo, number, 'label.mjs')).toContain("+ ' euro'");
    expect(story.lines('fixup launched')).toHaveLength(2);
    expect(story.pushes()).toHaveLength(2);
    expect(ownReviews(story)).toHaveLength(2);
    expect((await world.threads(repo, number)).map(({ isResolved }) => isResolved)).toEqual([true]);
  });

  it('a burst of comments is one fixup: it waits until the review is quiet', async () => {
    const { world } = stage;
    // Longer than a busy machine may take from a comment to the look that it wakes.
    const story = await openReviewed('burst', POLICY.replace('quietSeconds: 1', 'quietSeconds: 20'));
    const remark = (line: number): Promise<number> =>
      world.reviewComment({ ...story, login: REVIEWER, path: 'label.mjs', line, body: `About line ${String(line)}.` });
    story.enable();
    await story.untilConcluded('success');
    await remark(1);
    await story.untilCode('REVIEW_SETTLING');
    await remark(2);
    await remark(3);

    await story.untilLine('fixup completed', { exitReason: 'pushed' });
    await story.untilConcluded('success');

    expect(story.lines('fixup launched')).toHaveLength(1);
    expect(story.lines('review answered').find((line) => line['items'] !== undefined)?.['items']).toBe(3);
    expect(story.pushes()).toHaveLength(1);
    expect(ownReviews(story)).toHaveLength(1);
    expect((await world.threads(story.repo, story.number)).every(({ isResolved }) => isResolved)).toBe(true);
  });

  it('what bots and strangers write, and mere comments, launch nothing (T56, traps 25 and 54)', async () => {
    const { world } = stage;
    const story = await openReviewed('no-voice');
    const { repo, number } = story;
    world.setPermission(repo, 'stranger', 'read');
    const at = { repo, number, path: 'label.mjs', line: 2 };
    await world.reviewComment({ ...at, login: 'linter[bot]', body: 'Rename this.' });
    await world.reviewComment({ ...at, login: 'stranger', body: 'Delete this.' });
    await world.review({ repo, number, login: REVIEWER, state: 'COMMENTED', body: 'Interesting.' });
    world.comment({ repo, number, login: REVIEWER, body: 'Could somebody rename this?' });
    story.enable();

    await story.untilConcluded('success');

    expect(story.codes().at(-1)).toBe('ALL_GREEN');
    expect(await story.title()).toBe('All green · 2 review comments open');
    expect(story.lines('fixup launched')).toEqual([]);
    expect(story.pushes()).toEqual([]);
    expect(ownReviews(story)).toEqual([]);
    expect((await world.threads(repo, number)).map(({ comments }) => comments.length)).toEqual([1, 1]);
  });
});
