import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../world/json.ts';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { at, graphql, installationToken, rest } from './app-client.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

let scene: Scene;
let receiver: Receiver;
let number: number;
let threadId: number;
let pullId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  scene = await aScene({}, { webhookUrl: receiver.url });
  scene.world.setPermission(scene.repo, 'rob', 'write');
  scene.world.setPermission(scene.repo, 'ann', 'write');
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  receiver.close();
  expect(violations).toEqual([]);
});

let count = 0;

beforeEach(async () => {
  const { world, repo } = scene;
  count += 1;
  number = await aPullRequest(scene, `feature-${count}`);
  pullId = `PR_${(await world.pullRequest(repo, number)).id}`;
  threadId = await world.reviewComment({ repo, number, path: 'a.txt', line: 2, body: 'Why?', login: 'rob' });
  await world.settled();
});

/** Calls a mutation with `input` and returns its payload, or its first error. */
async function mutate(name: string, input: JsonObject, fields: string, token = scene.token): Promise<unknown> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const query = `mutation ($input: ${type}) { ${name}(input: $input) { ${fields} } }`;
  const answer = await graphql(scene.world, token, query, { input });
  return at(answer, 'errors', 0) ?? at(answer, 'data', name);
}

const REVIEW = 'pullRequestReview { id state body submittedAt comments(first: 10) { totalCount } }';

async function startPending(body = 'Answers'): Promise<string> {
  const payload = await mutate('addPullRequestReview', { pullRequestId: pullId, body }, REVIEW);
  return String(at(payload, 'pullRequestReview', 'id'));
}

async function reply(body: string, reviewId?: string, token = scene.token): Promise<unknown> {
  const review = reviewId === undefined ? {} : { pullRequestReviewId: reviewId };
  const input = { pullRequestReviewThreadId: `PRRT_${threadId}`, body, ...review };
  return await mutate('addPullRequestReviewThreadReply', input, 'comment { id body state publishedAt }', token);
}

async function submit(reviewId: string, event = 'COMMENT'): Promise<unknown> {
  return await mutate('submitPullRequestReview', { pullRequestReviewId: reviewId, event }, REVIEW);
}

const SEEN = `query ($n: Int!) { repository(owner: "acme", name: "widget") { pullRequest(number: $n) {
  reviewDecision
  reviews(last: 50) { nodes { state body fullDatabaseId databaseId updatedAt lastEditedAt submittedAt } }
  reviewThreads(first: 50) { nodes { id isResolved viewerCanResolve resolvedBy { login }
    comments(first: 50) { nodes { body state fullDatabaseId databaseId updatedAt lastEditedAt } } } }
} } }`;

async function read(token = scene.token): Promise<unknown> {
  const answer = await graphql(scene.world, token, SEEN, { n: number });
  expect(answer['errors']).toBeUndefined();
  return at(answer, 'data', 'repository', 'pullRequest');
}

function bodies(pull: unknown): unknown {
  const comments = at(pull, 'reviewThreads', 'nodes', 0, 'comments', 'nodes');
  return Array.isArray(comments) ? comments.map((comment: unknown) => at(comment, 'body')) : comments;
}

/** Does something and returns what was delivered because of it, in order. */
async function deliveredBy(act: () => unknown): Promise<readonly Received[]> {
  await scene.world.settled();
  const before = receiver.received.length;
  await act();
  await scene.world.settled();
  return receiver.received.slice(before);
}

