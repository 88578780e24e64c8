import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explainMerge } from '../../src/cli/explain-merge.ts';
import type { Sha } from '../../src/core/model/ids.ts';
import { createRemoteRepository, createTempFolder, type RemoteRepository } from '../support/git-repository.ts';
import { NEVER } from '../support/never.ts';

const Answer = z.strictObject({
  verdict: z.enum(['accepted', 'refused']),
  violations: z.array(z.strictObject({ code: z.string(), path: z.string().nullable(), message: z.string() })),
  tests: z.unknown().optional(),
});

const LINES = ['one', 'two', 'three', 'four', 'five'];

function text(change: Readonly<Record<number, string>> = {}): string {
  return LINES.map((line, index) => `${change[index] ?? line}\n`).join('');
}

interface Stage {
  readonly folder: string;
  readonly remote: RemoteRepository;
  /** Two sides that changed the second line of `a.txt` and of `.github/workflows/ci.yml`, and each a file of its own. */
  readonly sides: readonly [Sha, Sha];
  readonly remove: () => Promise<void>;
}

async function createStage(): Promise<Stage> {
  const { path: folder, remove } = await createTempFolder();
  const remote = await createRemoteRepository(folder);
  const ci = '.github/workflows/ci.yml';
  const base = await remote.commit('main', {
    ...{ 'a.txt': text(), 'own.txt': text(), 'same.txt': 'x\n', [ci]: text(), 'a.test.js': text() },
    'package.json': '{"scripts":{"test":"node --test"}}\n',
  });
  const head = await remote.commit(
    'fix',
    { 'a.txt': text({ 1: 'ours' }), 'own.txt': text({ 4: 'ours' }) },
    { parent: base },
  );
  const theirs = await remote.commit('main', { 'a.txt': text({ 1: 'theirs' }), 'own.txt': text({ 0: 'theirs' }) });
  return { folder: remote.gitDir, remote, sides: [head, theirs], remove };
}

