import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { ReviewThread } from '../../src/core/model/pull-request.ts';
import { aCheck, aComment, aPerson, aReview, fakeSha, NOW } from '../support/builders.ts';
import { LIVE_SECRET, MINUTE_MS, type Pipeline, REVIEWER, startEnabled, WRITER } from '../support/pipeline-fixture.ts';
import { splitLines } from '../support/prompt-builders.ts';
import {
  aTalk,
  codesOf,
  evidenceOf,
  resolvedBy,
  startAnswered,
  startReviewed,
  THREADS,
} from '../support/reviewed-pipeline.ts';

const US = aPerson({ id: 9000, login: 'ratchet-app', kind: 'bot' });

/** Every thread was declined, and nothing was pushed. */
async function startDeclined(): Promise<Pipeline> {
  const pipeline = await startReviewed();
  pipeline.git.agentLeaves({ changes: [], patch: '' });
  pipeline.agent.answerItems({ status: 'declined', reason: 'It is right.' });
  await pipeline.settle();
  return pipeline;
}

/** The first thread with one more comment, and the others. */
const WITH_LATER_WORD: readonly ReviewThread[] = THREADS.map((thread, index) => {
  const later = aComment({ id: 50, author: REVIEWER, createdAt: NOW + MINUTE_MS, updatedAt: NOW + MINUTE_MS });
  return index === 0 ? { ...thread, comments: [...thread.comments, later] } : thread;
});

function outcomeOf(pipeline: Pipeline): unknown {
  return pipeline.endedSessions()[0]?.outcome;
}

