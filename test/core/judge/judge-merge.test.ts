import { describe, expect, it } from 'vitest';
import { judgeMerge, type MergeToJudge } from '../../../src/core/judge/judge-merge.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { Resolution, ResolvedFile } from '../../../src/core/model/resolution.ts';
import type { TreeChange } from '../../../src/core/model/tree-change.ts';
import { aChange } from '../../support/builders.ts';

const FILE = 'src/a.ts';
const OURS = 'one\nours\nthree\n';
const THEIRS = 'one\ntheirs\nthree\n';
const BOTH = 'one\nours\ntheirs\nthree\n';
const TITLE = 'Install\n=======\n';
const REFUSED = [`MERGE_NOT_RESOLVED ${FILE}`];
const MARKED = '<<<<<<< 1234\nours\n=======\ntheirs\n>>>>>>> 5678\n';

function aFile(change: Partial<ResolvedFile> = {}): ResolvedFile {
  const texts = { base: 'one\nthree\n', ours: OURS, theirs: THEIRS, merged: `one\n${MARKED}three\n`, result: BOTH };
  return { path: FILE, ...texts, isUnreadable: false, ...change };
}

function judge(
  files: readonly ResolvedFile[],
  more: { readonly changes?: readonly TreeChange[]; readonly patch?: string } & Partial<Resolution> = {},
): readonly string[] {
  const { changes, patch = '', named = files.map(({ path }) => path) } = more;
  const { beside = [], regenerated = [] } = more;
  const differing = more.differing ?? beside.map(({ path }) => path);
  const merge: MergeToJudge = {
    changes: changes ?? [...files, ...beside].map(({ path }) => aChange({ path })),
    patch,
    policy: DEFAULT_POLICY.changes,
    resolution: { files, beside, named, differing, regenerated },
  };
  return judgeMerge(merge).map(({ code, paths }) => `${code} ${paths.join(' ')}`.trim());
}

