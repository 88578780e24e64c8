import { schema } from '@octokit/graphql-schema';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/adapters/github/create-github.ts';
import * as documents from '../../../src/adapters/github/review-documents.ts';
import { toGraphqlError } from '../../../src/adapters/github/to-github-error.ts';
import type { PullRequestRef } from '../../../src/core/model/pull-request.ts';
import type { GitHub } from '../../../src/ports/github.ts';
import { recordingLog } from '../../support/store.ts';
import { aPullRequest, aScene, type Scene } from '../../world/a-world.ts';
import { at, graphql, rest } from '../../world/app-client.ts';

const signal = (): AbortSignal => new AbortController().signal;
const MARKER = '<!-- ratchet:review:session-1 -->';
const BODY = `1 review comment answered.\n\n${MARKER}`;

let scene: Scene;
let ref: PullRequestRef;
let threadId: string;
let otherThreadId: string;
let count = 0;

beforeAll(async () => {
  scene = await aScene();
  scene.world.setPermission(scene.repo, 'rob', 'write');
  scene.world.setPermission(scene.repo, 'ann', 'write');
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

beforeEach(async () => {
  count += 1;
  const { world, repo } = scene;
  const number = await aPullRequest(scene, `feature-${count}`);
  const remark = { repo, number, path: 'a.txt', line: 2, login: 'rob' };
  threadId = `PRRT_${await world.reviewComment({ ...remark, body: 'Why?' })}`;
  otherThreadId = `PRRT_${await world.reviewComment({ ...remark, body: 'And how?' })}`;
  const answer = await rest(world, scene.token, `GET /repos/${repo}`);
  const repositoryId = Number(at(answer.body, 'id'));
  ref = { repository: { installationId: scene.installationId, repositoryId, owner: 'acme', name: 'widget' }, number };
});

/** What the adapter asked of GraphQL, by name, and how the answer to one of them is lost on its way back. */
interface Wire {
  readonly asked: string[];
  readonly lose: (document: string) => void;
  readonly fetch: typeof fetch;
}

function toText(init: RequestInit | undefined): string {
  return typeof init?.body === 'string' ? init.body : '';
}

function createWire(): Wire {
  const asked: string[] = [];
  const lost = new Set<string>();
  return {
    asked,
    lose: (document) => void lost.add(document),
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const name = /(?:query|mutation) (?<name>\w+)\(/u.exec(toText(init))?.groups?.['name'];
      if (name === undefined) return answer;
      asked.push(name);
      if (!lost.delete(name)) return answer;
      await answer.arrayBuffer();
      throw new TypeError('fetch failed');
    },
  };
}

function connect(wire: Wire = createWire()): GitHub {
  const { world } = scene;
  return createGitHub({
    appId: world.app.id,
    privateKey: world.app.privateKey,
    baseUrl: `${world.url}/api/v3`,
    userAgent: 'ratchet-test',
    log: recordingLog().log,
    clock: { now: () => Date.now() },
    limits: { writeSpacingMs: 0 },
    sleep: () => Promise.resolve(),
    fetch: wire.fetch,
  });
}

function reviewOf(...replies: readonly (readonly [string, string])[]): Parameters<GitHub['postReview']>[1] {
  return { marker: MARKER, body: BODY, replies: replies.map(([id, body]) => ({ threadId: id, body })) };
}

const SEEN = `query ($n: Int!) { repository(owner: "acme", name: "widget") { pullRequest(number: $n) {
  id
  reviews(last: 50) { nodes { id state body author { __typename login } } }
  reviewThreads(first: 50) { nodes { id isResolved comments(first: 50) { nodes { body pullRequestReview { id } } } } }
} } }`;

async function seen(): Promise<{
  readonly pullRequestId: string;
  readonly reviews: readonly { readonly state: string; readonly body: string }[];
  readonly threads: readonly {
    readonly id: string;
    readonly isResolved: boolean;
    readonly bodies: readonly string[];
  }[];
}> {
  const answer = await graphql(scene.world, scene.token, SEEN, { n: ref.number });
  const pull = at(answer, 'data', 'repository', 'pullRequest');
  return {
    pullRequestId: String(at(pull, 'id')),
    reviews: listAt(pull, 'reviews')
      .filter((review) => at(review, 'author', '__typename') === 'Bot')
      .map((review) => ({ state: String(at(review, 'state')), body: String(at(review, 'body')) })),
    threads: listAt(pull, 'reviewThreads').map((thread) => ({
      id: String(at(thread, 'id')),
      isResolved: at(thread, 'isResolved') === true,
      bodies: listAt(thread, 'comments').map((comment) => String(at(comment, 'body'))),
    })),
  };
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const nodes = at(value, key, 'nodes');
  return Array.isArray(nodes) ? nodes : [];
}

async function bodiesOf(id: string): Promise<readonly string[] | undefined> {
  return (await seen()).threads.find((thread) => thread.id === id)?.bodies;
}

async function startPending(body: string): Promise<string> {
  const { pullRequestId } = await seen();
  const input = { pullRequestId, body };
  const answer = await graphql(scene.world, scene.token, documents.startReviewMutation, { input });
  return String(at(answer, 'data', 'addPullRequestReview', 'pullRequestReview', 'id'));
}

describe('the GraphQL documents of reviews', () => {
  const github = buildSchema(schema.idl, { assumeValidSDL: true });

  it.each(Object.entries(documents))('%s is valid by the schema that GitHub publishes', (_name, document) => {
    expect(validate(github, parse(document)).map(({ message }) => message)).toEqual([]);
  });
});

describe('postReview', () => {
  it('trap 45: says everything in one review, which is a mere comment', async () => {
    await connect().postReview(ref, reviewOf([threadId, 'Because.'], [otherThreadId, 'So.']), signal());

    expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
    expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
    expect(await bodiesOf(otherThreadId)).toEqual(['And how?', 'So.']);
  });

  it('may be without replies', async () => {
    await connect().postReview(ref, reviewOf(), signal());

    expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
  });

  it('says nothing twice', async () => {
    const wire = createWire();
    const github = connect(wire);
    await github.postReview(ref, reviewOf([threadId, 'Because.']), signal());
    wire.asked.length = 0;
    await github.postReview(ref, reviewOf([threadId, 'Because.']), signal());

    expect(wire.asked).toEqual(['OwnReviews']);
    expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
  });

  it.each(['StartReview', 'AddReply', 'SubmitReview'])(
    'F13: goes on where GitHub stands when the answer to %s is lost',
    async (name) => {
      const wire = createWire();
      wire.lose(name);
      await connect(wire).postReview(ref, reviewOf([threadId, 'Because.'], [otherThreadId, 'So.']), signal());

      expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
      expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
      expect(await bodiesOf(otherThreadId)).toEqual(['And how?', 'So.']);
    },
  );

  it('finishes what a process that died left pending', async () => {
    const pullRequestReviewId = await startPending(BODY);
    const input = { pullRequestReviewId, pullRequestReviewThreadId: threadId, body: 'Because.' };
    await graphql(scene.world, scene.token, documents.addReplyMutation, { input });
    await connect().postReview(ref, reviewOf([threadId, 'Because.'], [otherThreadId, 'So.']), signal());

    expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
    expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
    expect(await bodiesOf(otherThreadId)).toEqual(['And how?', 'So.']);
  });

  it('throws away what was left pending for another fixup', async () => {
    await startPending('<!-- ratchet:review:another -->');
    await connect().postReview(ref, reviewOf([threadId, 'Because.']), signal());

    expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
  });

  it('does not take somebody’s review for its own', async () => {
    await scene.world.review({ repo: scene.repo, number: ref.number, login: 'rob', state: 'COMMENTED', body: BODY });
    await connect().postReview(ref, reviewOf([threadId, 'Because.']), signal());

    expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
  });

  it('leaves out a thread that is gone', async () => {
    await connect().postReview(ref, reviewOf(['PRRT_999999', 'Gone.'], [threadId, 'Because.']), signal());

    expect((await seen()).reviews).toEqual([{ state: 'COMMENTED', body: BODY }]);
    expect(await bodiesOf(threadId)).toEqual(['Why?', 'Because.']);
  });

  it('leaves nothing behind when it can say nothing', async () => {
    const posting = connect().postReview(ref, reviewOf(['PRRT_999999', 'Gone.']), signal());

    await expect(posting).rejects.toMatchObject({ code: 'NOT_FOUND', retry: 'never' });
    expect((await seen()).reviews).toEqual([]);
  });

  it('says so when the pull request is gone', async () => {
    await expect(connect().postReview({ ...ref, number: 9999 }, reviewOf(), signal())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('gives up after three attempts', async () => {
    const wire = createWire();
    const failing: Wire = {
      ...wire,
      fetch: async (input, init) => {
        if (toText(init).includes('mutation StartReview')) wire.lose('StartReview');
        if (toText(init).includes('mutation DeleteReview')) throw new Error('nobody deletes');
        const answer = await wire.fetch(input, init);
        return answer;
      },
    };
    const review = { ...reviewOf([threadId, 'Because.']), body: 'a body that never shows its marker' };
    // Each attempt finds a pending review that it cannot know, and must not be able to remove.
    await expect(connect(failing).postReview(ref, review, signal())).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(wire.asked.filter((name) => name === 'OwnReviews')).toHaveLength(3);
  });
});

describe('resolveThread', () => {
  it('resolves, and finds nothing wrong with a thread that is resolved', async () => {
    const github = connect();

    expect(await github.resolveThread(ref.repository, threadId, signal())).toEqual({ kind: 'asked' });
    expect(await github.resolveThread(ref.repository, threadId, signal())).toEqual({ kind: 'asked' });
    expect((await seen()).threads.map(({ isResolved }) => isResolved)).toEqual([true, false]);
  });

  it('is repeated when the answer is lost', async () => {
    const wire = createWire();
    wire.lose('ResolveThread');

    expect(await connect(wire).resolveThread(ref.repository, threadId, signal())).toEqual({ kind: 'asked' });
    expect(wire.asked).toEqual(['ResolveThread', 'ResolveThread']);
  });

  it('tells a refusal', async () => {
    expect(await connect().resolveThread(ref.repository, 'PRRT_999999', signal())).toMatchObject({ kind: 'refused' });
  });
});

describe('a GraphQL error', () => {
  it.each([
    ['was submitted too quickly', 'RATE_LIMITED'],
    ['You have exceeded a secondary rate limit', 'RATE_LIMITED'],
    ['User can only have one pending review per pull request', 'INVALID'],
  ])('trap 45: %s is %s', (message, code) => {
    expect(toGraphqlError([{ type: 'UNPROCESSABLE', message }], {}, 0)).toMatchObject({ code });
  });
});