describe('a review fixup', () => {
  it('gives the agent one file for each item and asks for one answer to each', async () => {
    const request = aReview({ id: 5, author: REVIEWER, body: `The key is ${LIVE_SECRET}.` });
    const other = aTalk('thread-3', { comments: [aComment({ author: aPerson({ id: 300, login: 'alan' }) })] });
    const pipeline = await startReviewed({ threads: [other], reviews: [request] });
    pipeline.github.permit('alan', 300, 'write');
    pipeline.agent.answerItems({ status: 'fixed' });
    await pipeline.runFixup();
    const [asked] = pipeline.agent.requests;

    expect(asked?.tool).toBe('review');
    expect(asked?.context.findings_refs).toEqual(['/ratchet/evidence/item-1.json', '/ratchet/evidence/item-2.json']);
    expect(asked?.targets.files).toEqual(['src/thread-3.ts']);
    expect(asked?.instructions.task_prompt).toContain('item-1, item-2.');
    expect(evidenceOf(pipeline).map(([path]) => path.replace(/^.*\//u, ''))).toEqual(['item-1.json', 'item-2.json']);
    expect(evidenceOf(pipeline).join('\n')).toContain('Please rename this.');
    expect(evidenceOf(pipeline).join('\n')).toContain('The key is [redacted].');
    const { inside, outside } = splitLines(asked?.instructions.task_prompt ?? '');
    expect(inside.filter((line) => line.includes('Please rename this.'))).toEqual([
      '|       "text": "Please rename this."',
    ]);
    expect(outside).not.toContain('Please rename this.');
  });

  it('is one push for all threads, with an answer to each', async () => {
    const pipeline = await startAnswered();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(outcomeOf(pipeline)).toMatchObject({
      kind: 'pushed',
      madeBy: 'agent',
      answers: [
        { itemId: 'thread-1', status: 'fixed', reason: 'As asked.', newestCommentId: 1 },
        { itemId: 'thread-2', status: 'fixed', reason: 'As asked.', newestCommentId: 1 },
      ],
    });
    expect(pipeline.git.messages[0]).toContain('Review comments that were open before it: 2.');
  });

  it('trap 57: ends with the reasons, and pushes nothing, when everything is declined', async () => {
    const pipeline = await startReviewed();
    pipeline.git.agentLeaves({ changes: [], patch: '' });
    pipeline.agent.answerItems(
      { status: 'declined', reason: `It is right. ${LIVE_SECRET}` },
      { status: 'needs_human', reason: 'Which?' },
    );
    await pipeline.settle();

    expect(outcomeOf(pipeline)).toMatchObject({
      kind: 'declined',
      answers: [
        { status: 'declined', reason: 'It is right. [redacted]' },
        { status: 'needs_human', reason: 'Which?' },
      ],
    });
    expect(pipeline.workspace().stop).toMatchObject({ code: 'DECLINED' });
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.github.postedReviews).toEqual([]);
    expect(pipeline.github.checkRuns().at(-1)?.content.summary).toContain('It is right');
  });

  it.each<[string, 'held' | 'launched', (pipeline: Pipeline) => void]>([
    ['nothing else', 'held', () => undefined],
    ['a new comment', 'launched', ({ github }) => github.change({ threads: WITH_LATER_WORD })],
    ['a retry', 'launched', (pipeline) => void pipeline.comment('/ratchet retry')],
    ['red CI', 'launched', (pipeline) => pipeline.reportCi('failure')],
  ])('that declined everything, after a push from outside with %s, is %s (S8)', async (_what, end, move) => {
    const pipeline = await startDeclined();
    pipeline.pushFromOutside(fakeSha('outside'));
    pipeline.reportCi('success');
    await pipeline.evaluate();
    move(pipeline);
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(pipeline.liveSession() === null ? 'held' : 'launched').toBe(end);
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.lastCode() === 'STOPPED_SAME_CAUSE').toBe(end === 'held');
  });

  it.each([
    ['leaves a thread without an answer', [], {}, 'NOT_ANSWERED'],
    ['claims a fix and changed nothing', [{ status: 'fixed' }], { changes: [], patch: '' }, 'NO_CHANGE'],
    ['changes what nobody asked for', [{ status: 'declined' }], {}, 'UNASKED_CHANGE'],
  ] as const)('trap 57: refuses an agent that %s', async (_what, answers, tree, code) => {
    const pipeline = await startReviewed();
    pipeline.git.agentLeaves(tree);
    pipeline.agent.answerItems(...answers);
    await pipeline.settle();

    expect(outcomeOf(pipeline)).toMatchObject({ kind: 'rejected', code });
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.github.postedReviews).toEqual([]);
  });

  it('ends with the agent where that fails', async () => {
    const pipeline = await startReviewed();
    pipeline.agent.answer('blocked', 'no idea');
    await pipeline.runFixup();

    expect(outcomeOf(pipeline)).toMatchObject({ kind: 'rejected', code: 'AGENT_BLOCKED' });
  });

  it('works on what is open when it starts, and on nothing when that is gone', async () => {
    const pipeline = await startReviewed();
    pipeline.github.change({ threads: THREADS.map((thread) => ({ ...thread, isResolved: true })) });
    await pipeline.runFixup();

    expect(outcomeOf(pipeline)).toMatchObject({ kind: 'superseded', why: 'cause_gone' });
    expect(pipeline.agent.requests).toEqual([]);
  });

  it('takes a burst of comments for one: it waits until they are quiet', async () => {
    const young = aTalk('thread-1', { comments: [aComment({ author: REVIEWER, createdAt: NOW + 1.5 * MINUTE_MS })] });
    const pipeline = await startReviewed({ threads: [young] });
    const waiting = pipeline.lastCode();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();

    expect(waiting).toBe('REVIEW_SETTLING');
    expect(pipeline.lastCode()).toBe('REVIEW_COMMENTS');
  });
});

describe('whoever may not write', () => {
  const outsider = aPerson({ id: 300, login: 'mallory' });

  it('T56: launches nothing by a comment', async () => {
    const thread = aTalk('thread-1', { comments: [aComment({ author: outsider })] });
    const pipeline = await startReviewed({ threads: [thread], reviews: [aReview({ author: outsider, body: 'Now.' })] });

    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.endedSessions()).toEqual([]);
    expect(pipeline.liveSession()).toBeNull();
  });

  it.each([
    ['only reads', 300, 'read'],
    ['has a name that another account had', 301, 'admin'],
  ] as const)('T56: is one who %s', async (_what, id, permission) => {
    const thread = aTalk('thread-1', { comments: [aComment({ author: outsider })] });
    const pipeline = await startReviewed({ threads: [] });
    pipeline.github.permit('mallory', id, permission);
    pipeline.github.change({ threads: [thread] });
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('ALL_GREEN');
  });

  it('T56: is asked for where something would be done, and only there', async () => {
    const pipeline = await startReviewed({ threads: [aTalk('thread-1', { isResolved: true })] });
    const before = pipeline.github.calls.filter((call) => call === 'readPermission').length;
    await pipeline.evaluate();

    expect(pipeline.github.calls.filter((call) => call === 'readPermission')).toHaveLength(before);
  });
});

