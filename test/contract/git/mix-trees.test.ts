import { afterEach, describe, expect, it } from 'vitest';
import type { Sha } from '../../../src/core/model/ids.ts';
import { createTestSession, type FileSpec, type TestSession } from '../../support/git-repository.ts';

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A session whose head has these files, and a tree of the same repository with others in their place. */
async function startWith(files: Readonly<Record<string, FileSpec>>): Promise<TestSession> {
  const session = await createTestSession(files);
  ends.push(session.remove);
  return session;
}

async function textsOf(
  { git, repository, signal }: TestSession,
  treeish: Sha,
): Promise<Readonly<Record<string, string>>> {
  const paths = await git.listFiles(repository, signal, treeish);
  return git.readFiles(repository, { treeish, paths, maxBytes: 1024 }, signal);
}

describe('a tree with some paths of another', () => {
  it('has those paths as they are there, and nothing else of it', async () => {
    const session = await startWith({ 'src/a.py': 'old', 'tests/a.py': 'old', 'tests/gone.py': 'old' });
    const { git, repository, headSha, signal } = session;
    const files = { 'src/a.py': 'new', 'tests/a.py': 'new', 'tests/gone.py': null, 'tests/added.py': 'new' };
    const from = await git.writeTree(repository, { treeSha: headSha, files }, signal);
    const paths = ['tests/a.py', 'tests/gone.py', 'tests/added.py'];

    const mixed = await git.mixTrees(repository, { treeSha: headSha, from, paths }, signal);

    expect(await textsOf(session, mixed)).toMatchObject({
      'src/a.py': 'old',
      'tests/a.py': 'new',
      'tests/added.py': 'new',
    });
    expect(Object.keys(await textsOf(session, mixed))).not.toContain('tests/gone.py');
    expect(await git.mixTrees(repository, { treeSha: mixed, from: headSha, paths }, signal)).toBe(
      await git.writeTree(repository, { treeSha: headSha, files: {} }, signal),
    );
  });

  it('may have a file where a folder was, and a folder where a file was', async () => {
    const session = await startWith({ 'tests/a/b.py': 'old', keep: 'old' });
    const { git, repository, headSha, signal } = session;
    const files = { 'tests/a/b.py': null, 'tests/a': 'new' };
    const from = await git.writeTree(repository, { treeSha: headSha, files }, signal);
    const paths = ['tests/a', 'tests/a/b.py'];

    const mixed = await git.mixTrees(repository, { treeSha: headSha, from, paths }, signal);
    const back = await git.mixTrees(repository, { treeSha: from, from: headSha, paths }, signal);

    expect(await textsOf(session, mixed)).toMatchObject({ 'tests/a': 'new', keep: 'old' });
    expect(await textsOf(session, back)).toMatchObject({ 'tests/a/b.py': 'old', keep: 'old' });
  });

  it('takes what is no text as it is, and its mode', async () => {
    const session = await startWith({ 'tests/a.bin': 'old' });
    const { git, repository, headSha, signal } = session;
    const binary = await git.writeTree(repository, { treeSha: headSha, files: { 'tests/a.bin': '\0\u0001' } }, signal);

    const mixed = await git.mixTrees(repository, { treeSha: headSha, from: binary, paths: ['tests/a.bin'] }, signal);

    expect(mixed).toBe(binary);
  });
});
