import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPullRequestsQuery } from '../../../src/adapters/github/pull-request-query.ts';
import type { PullRequestRef } from '../../../src/core/model/pull-request.ts';
import { costOf } from '../../../world/graphql/query-cost.ts';
import { createGraphqlSchemaOf } from '../../../world/graphql/schema.ts';
import { aPullRequest, aScene, type Scene } from '../../world/a-world.ts';
import { connect, refOf } from './world-fixture.ts';

const signal = (): AbortSignal => new AbortController().signal;

let scene: Scene;

beforeEach(async () => {
  scene = await aScene();
});

afterEach(async () => {
  expect(scene.world.violations).toEqual([]);
  await scene.world.close();
});

async function anotherPullRequest(branch: string): Promise<number> {
  const { world, repo } = scene;
  await world.commit({ repo, branch, from: 'main', files: { [`${branch}.txt`]: branch }, login: 'dev' });
  return world.openPullRequest({ repo, head: branch, login: 'dev', title: branch });
}

describe('against the local GitHub', () => {
  it('readTogether gives of each pull request what a read of its own gives, with one query', async () => {
    const refs: PullRequestRef[] = [];
    const numbers = [await aPullRequest(scene), await anotherPullRequest('one'), await anotherPullRequest('two')];
    for (const number of numbers) refs.push(await refOf(scene, number));
    await scene.world.setCheck({ repo: scene.repo, at: numbers[1] ?? 0, name: 'gate', conclusion: 'failure' });
    const [first, ...others] = refs;
    if (first === undefined) throw new Error('there is no pull request');
    const alone = await Promise.all(refs.map((ref) => connect(scene).readPullRequest(ref, signal())));
    scene.world.calls.reset();
    const github = connect(scene);
    const together = [await github.readTogether(first, others, signal())];
    for (const ref of others) together.push(await github.readTogether(ref, [], signal()));

    expect(together).toEqual(alone);
    expect(together[1]?.checks).toMatchObject([{ name: 'gate', conclusion: 'failure' }]);
    const { graphql, byOperation } = scene.world.calls.read();
    expect([graphql, byOperation.get('graphql PullRequests')?.calls]).toEqual([1, 1]);
  });

  it('readAllAnnotations gives what GitHub holds of each check run', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    const annotation = { path: 'a.ts', startLine: 2, endLine: 3, level: 'failure', message: 'no' } as const;
    const unused = { title: null, rawDetails: null };
    await world.setCheck({
      ...{ repo, at: number, name: 'gate', conclusion: 'failure' },
      annotations: [{ ...annotation, ...unused }],
    });
    await world.setCheck({ repo, at: number, name: 'plain', conclusion: 'failure' });
    const github = connect(scene);
    const ref = await refOf(scene, number);
    const checks = (await github.readPullRequest(ref, signal()))?.checks ?? [];
    const annotations = await github.readAllAnnotations(ref.repository, checks, 50, signal());

    expect(checks.map(({ id, name }) => [name, annotations.get(id)])).toEqual([
      ['gate', [annotation]],
      ['plain', []],
    ]);
  });
});

describe('the query for ten pull requests', () => {
  it('costs little more than ten alone: one point each by rounding down, and a twentieth of the nodes that GitHub gives', () => {
    const cost = costOf(createGraphqlSchemaOf()(), { query: toPullRequestsQuery(10) });

    expect(cost.operation).toBe('PullRequests');
    expect(cost.points).toBe(13);
    expect(cost.nodes).toBeLessThan(50_000);
  });
});