describe('the answers of a push', () => {
  it('trap 45, trap 105: go out as one review, each in its thread, and what was fixed is resolved', async () => {
    const pipeline = await startAnswered();
    await pipeline.evaluate();
    const [review, ...more] = pipeline.github.postedReviews;
    const sessionId = String(pipeline.endedSessions()[0]?.id);

    expect(more).toEqual([]);
    expect(review?.marker).toBe(`<!-- ratchet:review:${sessionId} -->`);
    expect(review?.body).toContain('2 review comments answered with');
    expect(review?.body).toContain(review?.marker ?? '?');
    expect(review?.replies.map(({ threadId, body }) => [threadId, body.split(' ')[0]])).toEqual([
      ['thread-1', 'Fixed'],
      ['thread-2', 'Fixed'],
    ]);
    expect(resolvedBy(pipeline)).toEqual(['resolveThread thread-1', 'resolveThread thread-2']);
    expect(codesOf(pipeline)).toContain('REVIEW_ANSWERED');
    expect(pipeline.store.openAnswers(pipeline.key)).toEqual([]);
  });

  it('resolve no thread in which somebody spoke while the replies were on their way', async () => {
    const pipeline = await startAnswered();
    const { github } = pipeline;
    github.during('postReview', async () => {
      github.change({ threads: WITH_LATER_WORD });
      await Promise.resolve();
    });
    await pipeline.evaluate();

    expect(github.postedReviews).toHaveLength(1);
    expect(resolvedBy(pipeline)).toEqual(['resolveThread thread-2']);
  });

  it('resolve nothing on a pull request that is gone meanwhile', async () => {
    const pipeline = await startAnswered();
    const { github } = pipeline;
    github.during('postReview', async () => {
      github.remove();
      await Promise.resolve();
    });
    await pipeline.evaluate();

    expect(resolvedBy(pipeline)).toEqual([]);
  });

  it('are given once, however often it is looked at', async () => {
    const pipeline = await startAnswered();
    for (let look = 0; look < 3; look += 1) await pipeline.evaluate();

    expect(pipeline.github.calls.filter((call) => call === 'postReview')).toHaveLength(1);
    expect(resolvedBy(pipeline)).toHaveLength(2);
    expect(codesOf(pipeline).filter((code) => code === 'REVIEW_ANSWERED')).toHaveLength(1);
  });

  it('trap 146: leave threads open where policy does, and nothing is launched for them again', async () => {
    const pipeline = await startAnswered({ policyText: 'reviews:\n  resolveThreads: false\n' });
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(pipeline.github.postedReviews).toHaveLength(1);
    expect(resolvedBy(pipeline)).toEqual([]);
    expect(pipeline.github.facts().threads.every(({ isResolved }) => !isResolved)).toBe(true);
    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.endedSessions()).toHaveLength(1);
  });

  it('tell declined items apart, and leave those open', async () => {
    const pipeline = await startReviewed();
    pipeline.agent.answerItems({ status: 'fixed' }, { status: 'declined', reason: `See @grace, ${LIVE_SECRET}` });
    await pipeline.runFixup();
    await pipeline.evaluate();
    const [review] = pipeline.github.postedReviews;

    expect(review?.replies[1]?.body).toMatch(/^Not changed\. The agent says: See @\u2060grace, /u);
    expect(JSON.stringify(review)).not.toContain(LIVE_SECRET);
    expect(resolvedBy(pipeline)).toEqual(['resolveThread thread-1']);
  });

  it('answer a request without a thread in the text of the review, once', async () => {
    const pipeline = await startAnswered({
      threads: [],
      reviews: [aReview({ id: 5, author: REVIEWER, body: 'Add a test.' })],
    });
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();
    const [review, ...more] = pipeline.github.postedReviews;

    expect(more).toEqual([]);
    expect(review?.replies).toEqual([]);
    expect(review?.body).toContain('On the changes that `grace` requested: Fixed in');
    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.endedSessions()).toHaveLength(1);
  });

  it('002.R31: hold off another launch before GitHub shows them', async () => {
    const pipeline = await startAnswered();
    const down = (): void =>
      pipeline.github.failNext('postReview', new GitHubError('UNAVAILABLE', 'down', { retry: 'now' }));
    down();
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    down();
    await pipeline.evaluate();

    expect(pipeline.github.postedReviews).toEqual([]);
    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('leave a thread for the next fixup where somebody spoke while this one ran', async () => {
    const pipeline = await startReviewed();
    pipeline.agent.answerItems({ status: 'fixed' });
    pipeline.sites.during('agent', () => {
      const [first, second] = THREADS;
      const more = aComment({ id: 2, author: REVIEWER, createdAt: NOW + 2 * MINUTE_MS });
      const talked = first === undefined ? [] : [{ ...first, comments: [...first.comments, more] }];
      pipeline.github.change({ threads: [...talked, ...(second === undefined ? [] : [second])] });
    });
    await pipeline.runFixup();
    await pipeline.evaluate();
    const replies = pipeline.github.postedReviews[0]?.replies ?? [];
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(replies).toHaveLength(2);
    expect(resolvedBy(pipeline)).toEqual(['resolveThread thread-2']);
    expect(pipeline.lastCode()).toBe('REVIEW_COMMENTS');
  });

  it('go nowhere where every thread was resolved by people meanwhile', async () => {
    const pipeline = await startAnswered();
    pipeline.github.change({ threads: THREADS.map((thread) => ({ ...thread, isResolved: true })) });
    await pipeline.evaluate();

    expect(pipeline.github.calls).not.toContain('postReview');
    expect(pipeline.store.openAnswers(pipeline.key)).toEqual([]);
  });
});

