import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPullRequest, aScene, type Scene } from './a-world.ts';
import { at, rest } from './app-client.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await aScene();
});

afterAll(async () => {
  const { violations } = scene.world;
  await scene.world.close();
  expect(violations).toEqual([]);
});

async function read(number: number): Promise<unknown> {
  return (await rest(scene.world, scene.token, `GET /repos/${scene.repo}/pulls/${number}`)).body;
}

describe('a pull request', () => {
  it('follows its branch', async () => {
    const number = await aPullRequest(scene, 'follows');

    const sha = await scene.world.commit({
      repo: scene.repo,
      branch: 'follows',
      files: { 'b.txt': 'b\n' },
      login: 'ann',
    });

    expect(at(await read(number), 'head', 'sha')).toBe(sha);
    expect(at(await read(number), 'changed_files')).toBe(2);
  });

  it('follows a forced push back', async () => {
    const number = await aPullRequest(scene, 'forced');

    const sha = await scene.world.forcePush({
      repo: scene.repo,
      branch: 'forced',
      from: 'main',
      files: { 'c.txt': 'c\n' },
    });

    expect(at(await read(number), 'head', 'sha')).toBe(sha);
    expect(at(await read(number), 'commits')).toBe(1);
  });

  it('is mergeable until its base changes the same line, and again after the conflict is resolved', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene, 'conflicts');
    expect(at(await read(number), 'mergeable')).toBe(true);

    const main = await world.commit({ repo, branch: 'main', files: { 'a.txt': 'one\ntwo by main\nthree\n' } });
    const conflicted = await read(number);
    await world.forcePush({ repo, branch: 'conflicts', from: main, files: { 'd.txt': 'd\n' } });

    expect(at(conflicted, 'mergeable')).toBe(false);
    expect(at(conflicted, 'mergeable_state')).toBe('dirty');
    expect(at(await read(number), 'mergeable')).toBe(true);
  });

  it('of a fork has its own head and leaves the check run’s pull requests empty', async () => {
    const { world, repo, token } = scene;
    const fork = await world.createFork(repo, 'fiona');
    await world.commit({ repo: fork, branch: 'patch', files: { 'e.txt': 'e\n' }, login: 'fiona' });
    const number = await world.openPullRequest({ repo, headRepo: fork, head: 'patch', login: 'fiona' });

    const sha = await world.commit({ repo: fork, branch: 'patch', files: { 'e.txt': 'f\n' }, login: 'fiona' });
    const check = await rest(world, token, `POST /repos/${repo}/check-runs`, { name: 'x', head_sha: sha });

    expect(at(await read(number), 'head', 'sha')).toBe(sha);
    expect(at(await read(number), 'head', 'repo', 'full_name')).toBe('fiona/widget');
    expect(at(check.body, 'pull_requests')).toEqual([]);
  });

  it('is closed when its branch is deleted', async () => {
    const number = await aPullRequest(scene, 'deleted');

    await scene.world.deleteBranch(scene.repo, 'deleted');

    expect(at(await read(number), 'state')).toBe('closed');
  });

  it('is merged by the merge button, and the base branch has its change', async () => {
    const { world, repo } = scene;
    await world.commit({ repo, branch: 'merged', files: { 'g.txt': 'g\n' }, login: 'ann' });
    const number = await world.openPullRequest({ repo, head: 'merged', login: 'ann' });

    const outcome = await world.merge({ repo, number, login: 'ann' });

    expect(outcome.kind).toBe('merged');
    expect(at(await read(number), 'merged')).toBe(true);
    expect(await world.fileAt(repo, 'main', 'g.txt')).toBe('g\n');
  });

  it('takes its base in by update-branch, unless the head is not the expected one', async () => {
    const { world, repo, token } = scene;
    await world.commit({ repo, branch: 'behind', files: { 'h.txt': 'h\n' }, login: 'ann' });
    const number = await world.openPullRequest({ repo, head: 'behind', login: 'ann' });
    const main = await world.commit({ repo, branch: 'main', files: { 'i.txt': 'i\n' } });
    const head = await world.headSha(repo, number);
    const route = `PUT /repos/${repo}/pulls/${number}/update-branch`;

    const wrong = await rest(world, token, route, { expected_head_sha: main });
    const right = await rest(world, token, route, { expected_head_sha: head });

    expect([wrong.status, right.status]).toEqual([422, 202]);
    expect((await world.log(repo, number, 1))[0]?.parents).toEqual([head, main]);
  });

  it('calls a thread outdated when its line changes, not when another line does', async () => {
    const { world, repo } = scene;
    await world.commit({ repo, branch: 'threads', files: { 'j.txt': 'one\ntwo\nthree\n' }, login: 'ann' });
    const number = await world.openPullRequest({ repo, head: 'threads', login: 'ann' });
    await world.reviewComment({ repo, number, path: 'j.txt', line: 2, body: 'Why two?', login: 'rob' });

    await world.commit({ repo, branch: 'threads', files: { 'j.txt': 'one\ntwo\nTHREE\n' }, login: 'ann' });
    const [before] = await world.threads(repo, number);
    await world.commit({ repo, branch: 'threads', files: { 'j.txt': 'one\n2\nTHREE\n' }, login: 'ann' });
    const [after] = await world.threads(repo, number);

    expect([before?.isOutdated, after?.isOutdated]).toEqual([false, true]);
  });
});