describe('a pending review', () => {
  it('holds replies that only its author sees, until it is submitted', async () => {
    const rob = scene.world.userToken('rob');
    const reviewId = await startPending();
    const answer = await reply('Because.', reviewId);

    expect(answer).toMatchObject({ comment: { body: 'Because.', state: 'PENDING', publishedAt: null } });
    expect(bodies(await read())).toEqual(['Why?', 'Because.']);
    expect(bodies(await read(rob))).toEqual(['Why?']);
    expect(JSON.stringify(await read(rob))).not.toContain('PENDING');

    const submitted = await submit(reviewId);

    expect(at(submitted, 'pullRequestReview')).toMatchObject({
      state: 'COMMENTED',
      body: 'Answers',
      comments: { totalCount: 1 },
    });
    expect(at(submitted, 'pullRequestReview', 'submittedAt')).toEqual(expect.any(String));
    expect(bodies(await read(rob))).toEqual(['Why?', 'Because.']);
  });

  it('is not shown by REST either', async () => {
    const { world, repo, token } = scene;
    const rob = world.userToken('rob');
    const reviewId = await startPending();
    const commentId = String(at(await reply('Because.', reviewId), 'comment', 'id')).replace('PRRC_', '');

    const mine = await rest(world, token, `GET /repos/${repo}/pulls/${number}/reviews`);
    const theirs = await rest(world, rob, `GET /repos/${repo}/pulls/${number}/reviews`);
    const comments = await rest(world, token, `GET /repos/${repo}/pulls/${number}/comments`);
    const comment = await rest(world, rob, `GET /repos/${repo}/pulls/comments/${commentId}`);
    const pull = await rest(world, rob, `GET /repos/${repo}/pulls/${number}`);

    expect(mine.body).toMatchObject([{ state: 'COMMENTED' }, { state: 'PENDING' }]);
    expect(at(mine.body, 1, 'submitted_at')).toBeUndefined();
    expect(theirs.body).toMatchObject([{ state: 'COMMENTED' }]);
    expect(comments.body).toMatchObject([{ body: 'Why?' }]);
    expect(comment.status).toBe(404);
    expect(at(pull.body, 'review_comments')).toBe(1);
  });

  it('sends nothing before it is submitted, then the review and each comment', async () => {
    let reviewId = '';
    const before = await deliveredBy(async () => {
      reviewId = await startPending();
      await reply('One.', reviewId);
      await reply('Two.', reviewId);
    });
    const after = await deliveredBy(async () => await submit(reviewId));

    expect(before).toEqual([]);
    expect(after.map(({ name }) => name)).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_comment.created',
    ]);
    expect(at(after[0]?.payload, 'review', 'state')).toBe('commented');
    expect(at(after[1]?.payload, 'comment', 'body')).toBe('One.');
    expect(at(after[2]?.payload, 'sender', 'login')).toBe('ratchet-bot[bot]');
  });

  it('takes up a reply that names no review', async () => {
    await startPending();

    expect(await reply('Because.')).toMatchObject({ comment: { state: 'PENDING' } });
  });

  it('can be deleted with its replies, which nobody hears of', async () => {
    const reviewId = await startPending();
    await reply('Because.', reviewId);

    const delivered = await deliveredBy(async () => {
      await mutate('deletePullRequestReview', { pullRequestReviewId: reviewId }, REVIEW);
    });

    expect(delivered).toEqual([]);
    expect(bodies(await read())).toEqual(['Why?']);
    expect(scene.world.reviews(scene.repo, number).map(({ state }) => state)).toEqual(['COMMENTED']);
  });

  it('is one per account and pull request', async () => {
    await startPending();
    await scene.world.startReview({ repo: scene.repo, number, login: 'rob' });

    const error = await mutate('addPullRequestReview', { pullRequestId: pullId }, REVIEW);
    const byRest = await rest(scene.world, scene.token, `POST /repos/${scene.repo}/pulls/${number}/reviews`, {});

    const message = 'User can only have one pending review per pull request';
    expect(error).toMatchObject({ type: 'UNPROCESSABLE', message, path: ['addPullRequestReview'] });
    expect([byRest.status, at(byRest.body, 'errors', 0)]).toEqual([422, message]);
  });

  it('of a person hides its new threads as well', async () => {
    const { world, repo } = scene;
    const comments = [{ path: 'a.txt', line: 1, body: 'And this?' }];

    const id = await world.startReview({ repo, number, login: 'rob', comments });
    const before = await read();
    await world.submitReview({ id, state: 'CHANGES_REQUESTED' });
    const after = await read();

    expect(at(before, 'reviewThreads', 'nodes')).toHaveLength(1);
    expect(at(after, 'reviewThreads', 'nodes')).toHaveLength(2);
    expect(at(after, 'reviewDecision')).toBe('CHANGES_REQUESTED');
  });

  it('can be submitted by naming the pull request', async () => {
    await startPending();

    const answer = await mutate('submitPullRequestReview', { pullRequestId: pullId, event: 'COMMENT' }, REVIEW);

    expect(answer).toMatchObject({ pullRequestReview: { state: 'COMMENTED' } });
  });
});