describe('answers and the branch', () => {
  it('trap 58: are given when somebody pushed on top, also far on top', async () => {
    const near = await startAnswered();
    const pushed = near.git.pushed[0];
    near.github.change({ headSha: fakeSha('on-top'), headParents: pushed === undefined ? [] : [pushed] });
    await near.evaluate();
    const far = await startAnswered();
    far.github.change({ headSha: fakeSha('far') });
    await far.evaluate();

    expect(near.github.postedReviews).toHaveLength(1);
    expect(near.github.calls).not.toContain('readMergeBase');
    expect(far.github.postedReviews).toHaveLength(1);
  });

  it('trap 59: are void when the commit is lost, and the review is open again', async () => {
    const pipeline = await startAnswered();
    pipeline.github.setMergeBase(fakeSha('base'));
    pipeline.pushFromOutside(fakeSha('forced'));
    await pipeline.evaluate();
    const early = pipeline.store.openAnswers(pipeline.key).length;
    pipeline.clock.advance(15 * MINUTE_MS);
    await pipeline.evaluate();
    const codes = codesOf(pipeline);
    pipeline.reportCi('success');
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();

    expect(early).toBe(1);
    expect(codes).toContain('ANSWERS_LOST');
    expect(pipeline.github.postedReviews).toEqual([]);
    expect(resolvedBy(pipeline)).toEqual([]);
    expect(pipeline.lastCode()).toBe('REVIEW_COMMENTS');
  });
});

describe('answers and the switches', () => {
  const openAnswers = ({ store, key }: Pipeline): number => store.openAnswers(key).length;

  it.each<[string, (pipeline: Pipeline) => void]>([
    ['disabled', ({ comment }) => void comment('/ratchet disable')],
    ['paused', ({ comment }) => void comment('/ratchet pause')],
    ['closed', ({ github }) => github.change({ state: 'closed' })],
    ['held by a label', ({ github }) => github.change({ labels: ['ratchet:hold'] })],
    ['set to observe only', ({ github }) => github.change({ policyText: 'mode: observe\n' })],
    ['gone', ({ github }) => github.remove()],
  ])('S9, trap 62: are not given while it is %s', async (_what, turnOff) => {
    const pipeline = await startAnswered();
    turnOff(pipeline);
    await pipeline.evaluate();

    expect(pipeline.github.calls).not.toContain('postReview');
    expect(openAnswers(pipeline)).toBe(1);
  });

  it('trap 62: are not given when it is switched off during the look', async () => {
    const pipeline = await startAnswered();
    pipeline.github.during('readPullRequest', async () => {
      pipeline.store.updateWorkspace(pipeline.key, { pause: { by: WRITER, at: NOW } });
    });
    await pipeline.evaluate();

    expect(pipeline.github.calls).not.toContain('postReview');
  });

  it('are given when it goes on, and given up after a day', async () => {
    const resumed = await startAnswered();
    resumed.store.updateWorkspace(resumed.key, { pause: { by: WRITER, at: NOW } });
    await resumed.evaluate();
    resumed.store.updateWorkspace(resumed.key, { pause: null });
    await resumed.evaluate();
    const late = await startAnswered();
    late.store.updateWorkspace(late.key, { pause: { by: WRITER, at: NOW } });
    late.clock.advance(24 * 60 * MINUTE_MS);
    await late.evaluate();

    expect(resumed.github.postedReviews).toHaveLength(1);
    expect(late.github.postedReviews).toEqual([]);
    expect(openAnswers(late)).toBe(0);
    expect(codesOf(late)).toContain('ANSWERS_EXPIRED');
  });
});

