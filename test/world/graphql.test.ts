import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { at, graphql, installationToken } from './app-client.ts';

let scene: Scene;
let number: number;

beforeAll(async () => {
  scene = await aScene({
    '.github/workflows/ci.yml': CI_WORKFLOW,
    'check.js': 'process.exit(1);\n',
    '.github/ratchet.yml': 'mode: act\n',
  });
  const { world, repo } = scene;
  await world.commit({ repo, branch: 'feature', files: { 'b.txt': 'one\ntwo\n' }, login: 'ann' });
  number = await world.openPullRequest({ repo, head: 'feature', login: 'ann', title: 'A title' });
  await world.label({ repo, number, name: 'ratchet' });
  await world.reviewComment({ repo, number, path: 'b.txt', line: 1, body: 'Why one?', login: 'rob' });
  await world.reviewComment({ repo, number, path: 'b.txt', line: 2, body: 'Why two?', login: 'rob' });
  await world.review({ repo, number, state: 'CHANGES_REQUESTED', body: 'No.', login: 'rob' });
  await world.setStatus({ repo, at: number, context: 'ci/other', state: 'success' });
  await world.settled();
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

const ACTOR = 'author { login __typename ... on User { databaseId } ... on Bot { databaseId } }';

const SNAPSHOT = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    databaseId isArchived
    pullRequest(number: $number) {
      databaseId number title state isDraft isCrossRepository mergeable mergeStateStatus
      headRefOid headRefName baseRefName baseRefOid isInMergeQueue autoMergeRequest { enabledAt }
      ${ACTOR}
      labels(first: 20) { nodes { name } }
      baseRef { name target { oid ... on Commit {
        file(path: ".github/ratchet.yml") { object { ... on Blob { text isTruncated byteSize } } }
        statusCheckRollup { contexts(first: 1) { totalCount } }
      } } }
      reviewThreads(first: 1, after: $after) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated path line comments(first: 10) {
          totalCount nodes { databaseId body createdAt ${ACTOR} } } }
      }
      reviews(last: 10) { nodes { databaseId state body submittedAt ${ACTOR} commit { oid } } }
      latestReviews(first: 10) { nodes { state ${ACTOR} } }
      commits(last: 1) { nodes { commit { oid committedDate
        file(path: ".github/workflows") { object { ... on Tree { entries { name } } } }
        statusCheckRollup { state contexts(first: 50) { totalCount pageInfo { hasNextPage endCursor } nodes {
          __typename
          ... on CheckRun { databaseId name status conclusion startedAt completedAt detailsUrl
            checkSuite { app { databaseId slug } workflowRun { databaseId event } } }
          ... on StatusContext { id context state createdAt targetUrl }
        } } }
      } } }
    }
  }
  rateLimit { cost remaining resetAt }
}`;

async function read(after: string | null = null): Promise<unknown> {
  const answer = await graphql(scene.world, scene.token, SNAPSHOT, { owner: 'acme', name: 'widget', number, after });
  expect(answer['errors']).toBeUndefined();
  return at(answer, 'data', 'repository', 'pullRequest');
}

describe('the snapshot query', () => {
  it('shows the pull request as git and the conversation have it', async () => {
    const pull = await read();

    const headRefOid = await scene.world.headSha(scene.repo, 'feature');
    expect(pull).toMatchObject({
      number,
      title: 'A title',
      state: 'OPEN',
      isDraft: false,
      mergeable: 'MERGEABLE',
      mergeStateStatus: 'UNSTABLE',
      headRefOid,
      baseRefOid: await scene.world.headSha(scene.repo, 'main'),
      author: { login: 'ann', __typename: 'User' },
      labels: { nodes: [{ name: 'ratchet' }] },
      baseRef: {
        name: 'main',
        target: {
          file: { object: { text: 'mode: act\n', isTruncated: false, byteSize: 10 } },
          statusCheckRollup: null,
        },
      },
      latestReviews: { nodes: [{ state: 'CHANGES_REQUESTED', author: { login: 'rob' } }] },
    });
    expect(at(pull, 'reviews', 'nodes')).toHaveLength(3);
  });

  it('shows the head’s checks and statuses', async () => {
    const commit = at(await read(), 'commits', 'nodes', 0, 'commit');

    expect(commit).toMatchObject({
      file: { object: { entries: [{ name: 'ci.yml' }] } },
      statusCheckRollup: {
        state: 'FAILURE',
        contexts: {
          totalCount: 2,
          nodes: [
            {
              __typename: 'CheckRun',
              name: 'test',
              status: 'COMPLETED',
              conclusion: 'FAILURE',
              checkSuite: {
                app: { databaseId: 15_368, slug: 'github-actions' },
                workflowRun: { event: 'pull_request' },
              },
            },
            { __typename: 'StatusContext', context: 'ci/other', state: 'SUCCESS', targetUrl: null },
          ],
        },
      },
    });
  });

  it('pages through review threads', async () => {
    const first = at(await read(), 'reviewThreads');
    const second = at(await read(String(at(first, 'pageInfo', 'endCursor'))), 'reviewThreads');

    expect(first).toMatchObject({
      totalCount: 2,
      pageInfo: { hasNextPage: true },
      nodes: [{ path: 'b.txt', line: 1, isOutdated: false }],
    });
    expect(second).toMatchObject({
      pageInfo: { hasNextPage: false },
      nodes: [{ comments: { nodes: [{ body: 'Why two?' }] } }],
    });
  });
});

describe('mutations', () => {
  it('reply in a thread, resolve it and open it again', async () => {
    const { world, token, repo } = scene;
    const [thread] = await world.threads(repo, number);
    const id = `PRRT_${thread?.id ?? 0}`;

    const reply = await graphql(
      world,
      token,
      `mutation ($id: ID!) { addPullRequestReviewThreadReply(
      input: { pullRequestReviewThreadId: $id, body: "Because." }) { comment { body ${ACTOR} } } }`,
      { id },
    );
    const resolved = await graphql(
      world,
      token,
      `mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) {
      thread { isResolved } } }`,
      { id },
    );
    const opened = await graphql(
      world,
      token,
      `mutation ($id: ID!) { unresolveReviewThread(input: { threadId: $id }) {
      thread { isResolved } } }`,
      { id },
    );

    expect(at(reply, 'data', 'addPullRequestReviewThreadReply', 'comment')).toMatchObject({
      body: 'Because.',
      author: { login: 'ratchet-bot', __typename: 'Bot' },
    });
    expect(at(resolved, 'data', 'resolveReviewThread', 'thread', 'isResolved')).toBe(true);
    expect(at(opened, 'data', 'unresolveReviewThread', 'thread', 'isResolved')).toBe(false);
  });

  it('need write permission on pull requests', async () => {
    const { world, repo, installationId } = scene;
    const token = await installationToken(world, installationId, { permissions: { pull_requests: 'read' } });
    const [thread] = await world.threads(repo, number);

    const answer = await graphql(
      world,
      token,
      `mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) {
      thread { isResolved } } }`,
      { id: `PRRT_${thread?.id ?? 0}` },
    );

    expect(at(answer, 'errors', 0)).toMatchObject({
      type: 'FORBIDDEN',
      message: 'Resource not accessible by integration',
    });
  });
});

describe('look-ups', () => {
  it('find a node by its id', async () => {
    const [thread] = await scene.world.threads(scene.repo, number);
    const query = 'query ($id: ID!) { node(id: $id) { __typename id ... on PullRequestReviewThread { path } } }';

    const answer = await graphql(scene.world, scene.token, query, { id: `PRRT_${thread?.id ?? 0}` });

    expect(at(answer, 'data', 'node')).toMatchObject({ __typename: 'PullRequestReviewThread', path: 'b.txt' });
  });

  it.each([
    [
      'a repository',
      '{ repository(owner: "acme", name: "nothing") { id } }',
      "Could not resolve to a Repository with the name 'acme/nothing'.",
    ],
    [
      'a pull request',
      '{ repository(owner: "acme", name: "widget") { pullRequest(number: 99) { id } } }',
      'Could not resolve to a PullRequest with the number of 99.',
    ],
    ['a node', '{ node(id: "PRRT_1") { id } }', "Could not resolve to a node with the global id of 'PRRT_1'"],
  ])('say NOT_FOUND for %s that is not there', async (_name, query, message) => {
    const answer = await graphql(scene.world, scene.token, query);

    expect(at(answer, 'errors', 0)).toMatchObject({ type: 'NOT_FOUND', message });
  });
});

describe('a pull request', () => {
  const QUERY = `query ($number: Int!, $after: String) { repository(owner: "acme", name: "widget") {
    viewerPermission
    pullRequest(number: $number) {
      fullDatabaseId databaseId viewerCanUpdateBranch
      labels(first: 5) { totalCount nodes { name } }
      files(first: 1, after: $after) { totalCount nodes { path } pageInfo { hasNextPage endCursor } }
      headRef { name target { oid } } baseRef { name }
    }
  } }`;

  it('pages through its changed files', async () => {
    const { world, repo, token } = scene;
    const files = { 'c.txt': 'c\n', 'd.txt': 'd\n' };
    await world.commit({ repo, branch: 'two-files', files, login: 'ann' });
    const many = await world.openPullRequest({ repo, head: 'two-files', login: 'ann' });
    const readFiles = async (after: string | null): Promise<unknown> => {
      const answer = await graphql(world, token, QUERY, { number: many, after });
      return at(answer, 'data', 'repository', 'pullRequest', 'files');
    };

    const first = await readFiles(null);
    const second = await readFiles(String(at(first, 'pageInfo', 'endCursor')));

    expect(first).toMatchObject({ totalCount: 2, nodes: [{ path: 'c.txt' }], pageInfo: { hasNextPage: true } });
    expect(second).toMatchObject({ nodes: [{ path: 'd.txt' }], pageInfo: { hasNextPage: false } });
  });

  it('says whether the viewer can update its branch', async () => {
    const { world, repo, token, installationId } = scene;
    await world.commit({ repo, branch: 'behind', files: { 'e.txt': 'e\n' }, login: 'ann' });
    const behind = await world.openPullRequest({ repo, head: 'behind', login: 'ann' });
    const reader = await installationToken(world, installationId, { permissions: { pull_requests: 'read' } });
    const canUpdate = async (as: string): Promise<unknown> => {
      const answer = await graphql(world, as, QUERY, { number: behind });
      return at(answer, 'data', 'repository', 'pullRequest', 'viewerCanUpdateBranch');
    };

    const before = await canUpdate(token);
    await world.commit({ repo, branch: 'main', files: { 'f.txt': 'f\n' } });

    expect([before, await canUpdate(token), await canUpdate(reader)]).toEqual([false, true, false]);
  });

  it('shows both its refs and ids of both kinds', async () => {
    const answer = await graphql(scene.world, scene.token, QUERY, { number });
    const pull = at(answer, 'data', 'repository', 'pullRequest');

    expect(answer['errors']).toBeUndefined();
    expect(at(answer, 'data', 'repository', 'viewerPermission')).toBe('WRITE');
    expect(at(pull, 'fullDatabaseId')).toBe(String(at(pull, 'databaseId')));
    expect(pull).toMatchObject({
      headRef: { name: 'feature', target: { oid: await scene.world.headSha(scene.repo, number) } },
      baseRef: { name: 'main' },
      labels: { totalCount: 1, nodes: [{ name: 'ratchet' }] },
    });
  });
});

describe('the owner’s .github repository', () => {
  const QUERY = `{
    own: repository(owner: "acme", name: "widget") { name }
    shared: repository(owner: "acme", name: ".github") {
      object(expression: "HEAD:ratchet.yml") { ... on Blob { text } }
    }
  }`;

  it('is partial data, null and an error with its path, when there is none or it is not covered', async () => {
    const missing = await graphql(scene.world, scene.token, QUERY);
    await scene.world.createRepository({ owner: 'acme', name: '.github', files: { 'ratchet.yml': 'mode: act\n' } });
    const uncovered = await graphql(scene.world, scene.token, QUERY);

    for (const answer of [missing, uncovered]) {
      expect(answer['data']).toEqual({ own: { name: 'widget' }, shared: null });
      expect(answer['errors']).toMatchObject([
        {
          type: 'NOT_FOUND',
          path: ['shared'],
          message: "Could not resolve to a Repository with the name 'acme/.github'.",
        },
      ]);
    }
  });

  it('is read beside the other when the installation covers it', async () => {
    scene.world.installApp('acme/.github');
    const token = await installationToken(scene.world, scene.installationId);

    const answer = await graphql(scene.world, token, QUERY);

    expect(answer).toEqual({ data: { own: { name: 'widget' }, shared: { object: { text: 'mode: act\n' } } } });
  });

  it('stays hidden from a token that is narrowed to the other', async () => {
    const token = await installationToken(scene.world, scene.installationId, { repositories: ['widget'] });

    const answer = await graphql(scene.world, token, QUERY);

    expect(at(answer, 'errors', 0)).toMatchObject({ type: 'NOT_FOUND', path: ['shared'] });
  });
});