describe('judgeMerge', () => {
  it('lets a clean merge pass that changes nothing of what git made (S15)', () => {
    const policy = DEFAULT_POLICY.changes;

    expect(judgeMerge({ changes: [], patch: '', policy, resolution: null })).toEqual([]);
  });

  it('lets nothing be changed where nothing was in conflict (S15)', () => {
    const policy = DEFAULT_POLICY.changes;

    const violations = judgeMerge({ changes: [aChange({ path: FILE })], patch: '', policy, resolution: null });

    expect(violations.map(({ code }) => code)).toEqual(['MERGE_NOT_RESOLVED']);
  });

  it('lets conflicts pass that were resolved in their files', () => {
    expect(judge([aFile()])).toEqual([]);
  });

  it('refuses changes in which the sides do not differ, and names three of them (S15)', () => {
    const changes = ['a', 'b', 'c', 'd', FILE].map((path) => aChange({ path }));

    const [violation] = judgeMerge({
      changes,
      patch: '',
      policy: DEFAULT_POLICY.changes,
      resolution: { files: [aFile()], beside: [], named: [FILE], differing: [FILE], regenerated: [] },
    });

    expect(violation).toEqual({
      code: 'MERGE_NOT_RESOLVED',
      paths: ['a', 'b', 'c', 'd'],
      message:
        'Files were changed that are not in conflict and in which the sides do not differ: "a", "b", "c" and 1 more.',
    });
    expect(judge([aFile()], { changes: changes.slice(1) })).toEqual(['MERGE_NOT_RESOLVED b c d']);
  });

  it('lets the paths be touched that git names in a rename conflict (trap 88)', () => {
    const changes = [aChange({ path: 'old.ts', kind: 'deleted' }), aChange({ path: FILE })];

    expect(judge([aFile()], { changes, named: ['old.ts', FILE] })).toEqual([]);
    expect(judge([aFile()], { changes, named: [FILE] })).toEqual(['MERGE_NOT_RESOLVED old.ts']);
  });

  it.each([
    ['all of them', MARKED],
    ['only the first', '<<<<<<< ours\nx\n'],
    ['only the last', 'x\n>>>>>>> theirs'],
    ['only the one between', 'ours\n=======\ntheirs\n'],
    ['only that of the merge base', '||||||| 1234\n'],
    ['of a merge in a merge', '<<<<<<<<< x\n'],
    ['that of the merge base, of a custom size (L20)', '||||||||| 1234\n'],
    ['bare ones', '<<<<<<<\n'],
    ['indented ones', 'if (x) {\n  <<<<<<< ours\n}\n'],
    ['those of the style zdiff3', '<<<<<<< a\nours\n||||||| 1234\n=======\ntheirs\n>>>>>>> b\n'],
    ['with the line ends of Windows', 'ours\r\n=======\r\ntheirs\r\n'],
  ])('finds markers that are left anywhere in the file: %s', (_what, result) => {
    expect(judge([aFile({ result })])).toEqual([`MERGE_NOT_RESOLVED ${FILE}`]);
  });

  it.each([
    ['an underlined title of another length', 'Title\n=====\n\nOther\n========\n'],
    ['marks in the middle of a line', 'a <<<<<<< b\nx ======= y\n'],
    ['marks that go on', '=======x\n<<<<<<<x\n'],
    ['six of them', '<<<<<< a\n>>>>>> b\n====== \n'],
  ])('does not take for markers: %s', (_what, result) => {
    expect(judge([aFile({ result })])).toEqual([]);
  });

  it('lets marker-like lines stay that the sides have, as often as both have them together', () => {
    const title = 'Install\n=======\n';
    const sides = { ours: `${title}ours\n`, theirs: `${title}theirs\n` };

    expect(judge([aFile({ ...sides, result: `${title}ours\n${title}theirs\n` })])).toEqual([]);
    expect(judge([aFile({ ...sides, result: `${title}ours\n=======\n${title}theirs\n` })])).toEqual([
      `MERGE_NOT_RESOLVED ${FILE}`,
    ]);
    expect(judge([aFile({ ours: MARKED, theirs: null, result: MARKED })])).toEqual([]);
  });

  it.each([
    [
      'left between the sides, where it underlines a title elsewhere',
      TITLE,
      `${TITLE}ours\n=======\ntheirs\n`,
      REFUSED,
    ],
    ['as often as before', TITLE, `${TITLE}ours\ntheirs\n`, []],
    ['kept by one side alone', `${TITLE}${TITLE}`, `${TITLE}ours\n`, []],
    ['added by both sides', '', `${TITLE}${TITLE}`, []],
    ['added by both sides, and left once more', '', `${TITLE}${TITLE}=======\n`, REFUSED],
  ])('tells a mark from content by what the merge base had: %s', (_what, base, result, expected) => {
    const sides = { base, ours: `${TITLE}ours\n`, theirs: `${TITLE}theirs\n` };

    expect(judge([aFile({ ...sides, result })])).toEqual(expected);
  });

  it('lets a mark stay that only one side still has', () => {
    expect(judge([aFile({ base: TITLE, ours: 'ours\n', theirs: `${TITLE}theirs\n`, result: TITLE })])).toEqual([]);
    expect(judge([aFile({ base: TITLE, ours: `${TITLE}ours\n`, theirs: 'theirs\n', result: TITLE })])).toEqual([]);
  });

  it('refuses a result that cannot be read', () => {
    expect(judge([aFile({ result: null, isUnreadable: true })])).toEqual([`MERGE_NOT_RESOLVED ${FILE}`]);
    expect(judge([aFile({ path: 'test/a.test.ts', result: null, isUnreadable: true })])).toEqual([
      'MERGE_NOT_RESOLVED test/a.test.ts',
    ]);
  });

  it.each([
    ['protected paths', 'CODEOWNERS', aChange({ path: 'CODEOWNERS' }), 'PROTECTED_PATH CODEOWNERS'],
    ['lockfiles', 'yarn.lock', aChange({ path: 'yarn.lock' }), 'PROTECTED_PATH yarn.lock'],
    ['unsafe entries', 'l', aChange({ path: 'l', newMode: '120000' }), 'UNSAFE_ENTRY l'],
  ])('holds what was resolved to the rules for %s', (_what, path, change, expected) => {
    expect(judge([aFile({ path })], { changes: [change] })).toEqual([expected]);
  });

  it('holds a file that a command made anew to no rule about its path', () => {
    const changes = [aChange({ path: 'yarn.lock', insertions: 50_000 })];

    expect(judge([], { changes, named: ['yarn.lock'], regenerated: ['yarn.lock'] })).toEqual([]);
    expect(judge([], { changes, named: ['yarn.lock'] })).not.toEqual([]);
  });

  it('holds a file that a command made anew to no size, whatever its name (L20)', () => {
    const paths = ['package-lock.json', 'a "b"/ü.lock'];
    const section = (name: string): string =>
      `diff --git ${name.replace('@', 'a')} ${name.replace('@', 'b')}\n@@ -1 +1 @@\n-x\n+${'y'.repeat(1_200_000)}\n`;
    const patch = section('@/package-lock.json') + section('"@/a \\"b\\"/\\303\\274.lock"');
    const changes = paths.map((path) => aChange({ path, insertions: 50_000 }));

    expect(judge([], { changes, patch, named: paths, regenerated: paths })).toEqual([]);
    expect(judge([], { changes, patch, named: paths, regenerated: paths.slice(1) })).toContain('DIFF_TOO_LARGE');
  });

  it('measures the lines and bytes that the resolution made up, and no regenerated file', () => {
    const patch = `diff --git a/yarn.lock b/yarn.lock\n@@ -1 +1 @@\n-x\n+${'y'.repeat(1_200_000)}\n`;
    const more = { patch, regenerated: ['yarn.lock'] };

    expect(judge([aFile({ result: 'new\n'.repeat(1_001) })], more)).toEqual(['DIFF_TOO_LARGE']);
    expect(judge([aFile({ result: `${OURS}${'y'.repeat(1_100_000)}\n` })], more)).toEqual(['DIFF_TOO_LARGE']);
    expect(judge([aFile()], more)).toEqual([]);
  });

  it('measures neither the markers nor the side that was not taken', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `theirs ${String(index)}\n`).join('');
    const theirs = `one\n${many}three\n`;
    const merged = `one\n<<<<<<< a\nours\n=======\n${many}>>>>>>> b\nthree\n`;
    const change = aChange({ path: FILE, insertions: 0, deletions: 1_004 });

    expect(judge([aFile({ theirs, merged, result: OURS })], { changes: [change] })).toEqual([]);
    expect(judge([aFile({ theirs, merged, result: theirs })], { changes: [change] })).toEqual([]);
  });

  it('finds Git LFS pointers among what was resolved (trap 51)', () => {
    const result = `version https://git-lfs.github.com/spec/v1\n${OURS}`;

    expect(judge([aFile({ result })])).toEqual([`UNSAFE_ENTRY ${FILE}`]);
  });
});

