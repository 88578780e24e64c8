import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenApiGate } from '../../world/schemas/openapi-gate.ts';
import { createWebhookGate } from '../../world/schemas/webhook-gate.ts';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { at, graphql, rest } from './app-client.ts';

let scene: Scene;
let known: number;

function violations(): readonly string[] {
  return scene.world.violations.slice(known);
}

beforeAll(async () => {
  scene = await aScene();
});

beforeEach(() => {
  known = scene.world.violations.length;
});

afterAll(async () => {
  await scene.world.close();
});

describe('the schema gate', () => {
  it.each([
    [
      '51 annotations',
      { output: { title: 't', summary: 's', annotations: annotations(51) } },
      'must NOT have more than 50 items',
    ],
    ['four buttons', { actions: [1, 2, 3, 4].map(button) }, 'must NOT have more than 3 items'],
    [
      'a long summary',
      { output: { title: 't', summary: 'x'.repeat(65_536) } },
      'must NOT have more than 65535 characters',
    ],
    ['a long label', { actions: [{ ...button(1), label: 'x'.repeat(21) }] }, 'must NOT have more than 20 characters'],
  ])('refuses a check run with %s', async (_name, extra, message) => {
    const { world, repo, token } = scene;
    const head_sha = await world.headSha(repo, 'main');

    const answer = await rest(world, token, `POST /repos/${repo}/check-runs`, { name: 'x', head_sha, ...extra });

    expect(answer.status).toBe(422);
    expect(violations().join('\n')).toContain(message);
  });

  it('refuses a query parameter GitHub does not have', async () => {
    await rest(scene.world, scene.token, `GET /repos/${scene.repo}/pulls?status=open`);

    expect(violations()).toEqual([
      'GET /repos/{owner}/{repo}/pulls query: / must NOT have additional properties (status)',
    ]);
  });

  it('answers 501 to a route the world does not serve, and remembers it', async () => {
    const answer = await rest(scene.world, scene.token, `GET /repos/${scene.repo}/topics`);

    expect(answer.status).toBe(501);
    expect(violations()).toEqual([`no route for GET /repos/${scene.repo}/topics`]);
  });

  it('refuses a GraphQL field GitHub does not have, in GitHub’s words', async () => {
    const number = await aPullRequest(scene);
    const query = `{ repository(owner: "acme", name: "widget") { pullRequest(number: ${number}) {
      reviewThreads(first: 1) { nodes { resolved } } } } }`;

    const answer = await graphql(scene.world, scene.token, query);

    expect(String(at(answer, 'errors', 0, 'message'))).toContain(
      'Cannot query field "resolved" on type "PullRequestReviewThread"',
    );
    expect(violations()).toHaveLength(1);
  });

  it('remembers a GraphQL field of GitHub’s that the world does not serve', async () => {
    await graphql(scene.world, scene.token, '{ repository(owner: "acme", name: "widget") { diskUsage } }');

    expect(violations()).toEqual(['graphql: The world does not serve Repository.diskUsage']);
  });

  it('catches an answer that GitHub would not give', () => {
    const gate = createOpenApiGate();
    const key = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';

    expect(gate.checkAnswer(key, 200, [{ filename: 'a' }]).length).toBeGreaterThan(0);
    expect(gate.checkAnswer(key, 200, [])).toEqual([]);
    expect(gate.checkAnswer(key, 204, null)).toEqual([`${key} answer 204 is not in the spec`]);
  });

  it('catches a webhook that GitHub would not send', () => {
    const gate = createWebhookGate();

    expect(gate('pull_request', { action: 'exploded' })).toEqual([
      'webhook pull_request$exploded is not a GitHub event',
    ]);
    expect(gate('pull_request', { action: 'opened', number: 'one' }).length).toBeGreaterThan(0);
  });

  it('finds the deepest operation of a path and decodes its parameters', () => {
    const gate = createOpenApiGate();

    expect(gate.match('GET', '/repos/a/b/commits/c/check-runs')?.key).toBe(
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    );
    expect(gate.match('GET', '/repos/a/b/contents/x%2Fy%20z')?.params).toEqual({
      owner: 'a',
      repo: 'b',
      path: 'x/y z',
    });
    expect(gate.match('DELETE', '/repos/a/b')).toBeNull();
  });
});

function annotations(count: number): readonly { readonly [key: string]: string | number }[] {
  return Array.from({ length: count }, (_value, index) => ({
    path: 'a.txt',
    start_line: index + 1,
    end_line: index + 1,
    annotation_level: 'notice',
    message: 'look',
  }));
}

function button(index: number): { readonly label: string; readonly description: string; readonly identifier: string } {
  return { label: `Button ${index}`, description: 'Does something', identifier: `button-${index}` };
}
