import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { appJwt, at, installationToken, rest } from './app-client.ts';

let scene: Scene;
let number: number;

beforeAll(async () => {
  scene = await aScene();
  number = await aPullRequest(scene);
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

describe('an App JWT', () => {
  it('is accepted for ten minutes at most', async () => {
    const right = await rest(scene.world, appJwt(scene.world, 590), 'GET /app');
    const long = await rest(scene.world, appJwt(scene.world, 3600), 'GET /app');
    const old = await rest(scene.world, appJwt(scene.world, -10), 'GET /app');

    expect([right.status, long.status, old.status]).toEqual([200, 401, 401]);
    expect(at(right.body, 'slug')).toBe('ratchet-bot');
  });

  it('signed by another key is refused', async () => {
    const [header, claims] = appJwt(scene.world).split('.');

    const answer = await rest(scene.world, `${header ?? ''}.${claims ?? ''}.${'A'.repeat(342)}`, 'GET /app');

    expect(answer.status).toBe(401);
  });

  it('finds the installation of a repository', async () => {
    const found = await rest(scene.world, appJwt(scene.world), `GET /repos/${scene.repo}/installation`);
    const missing = await rest(scene.world, appJwt(scene.world), 'GET /repos/acme/nothing/installation');

    expect(at(found.body, 'id')).toBe(scene.installationId);
    expect(missing.status).toBe(404);
  });
});

describe('an installation token', () => {
  it('can be narrowed to repositories and permissions', async () => {
    const { world, installationId, repo } = scene;
    const second = await world.createRepository({ owner: 'acme', name: 'second' });
    world.installApp(second);

    const token = await installationToken(world, installationId, {
      repositories: ['second'],
      permissions: { checks: 'read' },
    });

    const repositories = await rest(world, token, 'GET /installation/repositories');
    expect(at(repositories.body, 'repositories', 0, 'full_name')).toBe(second);
    expect(at(repositories.body, 'total_count')).toBe(1);
    expect((await rest(world, token, `GET /repos/${repo}`)).status).toBe(404);
  });

  it.each([
    ['a repository outside the installation', { repositories: ['elsewhere'] }],
    ['a permission the App does not have', { permissions: { administration: 'write' } }],
  ])('is refused with 422 for %s', async (_name, body) => {
    const answer = await rest(
      scene.world,
      appJwt(scene.world),
      `POST /app/installations/${scene.installationId}/access_tokens`,
      body,
    );

    expect(answer.status).toBe(422);
  });

  it('without the permission gets 403 in GitHub’s words', async () => {
    const token = await installationToken(scene.world, scene.installationId, {
      permissions: { pull_requests: 'read' },
    });

    const answer = await rest(scene.world, token, `POST /repos/${scene.repo}/issues/${number}/comments`, {
      body: 'hi',
    });

    expect(answer.status).toBe(403);
    expect(at(answer.body, 'message')).toBe('Resource not accessible by integration');
  });

  it('can be handed back', async () => {
    const token = await installationToken(scene.world, scene.installationId);

    const first = await rest(scene.world, token, 'DELETE /installation/token');
    const second = await rest(scene.world, token, 'DELETE /installation/token');

    expect([first.status, second.status]).toEqual([204, 401]);
  });
});

describe('the API', () => {
  it('refuses unknown credentials with 401 even for what is public', async () => {
    const open = await scene.world.createRepository({ owner: 'else', name: 'open', private: false });

    const nobody = await rest(scene.world, null, `GET /repos/${open}`);
    const wrong = await rest(scene.world, 'ghs_wrong', `GET /repos/${open}`);

    expect([nobody.status, wrong.status]).toEqual([200, 401]);
  });

  it('hides private repositories the token does not cover', async () => {
    const secret = await scene.world.createRepository({ owner: 'else', name: 'secret' });

    expect((await rest(scene.world, scene.token, `GET /repos/${secret}`)).status).toBe(404);
  });

  it('lets only Apps create check runs, and only on commits there are', async () => {
    const { world, repo, token } = scene;
    const body = { name: 'x', head_sha: await world.headSha(repo, number) };

    const byUser = await rest(world, world.userToken('acme'), `POST /repos/${repo}/check-runs`, body);
    const onNothing = await rest(world, token, `POST /repos/${repo}/check-runs`, {
      name: 'x',
      head_sha: 'f'.repeat(40),
    });

    expect(byUser.status).toBe(403);
    expect(onNothing.status).toBe(422);
  });

  it('says what a collaborator may do; triage shows as read', async () => {
    scene.world.setPermission(scene.repo, 'tess', 'triage');
    scene.world.createUser('stranger');
    const read = async (login: string): Promise<unknown> => {
      return (await rest(scene.world, scene.token, `GET /repos/${scene.repo}/collaborators/${login}/permission`)).body;
    };

    expect(await read('tess')).toMatchObject({ permission: 'read', role_name: 'triage' });
    expect(await read('stranger')).toMatchObject({ permission: 'none' });
    expect(await read('acme')).toMatchObject({ permission: 'admin' });
    expect(await read('nobody-at-all')).toMatchObject({ message: 'Not Found' });
  });

  it('does not let another app’s check run be changed', async () => {
    const { world, repo, token } = scene;
    const id = await world.setCheck({ repo, at: number, name: 'theirs', conclusion: 'failure' });

    const answer = await rest(world, token, `PATCH /repos/${repo}/check-runs/${id}`, { conclusion: 'success' });

    expect(answer.status).toBe(403);
  });

  it('writes nothing to an archived repository', async () => {
    const { world, token } = scene;
    const repo = await world.createRepository({ owner: 'acme', name: 'old' });
    world.installApp(repo);
    await world.commit({ repo, branch: 'x', files: { a: 'a' } });
    const pull = await world.openPullRequest({ repo, head: 'x' });
    const fresh = await installationToken(world, scene.installationId);
    world.archive(repo);

    const answer = await rest(world, fresh, `POST /repos/${repo}/issues/${pull}/comments`, { body: 'hi' });

    expect(answer.status).toBe(403);
    expect(token).not.toBe(fresh);
  });
});
