import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSha, type Sha } from '../../../src/core/model/ids.ts';
import type { MergeProbe } from '../../../src/ports/git.ts';
import {
  createTestSession,
  type FileSpec,
  PULL_NUMBER,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';

let session: TestSession;

beforeEach(async () => {
  session = await createTestSession({ f: 'ours\n' }, { common: { f: 'common\n', g: 'common\n' } });
});

afterEach(async () => {
  await session.remove();
});

async function open(number: number, files: Readonly<Record<string, FileSpec>>, parent?: Sha | null): Promise<Sha> {
  const main = parent === undefined ? await session.remote.head('main') : parent;
  const sha = await session.remote.commit(`pull-${String(number)}`, files, { parent: main });
  await session.remote.git(['update-ref', `refs/pull/${String(number)}/head`, sha]);
  return sha;
}

async function probe(
  pulls: Readonly<Record<number, Sha>>,
  baseRef = 'main',
): Promise<{ readonly baseSha: Sha; readonly found: Readonly<Record<number, MergeProbe>> }> {
  const { git, repository, remote, signal } = session;
  const list = Object.entries(pulls).map(([number, headSha]) => ({ number: Number(number), headSha }));
  const { baseSha, probes } = await git.probeMerges(repository.mirror, { baseRef, pulls: list }, remote.access, signal);
  return { baseSha, found: Object.fromEntries(probes) };
}

describe('probeMerges', () => {
  it('says of each pull request whether it merges into the base as it is now, heads that it has never seen among them', async () => {
    const clean = await open(11, { g: 'changed\n' });
    const conflict = await open(12, { f: 'other\n' });
    const base = await session.remote.commit('main', { f: 'of main\n' });

    const { baseSha, found } = await probe({ [PULL_NUMBER]: session.headSha, 11: clean, 12: conflict });

    expect(baseSha).toBe(base);
    expect(found).toEqual({ [PULL_NUMBER]: 'conflict', 11: 'clean', 12: 'conflict' });
  });

  it('sees the base move, and leaves no file of a merge in the mirror', async () => {
    const { mirror } = session.repository;
    const head = await open(11, { f: 'other\n' });
    expect((await probe({ 11: head })).found).toEqual({ 11: 'clean' });
    await session.remote.commit('main', { f: 'of main\n' });
    expect((await probe({ 11: head })).found).toEqual({ 11: 'conflict' });
    await session.remote.commit('main', { f: 'other\n' });
    expect((await probe({ 11: head })).found).toEqual({ 11: 'clean' });

    expect(await readdir(join(mirror.gitDir, 'scratch'))).toEqual([]);
    expect((await readdir(mirror.objectsDir)).filter((name) => name.length === 2)).toEqual([]);
  });

  it('does not know a head that is not the pull request’s (any more), nor one without a common commit, and goes on behind them', async () => {
    const lone = await open(11, { x: 'x\n' }, null);
    const last = await open(13, { g: 'changed\n' });
    const gone = parseSha('d'.repeat(40));
    await session.remote.git(['update-ref', 'refs/pull/12/head', last]);

    const { found } = await probe({ [PULL_NUMBER]: session.headSha, 11: lone, 12: last, 13: last });
    expect(found).toEqual({ [PULL_NUMBER]: 'clean', 11: 'unknown', 12: 'clean', 13: 'clean' });
    await session.remote.git(['update-ref', 'refs/pull/14/head', last]);
    expect((await probe({ 13: last, 14: gone })).found).toEqual({ 13: 'clean', 14: 'unknown' });
  });

  it('answers for the heads that it has where another one’s reference is gone', async () => {
    const known = await open(11, { g: 'changed\n' });
    await probe({ 11: known });
    const base = await session.remote.commit('main', { f: 'of main\n' });

    const { baseSha, found } = await probe({ [PULL_NUMBER]: session.headSha, 11: known, 77: parseSha('d'.repeat(40)) });

    expect(baseSha).toBe(base);
    expect(found).toEqual({ [PULL_NUMBER]: 'conflict', 11: 'clean', 77: 'unknown' });
  });

  it('gives up after a bounded number of pairs that cannot be merged', async () => {
    const lone = await open(11, { x: 'x\n' }, null);
    const last = await open(99, { g: 'changed\n' });
    const loners = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [20 + index, lone]));
    for (const number of Object.keys(loners))
      await session.remote.git(['update-ref', `refs/pull/${number}/head`, lone]);

    const { found } = await probe({ ...loners, 99: last });

    expect(found[99]).toBe('unknown');
  }, 60_000);

  it('asks about nobody where there is nobody', async () => {
    expect((await probe({})).found).toEqual({});
  });

  it.each([
    ['a base that is gone', 'no-such-branch'],
    ['a base whose name is no branch', '--upload-pack=touch x'],
  ])('fails on %s, and the mirror stays as it was', async (_what, baseRef) => {
    await expect(probe({ [PULL_NUMBER]: session.headSha }, baseRef)).rejects.toMatchObject({ code: 'FETCH_FAILED' });
    expect((await probe({ [PULL_NUMBER]: session.headSha })).found).toEqual({ [PULL_NUMBER]: 'clean' });
  });

  it('makes no mirror anew that was evicted meanwhile', async () => {
    const { git, repository, remote, signal } = session;
    const mirror = { ...repository.mirror, repositoryId: 99 };

    await expect(git.probeMerges(mirror, { baseRef: 'main', pulls: [] }, remote.access, signal)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      retry: 'later',
    });
    expect(await git.openMirror(99)).toBeNull();
    expect(await git.openMirror(REPOSITORY.repositoryId)).not.toBeNull();
  });
});