describe('a review with an event', () => {
  it('is submitted at once, with its threads', async () => {
    const threads = [{ path: 'a.txt', line: 2, body: 'Here.' }];
    const input = { pullRequestId: pullId, body: 'Look.', event: 'COMMENT', threads };

    expect(await mutate('addPullRequestReview', input, REVIEW)).toMatchObject({
      pullRequestReview: { state: 'COMMENTED', body: 'Look.', comments: { totalCount: 1 } },
    });
    expect(at(await read(scene.world.userToken('rob')), 'reviewThreads', 'nodes')).toHaveLength(2);
  });

  it('may not approve or demand changes of one’s own pull request', async () => {
    const ann = scene.world.userToken('ann');
    const input = { pullRequestId: pullId, body: 'Mine.' };

    const approval = await mutate('addPullRequestReview', { ...input, event: 'APPROVE' }, REVIEW, ann);
    const demand = await mutate('addPullRequestReview', { ...input, event: 'REQUEST_CHANGES' }, REVIEW, ann);

    expect(approval).toMatchObject({ type: 'UNPROCESSABLE', message: 'Can not approve your own pull request' });
    expect(demand).toMatchObject({ message: 'Can not request changes on your own pull request' });
  });

  it('may not be empty', async () => {
    const input = { pullRequestId: pullId, event: 'COMMENT' };

    expect(await mutate('addPullRequestReview', input, REVIEW)).toMatchObject({ type: 'UNPROCESSABLE' });
    expect(scene.world.reviews(scene.repo, number)).toHaveLength(1);
  });
});

describe('a mutation on reviews', () => {
  it('finds nothing that another account keeps pending', async () => {
    const { world, repo } = scene;
    const id = `PRR_${await world.startReview({ repo, number, login: 'rob', body: 'secret' })}`;

    const answers = [
      await submit(id),
      await mutate('deletePullRequestReview', { pullRequestReviewId: id }, REVIEW),
      await reply('Because.', id),
      at(await graphql(world, scene.token, 'query ($id: ID!) { node(id: $id) { id } }', { id }), 'errors', 0),
    ];

    for (const answer of answers) {
      const message = `Could not resolve to a node with the global id of '${id}'`;
      expect(answer).toMatchObject({ type: 'NOT_FOUND', message });
    }
  });

  it('does not submit, delete or reply to what is submitted', async () => {
    const reviewId = await startPending();
    await submit(reviewId);

    expect(await submit(reviewId)).toMatchObject({ type: 'UNPROCESSABLE' });
    expect(await reply('Because.', reviewId)).toMatchObject({ message: 'Review has already been submitted.' });
    expect(await mutate('deletePullRequestReview', { pullRequestReviewId: reviewId }, REVIEW)).toMatchObject({
      type: 'UNPROCESSABLE',
      message: 'Can not delete a non-pending pull request review',
    });
  });

  it.each([
    ['addPullRequestReview', () => ({ pullRequestId: pullId }), 'clientMutationId'],
    [
      'addPullRequestReviewThreadReply',
      () => ({ pullRequestReviewThreadId: `PRRT_${threadId}`, body: 'x' }),
      'clientMutationId',
    ],
    ['resolveReviewThread', () => ({ threadId: `PRRT_${threadId}` }), 'clientMutationId'],
  ])('%s needs write permission on pull requests', async (name, input, fields) => {
    const permissions = { pull_requests: 'read', contents: 'write' };
    const token = await installationToken(scene.world, scene.installationId, { permissions });

    expect(await mutate(name, input(), fields, token)).toMatchObject({
      type: 'FORBIDDEN',
      message: 'Resource not accessible by integration',
    });
  });

  it('needs write permission on contents to resolve a thread', async () => {
    const permissions = { pull_requests: 'write', contents: 'read' };
    const token = await installationToken(scene.world, scene.installationId, { permissions });
    const input = { threadId: `PRRT_${threadId}` };

    const answer = await mutate('resolveReviewThread', input, 'clientMutationId', token);

    expect(answer).toMatchObject({ type: 'FORBIDDEN' });
    expect(at(await read(token), 'reviewThreads', 'nodes', 0, 'viewerCanResolve')).toBe(false);
  });
});

describe('resolving a thread', () => {
  it('is told once, and names who did it', async () => {
    const input = { threadId: `PRRT_${threadId}` };
    const before = await read();

    const delivered = await deliveredBy(async () => {
      await mutate('resolveReviewThread', input, 'clientMutationId');
      await mutate('resolveReviewThread', input, 'clientMutationId');
    });

    expect(delivered.map(({ name }) => name)).toEqual(['pull_request_review_thread.resolved']);
    expect(at(before, 'reviewThreads', 'nodes', 0)).toMatchObject({ viewerCanResolve: true, resolvedBy: null });
    expect(at(await read(), 'reviewThreads', 'nodes', 0)).toMatchObject({
      isResolved: true,
      viewerCanResolve: false,
      resolvedBy: { login: 'ratchet-bot' },
    });
  });
});

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u;