describe('judgeMerge, of tests in conflict', () => {
  const TEST = 'test/a.test.ts';
  const test = (change: Partial<ResolvedFile>): readonly string[] => {
    const deletions = aChange({ path: TEST, insertions: 0, deletions: 3 });
    return judge([aFile({ path: TEST, ...change })], { changes: [deletions] });
  };
  const DROPPED = [`TESTS_DELETED ${TEST}`];

  it.each<[string, Partial<ResolvedFile>, readonly string[]]>([
    ['both kept', {}, []],
    ['ours taken', { result: OURS }, []],
    ['theirs taken', { result: THEIRS }, []],
    ['what both added is gone', { result: 'one\nthree\n' }, DROPPED],
    ['lines of ours taken away', { theirs: null, result: 'one\nthree\n' }, DROPPED],
    ['lines of theirs taken away', { ours: null, result: 'theirs\n' }, DROPPED],
    ['emptied', { result: '' }, DROPPED],
    ['rewritten, shorter', { result: 'new\n' }, []],
    ['in another order', { ours: 'a\nb\nc\n', theirs: 'x\ny\nz\nw\n', result: 'c\na\n' }, []],
    ['deleted, though both have it', { result: null }, DROPPED],
    ['deleted as ours has it', { ours: null, result: null }, []],
    ['deleted as theirs has it', { theirs: null, result: null }, []],
  ])('measures them against both sides: %s', (_what, change, expected) => {
    expect(test(change)).toEqual(expected);
  });

  it('lets other files lose lines', () => {
    expect(judge([aFile({ result: 'one\nthree\n' })])).toEqual([]);
    expect(judge([aFile({ result: null })])).toEqual([]);
  });
});
