import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSha } from '../../../src/core/model/ids.ts';
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

async function branchOf(number: number): Promise<string> {
  return (await scene.world.pullRequest(scene.repo, number)).headBranch;
}

describe('against the local GitHub', () => {
  it('readPushes names who moved the branch, newest first: the pusher, not the author of a commit (S17)', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    const { repository } = await refOf(scene, number);
    const branch = await branchOf(number);
    const opened = await world.headSha(repo, number);
    const formatted = await world.commit({ repo, branch, files: { 'style.txt': '1' }, login: 'formatter[bot]' });
    world.createUser('dev');
    await world.moveBranch(repo, branch, opened, 'dev');

    const pushes = await connect(scene).readPushes(repository, branch, signal());

    expect(pushes.slice(0, 2)).toMatchObject([
      { before: formatted, after: opened, by: { login: 'dev', kind: 'user' } },
      { before: opened, after: formatted, by: { login: 'formatter[bot]', kind: 'bot' } },
    ]);
    expect(pushes.at(-1)?.before).toBe('0'.repeat(40));
  });

  it('readBlobs reads files at several commits with one query; one that is not there is null', async () => {
    const { world, repo } = scene;
    const number = await aPullRequest(scene);
    const { repository } = await refOf(scene, number);
    const branch = await branchOf(number);
    const before = parseSha(await world.headSha(repo, number));
    const after = parseSha(await world.commit({ repo, branch, files: { 'a b.txt': 'one\n' }, login: 'dev' }));
    const github = connect(scene);
    world.calls.reset();

    const refs = [before, after].map((sha) => ({ sha, path: 'a b.txt' }));
    const [none, one] = await github.readBlobs(repository, refs, signal());

    expect([none, one?.text]).toEqual([null, 'one\n']);
    expect(world.calls.read().byOperation.get('graphql Blobs')?.calls).toBe(1);
    expect(await github.readBlobs(repository, [], signal())).toEqual([]);
  });

  it('readPullRequest names the other open pull requests of the branch, and none of a fork (S18)', async () => {
    const { world, repo } = scene;
    const first = await aPullRequest(scene);
    const branch = await branchOf(first);
    const github = connect(scene);
    await world.commit({ repo, branch: 'release', from: 'main', files: { 'r.txt': 'r' }, login: 'dev' });
    const second = await world.openPullRequest({ repo, head: branch, base: 'release', login: 'dev' });
    const fork = await world.createFork(repo, 'stranger');
    await world.commit({ repo: fork, branch, from: 'main', files: { 'f.txt': 'f' }, login: 'stranger' });
    const third = await world.openPullRequest({ repo, headRepo: fork, head: branch, base: 'main', login: 'stranger' });

    const besideOf = async (number: number) =>
      (await github.readPullRequest(await refOf(scene, number), signal()))?.beside;
    expect([await besideOf(first), await besideOf(second), await besideOf(third)]).toEqual([[second], [first], []]);
    await world.closePullRequest({ repo, number: second, login: 'dev' });
    expect(await besideOf(first)).toEqual([]);
  });
});
