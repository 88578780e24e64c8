import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { costOf } from '../../world/graphql/query-cost.ts';
import { createGraphqlSchemaOf } from '../../world/graphql/schema.ts';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { appJwt, graphql, installationToken, rest } from './app-client.ts';

let scene: Scene;
let number: number;
const schema = createGraphqlSchemaOf()();

beforeAll(async () => {
  scene = await aScene();
  number = await aPullRequest(scene);
});

beforeEach(() => {
  scene.world.calls.reset();
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

const IN_A_PULL_REQUEST = (fields: string): string =>
  `query Pull { repository(owner: "acme", name: "widget") { pullRequest(number: 1) { ${fields} } } }`;

describe('the cost of a query', () => {
  it.each([
    ['no connection at all', '{ viewer { login } }', 1, 0],
    // GitHub's own example: 1 + 100 + 50 * 100 requests, which is 51 points; of nodes 100 + 5,000 + 300,000.
    [
      'GitHub’s example',
      `{ viewer { repositories(first: 100) { edges { node { issues(first: 50) { edges { node {
         labels(first: 60) { edges { node { name } } } } } } } } } } }`,
      51,
      305_100,
    ],
    [
      'connections side by side',
      IN_A_PULL_REQUEST('reviews(last: 100) { totalCount } comments(first: 1) { totalCount }'),
      1,
      101,
    ],
    [
      'half a point, which is rounded up',
      IN_A_PULL_REQUEST(
        'reviewThreads(first: 99) { nodes { comments(first: 1) { totalCount } } } reviews(first: 50) { nodes { comments(first: 1) { totalCount } } }',
      ),
      2,
      298,
    ],
  ])('with %s', (_what, query, points, nodes) => {
    expect(costOf(schema, { query })).toMatchObject({ points, nodes });
  });

  it('follows fragments and variables, with their defaults', () => {
    const query = `query Q($size: Int!, $inner: Int = 100) { viewer { ...Rows } }
      fragment Rows on User { repositories(first: $size) { nodes { ... on Repository { issues(first: $inner) { nodes { id } } } } } }`;

    const cost = costOf(schema, { query, variables: { size: 100 } });

    expect(cost).toEqual({ operation: 'Q', points: 1, nodes: 10_100 });
  });

  it('ends with fragments that name each other, and is 1 for what does not parse', () => {
    const circle = '{ viewer { ...A } } fragment A on User { ...B } fragment B on User { ...A }';

    expect(costOf(schema, { query: circle })).toMatchObject({ points: 1, nodes: 0 });
    expect(costOf(schema, { query: '{' })).toEqual({ operation: 'invalid', points: 1, nodes: 0 });
    expect(costOf(schema, {})).toMatchObject({ points: 1 });
  });
});

describe('the App’s calls', () => {
  it('are counted by operation, and forgotten by a reset', async () => {
    const { world, repo, token } = scene;

    await rest(world, appJwt(world), 'GET /app');
    await rest(world, token, `GET /repos/${repo}/pulls/${number}`);
    await rest(world, token, `GET /repos/${repo}/pulls/99`);
    await graphql(
      world,
      token,
      IN_A_PULL_REQUEST('reviews(first: 100) { nodes { comments(first: 1) { totalCount } } }'),
    );
    const counts = world.calls.read();
    world.calls.reset();

    expect(counts).toMatchObject({ rest: 3, graphql: 1, graphqlPoints: 1, git: 0 });
    expect([...counts.byOperation]).toEqual([
      ['GET /repos/{owner}/{repo}/pulls/{pull_number}', { calls: 2, points: 0 }],
      ['GET /app', { calls: 1, points: 0 }],
      ['graphql Pull', { calls: 1, points: 1 }],
    ]);
    expect(world.calls.read()).toMatchObject({ rest: 0, graphql: 0, graphqlPoints: 0 });
  });

  it('are not those of people, nor those of nobody', async () => {
    const { world, repo } = scene;

    await rest(world, world.userToken('ann'), `GET /repos/${repo}`);
    await rest(world, null, `GET /repos/${repo}`);
    await rest(world, 'wrong', `GET /repos/${repo}`);

    expect(world.calls.read()).toMatchObject({ rest: 0, graphql: 0 });
  });

  it('count also when a fault answers, and when the call ends its own token', async () => {
    const { world, repo, installationId } = scene;
    const token = await installationToken(world, installationId);
    world.calls.reset();
    world.faults.failRequests({ times: 1 });

    await rest(world, token, `GET /repos/${repo}`);
    await rest(world, token, 'DELETE /installation/token');

    expect([...world.calls.read().byOperation.keys()]).toEqual([
      'GET /repos/{owner}/{repo}',
      'DELETE /installation/token',
    ]);
  });
});