function lastEditOf(node: unknown): string {
  return String(at(node, 'lastEditedAt'));
}

describe('edits', () => {
  it('of a comment on a line and of a review show when they were made', async () => {
    const { world, repo } = scene;
    const [review] = world.reviews(repo, number);
    const [comment] = (await world.threads(repo, number))[0]?.comments ?? [];
    const before = await read();

    const delivered = await deliveredBy(async () => {
      await world.editReviewComment({ id: comment?.id ?? 0, body: 'Why though?', login: 'rob' });
      await world.editReview({ id: review?.id ?? 0, body: 'See below.', login: 'rob' });
    });

    const after = await read();
    expect(delivered.map(({ name }) => name)).toEqual([
      'pull_request_review_comment.edited',
      'pull_request_review.edited',
    ]);
    expect(at(delivered[0]?.payload, 'changes', 'body', 'from')).toBe('Why?');
    expect(at(before, 'reviewThreads', 'nodes', 0, 'comments', 'nodes', 0)).toMatchObject({ lastEditedAt: null });
    expect(at(after, 'reviewThreads', 'nodes', 0, 'comments', 'nodes', 0)).toMatchObject({
      body: 'Why though?',
      fullDatabaseId: String(comment?.id),
      databaseId: comment?.id,
    });
    expect(lastEditOf(at(after, 'reviewThreads', 'nodes', 0, 'comments', 'nodes', 0))).toMatch(INSTANT);
    expect(at(after, 'reviews', 'nodes', 0, 'fullDatabaseId')).toBe(String(review?.id));
    expect(lastEditOf(at(after, 'reviews', 'nodes', 0))).toMatch(INSTANT);
  });
});

describe('the review decision', () => {
  it('is null while nobody has an opinion and none is required', async () => {
    expect(at(await read(), 'reviewDecision')).toBeNull();
  });

  it('waits for the approvals that a rule wants, and counts bots and writers only', async () => {
    const { world, repo } = scene;
    world.protectBranch(repo, 'main', { requiredApprovals: 2 });
    const decisions: unknown[] = [at(await read(), 'reviewDecision')];
    for (const login of ['stranger', 'rob', 'reviewer[bot]']) {
      await world.review({ repo, number, state: 'APPROVED', login });
      decisions.push(at(await read(), 'reviewDecision'));
    }
    world.unprotectBranch(repo, 'main');

    expect(decisions).toEqual(['REVIEW_REQUIRED', 'REVIEW_REQUIRED', 'REVIEW_REQUIRED', 'APPROVED']);
  });

  it('falls back when a push makes the approval stale, but not when it only merges the base', async () => {
    const { world, repo } = scene;
    world.protectBranch(repo, 'main', { requiredApprovals: 1, dismissStaleReviews: true });
    await world.review({ repo, number, state: 'APPROVED', login: 'rob' });
    await world.commit({ repo, branch: 'main', files: { [`base-${count}.txt`]: 'base\n' } });
    await world.updateBranch({ repo, number });
    const afterMerge = at(await read(), 'reviewDecision');

    const delivered = await deliveredBy(async () => {
      await world.commit({ repo, branch: `feature-${count}`, files: { 'new.txt': 'new\n' }, login: 'ann' });
    });
    const afterPush = at(await read(), 'reviewDecision');
    world.unprotectBranch(repo, 'main');

    expect([afterMerge, afterPush]).toEqual(['APPROVED', 'REVIEW_REQUIRED']);
    expect(delivered.map(({ name }) => name)).toContain('pull_request_review.dismissed');
  });
});

it('A reaction goes to the comment of either kind', async () => {
  const { world, repo } = scene;
  const [comment] = (await world.threads(repo, number))[0]?.comments ?? [];
  const id = comment?.id ?? 0;

  world.react({ commentId: id, content: 'eyes', login: 'ann' });

  const answer = await rest(world, scene.token, `GET /repos/${repo}/pulls/comments/${id}/reactions`);
  expect(answer.body).toMatchObject([{ content: 'eyes' }]);
});
