import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APP_PERMISSIONS } from '../../world/render/accounts.ts';
import { aPullRequest, aScene, CI_WORKFLOW, type Scene } from './a-world.ts';
import { installationToken } from './app-client.ts';
import { basic, type GitRun, runGit } from './git-client.ts';

let scene: Scene;
let dir: string;

beforeAll(async () => {
  scene = await aScene();
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

beforeEach(async () => {
  scene.world.faults.clear();
  scene.world.setAppPermissions(scene.repo, APP_PERMISSIONS);
  dir = await mkdtemp(path.join(tmpdir(), 'git-host-test-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true });
});

async function git(authorization: string | null, args: readonly string[]): Promise<GitRun> {
  return await runGit({ dir, url: scene.world.url, authorization }, args);
}

async function cloneAndCommit(token: string, file = 'new.txt'): Promise<void> {
  await git(basic(token), ['clone', '--quiet', `${scene.world.url}/${scene.repo}.git`, '.']);
  await execa('mkdir', ['-p', path.dirname(path.join(dir, file))]);
  await writeFile(path.join(dir, file), 'new\n');
  await git(null, ['add', '.']);
  await git(null, ['commit', '--quiet', '--message', 'add a file']);
}

describe('cloning', () => {
  it('works with an installation token as Basic password and as Bearer', async () => {
    const url = `${scene.world.url}/${scene.repo}.git`;

    const asBasic = await git(basic(scene.token), ['clone', '--quiet', url, 'one']);
    const asBearer = await git(`Bearer ${scene.token}`, ['clone', '--quiet', '--filter=blob:none', url, 'two']);

    expect([asBasic.exitCode, asBearer.exitCode]).toEqual([0, 0]);
    expect(await readFile(path.join(dir, 'one', 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it.each([
    ['no credentials', null],
    ['an unknown token', `Bearer ghs_${'x'.repeat(36)}`],
  ])('is refused with %s', async (_name, authorization) => {
    const result = await git(authorization, ['ls-remote', `${scene.world.url}/${scene.repo}.git`]);

    expect(result.exitCode).not.toBe(0);
    expect(scene.world.requests.at(-1)?.status).toBe(401);
  });

  it('hides a private repository outside the token', async () => {
    const other = await scene.world.createRepository({ owner: 'else', name: 'secret' });

    await git(basic(scene.token), ['ls-remote', `${scene.world.url}/${other}.git`]);

    expect(scene.world.requests.at(-1)?.status).toBe(404);
  });

  it('fetches one commit by its SHA and pull request heads', async () => {
    const number = await aPullRequest(scene);
    const url = `${scene.world.url}/${scene.repo}.git`;
    const sha = await scene.world.headSha(scene.repo, number);
    await git(null, ['init', '--quiet', '.']);

    const bySha = await git(basic(scene.token), ['fetch', '--quiet', '--depth=1', url, sha]);
    const refs = await git(basic(scene.token), ['ls-remote', url, `refs/pull/${number}/head`]);

    expect(bySha.exitCode).toBe(0);
    expect(refs.stdout).toContain(sha);
  });
});

describe('pushing', () => {
  it('moves the branch and tells the world before the push ends', async () => {
    await cloneAndCommit(scene.token);

    const result = await git(basic(scene.token), ['push', 'origin', 'HEAD:refs/heads/topic-4']);

    expect(result.exitCode).toBe(0);
    expect(scene.world.pushes.at(-1)).toMatchObject({
      repo: scene.repo,
      ref: 'refs/heads/topic-4',
      login: 'ratchet-bot[bot]',
    });
  });

  it('is refused with 403 for a token that may only read', async () => {
    const token = await installationToken(scene.world, scene.installationId, { permissions: { contents: 'read' } });
    await cloneAndCommit(token);

    const result = await git(basic(token), ['push', 'origin', 'HEAD:refs/heads/read-only']);

    expect(result.stderr).toContain('403');
    expect(scene.world.pushes.filter(({ ref }) => ref === 'refs/heads/read-only')).toEqual([]);
  });

  it('is refused when it touches a workflow without the workflows permission', async () => {
    await cloneAndCommit(scene.token, '.github/workflows/evil.yml');

    const result = await git(basic(scene.token), ['push', 'origin', 'HEAD:refs/heads/topic-6']);

    expect(result.exitCode).not.toBe(0);
    expect(result.stderr).toContain(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/evil.yml` without `workflows` permission',
    );
    expect(result.stderr).not.toContain('remote: ');
  });

  it('may touch a workflow with the workflows permission', async () => {
    scene.world.setAppPermissions(scene.repo, { contents: 'write', metadata: 'read', workflows: 'write' });
    const token = await installationToken(scene.world, scene.installationId);
    await cloneAndCommit(token, '.github/workflows/good.yml');

    const result = await git(basic(token), ['push', 'origin', 'HEAD:refs/heads/topic-7']);

    expect(result.exitCode).toBe(0);
  });

  it('can be refused with a message of one’s own', async () => {
    scene.world.faults.refusePush(scene.repo, 'protected branch hook declined');
    await cloneAndCommit(scene.token);

    const result = await git(basic(scene.token), ['push', 'origin', 'HEAD:refs/heads/topic-8']);

    expect(result.stderr).toContain('! [remote rejected] HEAD -> topic-8 (protected branch hook declined)');
  });

  it('of a merge of the base keeps both parents and moves the pull request', async () => {
    const { world, repo, token } = scene;
    const number = await aPullRequest(scene, 'behind');
    const head = await world.headSha(repo, number);
    const base = await world.commit({ repo, branch: 'main', files: { 'base.txt': 'base\n' } });
    await git(basic(token), ['clone', '--quiet', '--branch=behind', `${world.url}/${repo}.git`, '.']);
    await git(null, ['merge', '--quiet', '--no-edit', 'origin/main']);

    const result = await git(basic(token), ['push', 'origin', 'HEAD:refs/heads/behind']);

    expect(result.exitCode).toBe(0);
    const [merge] = await world.log(repo, number, 1);
    expect(merge?.parents).toEqual([head, base]);
    expect(await world.headSha(repo, number)).toBe(merge?.sha);
    expect(await world.fileAt(repo, number, 'base.txt')).toBe('base\n');
  });

  it('of a merge that brings the base’s own workflow needs no workflows permission', async () => {
    const { world, repo, token } = scene;
    await world.commit({ repo, branch: 'old', files: { 'old.txt': 'old\n' } });
    await world.commit({ repo, branch: 'main', files: { '.github/workflows/base.yml': CI_WORKFLOW } });
    await git(basic(token), ['clone', '--quiet', '--branch=old', `${world.url}/${repo}.git`, '.']);
    await git(null, ['merge', '--quiet', '--no-edit', 'origin/main']);

    const result = await git(basic(token), ['push', 'origin', 'HEAD:refs/heads/old']);

    expect(result.exitCode).toBe(0);
  });

  it('without force is refused when the branch has moved, and wins with force', async () => {
    await cloneAndCommit(scene.token);
    await scene.world.commit({ repo: scene.repo, branch: 'main', files: { 'b.txt': 'b\n' } });

    const plain = await git(basic(scene.token), ['push', 'origin', 'HEAD:refs/heads/main']);
    const forced = await git(basic(scene.token), ['push', '--force', 'origin', 'HEAD:refs/heads/main']);

    expect([plain.exitCode, forced.exitCode]).toEqual([1, 0]);
  });

  it('of a person needs write permission', async () => {
    const { world, repo } = scene;
    world.setPermission(repo, 'rob', 'read');
    world.setPermission(repo, 'wendy', 'write');
    await cloneAndCommit(scene.token);

    const reader = await git(basic(world.userToken('rob')), ['push', 'origin', 'HEAD:refs/heads/topic-10']);
    const writer = await git(basic(world.userToken('wendy')), ['push', 'origin', 'HEAD:refs/heads/topic-10']);

    expect(reader.stderr).toContain('403');
    expect(writer.exitCode).toBe(0);
    expect(world.pushes.at(-1)?.login).toBe('wendy');
  });
});