describe('explain merge', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage();
  });
  afterAll(async () => {
    await stage.remove();
  });

  const ask = async (commit: string, repo = stage.folder): ReturnType<typeof explainMerge> =>
    explainMerge(['--repo', repo, commit, '--json'], { variables: { PATH: process.env['PATH'] }, stop: NEVER });
  const merge = async (files: Parameters<RemoteRepository['mergeCommit']>[2]): Promise<Sha> =>
    stage.remote.mergeCommit('merged', stage.sides, { 'own.txt': text({ 0: 'theirs', 4: 'ours' }), ...files });

  it.each<[string, Readonly<Record<string, string>>, readonly (readonly [string, string | null])[]]>([
    ['accepts a resolution that keeps both sides', { 'a.txt': text({ 1: 'ours and theirs' }) }, []],
    ['accepts one that takes a side', { 'a.txt': text({ 1: 'theirs' }) }, []],
    [
      'refuses markers that are left',
      { 'a.txt': text({ 1: '<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b' }) },
      [['MERGE_NOT_RESOLVED', 'a.txt']],
    ],
    [
      'refuses a change to a file that no side changed',
      { 'a.txt': text({ 1: 'both' }), 'same.txt': 'y\n' },
      [['MERGE_NOT_RESOLVED', 'same.txt']],
    ],
    [
      'refuses a protected path',
      { 'a.txt': text({ 1: 'both' }), '.github/workflows/ci.yml': 'x\n' },
      [['PROTECTED_PATH', '.github/workflows/ci.yml']],
    ],
    ['refuses a secret', { 'a.txt': text({ 1: `key = 'ghp_${'a1B2'.repeat(9)}'` }) }, [['SECRET_FOUND', null]]],
  ])('%s', async (_what, files, violations) => {
    const { exitCode, stdout, stderr } = await ask(await merge(files));

    expect([exitCode, stderr]).toEqual([0, '']);
    const { verdict, violations: found } = Answer.parse(JSON.parse(stdout));
    expect(verdict).toBe(violations.length === 0 ? 'accepted' : 'refused');
    const shown = found.map(({ code, path }) => [code, path]);
    for (const violation of violations) expect(shown).toContainEqual(violation);
  });

  it('judges a merge without conflicts by what git makes of it', async () => {
    const { remote } = stage;
    const base = await remote.commit('clean', { a: '1\n', b: '1\n' }, { parent: null });
    const head = await remote.commit('clean-fix', { a: '2\n' }, { parent: base });
    const theirs = await remote.commit('clean', { b: '2\n' }, { parent: base });
    const faithful = await remote.mergeCommit('clean-1', [head, theirs], { b: '2\n' });
    const evil = await remote.mergeCommit('clean-2', [head, theirs], { b: '3\n' });

    expect(JSON.parse((await ask(faithful)).stdout)).toEqual({ verdict: 'accepted', violations: [] });
    expect(JSON.parse((await ask(evil)).stdout)).toMatchObject({ verdict: 'refused' });
  });

  it.each([
    ['a value that no side expects', 'toBe(8)', { verdict: 'held' }, 'EXPECTATION_CHANGED'],
    ['an assertion that is always true', 'expect(1).toBe(1)', { verdict: 'rejected' }, 'ASSERTION_TRIVIAL'],
  ])('tells what a resolution does to tests by itself: %s', async (...[, expected, tests, code]) => {
    const { remote } = stage;
    const toTest = (line: string): string => `it('adds', () => {\n  ${line};\n});\n`;
    const at = 'test/add.test.js';
    const branch = `tests-${expected.replaceAll(/\W/gu, '')}`;
    const files = { [at]: toTest('expect(add(1, 1)).toBe(5)'), 'package.json': '{"scripts":{"test":"jest"}}\n' };
    const base = await remote.commit(branch, files, { parent: null });
    const head = await remote.commit(`${branch}-fix`, { [at]: toTest('expect(add(1, 1)).toBe(6)') }, { parent: base });
    const theirs = await remote.commit(branch, { [at]: toTest('expect(add(1, 1)).toBe(7)') }, { parent: base });
    const line = expected.startsWith('toBe') ? `expect(add(1, 1)).${expected}` : expected;
    const commit = await remote.mergeCommit(`${branch}-merge`, [head, theirs], { [at]: toTest(line) });
    const side = await remote.mergeCommit(`${branch}-side`, [head, theirs], {
      [at]: toTest('expect(add(1, 1)).toBe(7)'),
    });

    const answer = Answer.parse(JSON.parse((await ask(commit)).stdout));
    expect(answer.tests).toMatchObject(tests);
    expect(JSON.stringify(answer.tests)).toContain(code);
    expect(answer.verdict).toBe(expected.startsWith('toBe') ? 'accepted' : 'refused');
    expect(JSON.parse((await ask(side)).stdout)).toEqual({ verdict: 'accepted', violations: [] });
  });

  it('takes the policy of the base branch, and refuses an invalid one', async () => {
    const { remote, sides } = stage;
    const strict = await remote.commit(
      'strict',
      { '.github/ratchet.yml': 'changes:\n  allowedPaths: ["src/"]\n' },
      { parent: sides[1] },
    );
    const broken = await remote.commit('broken', { '.github/ratchet.yml': 'changes: [\n' }, { parent: sides[1] });
    const files = { 'a.txt': text({ 1: 'both' }), 'own.txt': text({ 0: 'theirs', 4: 'ours' }) };
    const policy = { '.github/ratchet.yml': 'changes:\n  allowedPaths: ["src/"]\n' };

    const judged = await ask(await remote.mergeCommit('m1', [sides[0], strict], { ...files, ...policy }));
    expect(JSON.parse(judged.stdout)).toMatchObject({ violations: [{ code: 'PATH_NOT_ALLOWED', path: 'a.txt' }] });
    const refused = await ask(await remote.mergeCommit('m2', [sides[0], broken], files));
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(
      /^ratchet: explain merge: \.github\/ratchet\.yml of the base branch, line \d+: .*\n$/u,
    );
  });

  it('writes nothing to the repository', async () => {
    const commit = await merge({ 'a.txt': text({ 1: 'both' }) });
    const before = await digest(stage.folder);
    await ask(commit);

    expect(await digest(stage.folder)).toBe(before);
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ['no arguments', () => [], /say which: --repo DIR COMMIT/u],
    ['no commit', () => ['--repo', stage.folder], /say which: --repo DIR COMMIT/u],
    ['an unknown flag', () => ['--repo', stage.folder, '--fast', 'x'], /--fast/u],
    ['two commits', () => ['--repo', stage.folder, 'main', 'fix'], /unexpected argument "fix"/u],
    ['a folder without git', () => ['--repo', '/proc', 'main'], /\/proc is no git repository/u],
    ['a folder that does not exist', () => ['--repo', '/nowhere', 'main'], /\/nowhere is no git repository/u],
    ['an unknown commit', () => ['--repo', stage.folder, 'gone'], /has no commit "gone"/u],
    ['a name like a flag', () => ['--repo', stage.folder, '--', '--all'], /has no commit "--all"/u],
    [
      'a commit that is no merge',
      () => ['--repo', stage.folder, 'fix'],
      /has 1 parents, and a merge of a base branch has 2/u,
    ],
  ])('refuses %s in one line', async (_what, args, problem) => {
    const { exitCode, stdout, stderr } = await explainMerge(args(), {
      variables: { PATH: process.env['PATH'] },
      stop: NEVER,
    });

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(problem);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

async function digest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(path);
    hash.update(await readFile(path).catch(() => ''));
  }
  return hash.digest('hex');
}