describe('answers and a GitHub that does not play along', () => {
  it('are given at the next look when it was down, and the look goes on', async () => {
    const pipeline = await startAnswered();
    pipeline.github.failNext('postReview', new GitHubError('UNAVAILABLE', 'down', { retry: 'now' }));
    await pipeline.evaluate();
    const open = pipeline.store.openAnswers(pipeline.key).length;
    const reported = pipeline.github.calls.includes('createCheckRun');
    await pipeline.evaluate();

    expect([open, reported]).toEqual([1, true]);
    expect(pipeline.github.postedReviews).toHaveLength(1);
  });

  it('are settled once it refuses for good, and nothing is launched for the same comments', async () => {
    const pipeline = await startAnswered();
    pipeline.github.failNext('postReview', new GitHubError('FORBIDDEN', 'locked', { retry: 'never' }));
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(codesOf(pipeline)).toContain('ANSWERS_REFUSED');
    expect(pipeline.github.calls.filter((call) => call === 'postReview')).toHaveLength(1);
    expect(resolvedBy(pipeline)).toEqual([]);
    expect(pipeline.lastCode()).toBe('ALL_GREEN');
  });

  it('are settled where a thread may not be resolved', async () => {
    const pipeline = await startAnswered();
    pipeline.github.refuse('resolveThread', 'no permission');
    await pipeline.evaluate();

    expect(pipeline.store.openAnswers(pipeline.key)).toEqual([]);
    expect(pipeline.transitions().find(({ code }) => code === 'REVIEW_ANSWERED')?.reason).toContain(
      'resolved 0 threads',
    );
    expect(pipeline.log.some(({ message }) => message === 'a thread was not resolved')).toBe(true);
  });

  it('are finished where the process died between the review and the resolving (F2)', async () => {
    const pipeline = await startAnswered();
    pipeline.github.failNext('resolveThread', new Error('the process died'));
    await expect(pipeline.evaluate()).rejects.toThrow('the process died');
    await pipeline.evaluate();

    expect(pipeline.github.postedReviews).toHaveLength(1);
    expect(pipeline.github.facts().threads.map(({ comments }) => comments.length)).toEqual([2, 2]);
    expect(resolvedBy(pipeline)).toEqual(['resolveThread thread-1', 'resolveThread thread-2']);
    expect(pipeline.store.openAnswers(pipeline.key)).toEqual([]);
  });

  it('are not counted as a word of somebody', async () => {
    const pipeline = await startAnswered();
    await pipeline.evaluate();
    const said = pipeline.github.facts().threads.flatMap(({ comments }) => comments.at(-1)?.author?.login ?? []);

    expect(said).toEqual([US.login, US.login]);
  });
});

describe('our own name', () => {
  it('has to be known before anybody is told from us: a look that does not learn it decides nothing (trap 145)', async () => {
    const pipeline = await startEnabled({ checks: [aCheck()], threads: THREADS });
    pipeline.clock.advance(2 * MINUTE_MS);
    const before = codesOf(pipeline);
    pipeline.github.failNext('readSlug', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));

    await expect(pipeline.evaluate()).rejects.toThrow('down');
    const meanwhile = codesOf(pipeline);
    await pipeline.evaluate();

    expect(meanwhile).toEqual(before);
    expect(pipeline.lastCode()).toBe('REVIEW_COMMENTS');
  });
});
