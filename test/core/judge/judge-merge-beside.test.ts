import { describe, expect, it } from 'vitest';
import { judgeMerge } from '../../../src/core/judge/judge-merge.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { ResolvedFile } from '../../../src/core/model/resolution.ts';
import type { TreeChange } from '../../../src/core/model/tree-change.ts';
import { aChange } from '../../support/builders.ts';

const BASE = 'start\nold\nend\n';
const NEW = 'start\nnew 1\nnew 2\nend\n';
const ADDED = 'line 1\nline 2\nline 3\nline 4\nline 5\n';
const CONFLICT = '<<<<<<< a\nours\n||||||| c\nbase\n=======\ntheirs\n>>>>>>> b\n';

/** A file that the base branch changed and git merged. */
function aMergedFile(change: Partial<ResolvedFile> = {}): ResolvedFile {
  const texts = { base: null, ours: BASE, theirs: NEW, merged: NEW, result: `${NEW}adapted\n` };
  return { path: 'src/b.ts', ...texts, isUnreadable: false, ...change };
}

/** A file in conflict, in which the base branch also added lines outside of the conflict. */
function aConflictedFile(change: Partial<ResolvedFile> = {}): ResolvedFile {
  return {
    path: 'src/a.ts',
    base: 'base\n',
    ours: 'ours\n',
    theirs: `theirs\n${ADDED}`,
    merged: `${CONFLICT}${ADDED}`,
    result: `ours\n${ADDED}`,
    isUnreadable: false,
    ...change,
  };
}

function judge(
  { files = [], beside = [] }: { files?: readonly ResolvedFile[]; beside?: readonly ResolvedFile[] },
  changes: readonly TreeChange[] = [...files, ...beside].map(({ path }) => aChange({ path })),
): readonly string[] {
  const toPaths = (of: readonly ResolvedFile[]): readonly string[] => of.map(({ path }) => path);
  const resolution = { files, beside, named: toPaths(files), differing: toPaths(beside), regenerated: [] };
  const violations = judgeMerge({ changes, patch: '', policy: DEFAULT_POLICY.changes, resolution });
  return violations.map(({ code, paths }) => `${code} ${paths.join(' ')}`);
}

describe('judgeMerge, of files that git merged', () => {
  const UNDONE = ['MERGE_NOT_RESOLVED src/b.ts'];

  it('lets a file be adapted in which the sides differ', () => {
    expect(judge({ files: [aConflictedFile()], beside: [aMergedFile()] })).toEqual([]);
  });

  it.each<[string, Partial<ResolvedFile>]>([
    ['as if the base branch had not touched it', { result: BASE }],
    ['with other lines beside', { result: `${BASE}more\n` }],
    ['with other blanks', { result: 'start\n\n  old\nend\n' }],
    ['as if the head had not touched it', { ours: NEW, theirs: BASE, result: BASE }],
    ['where a side only removed lines', { theirs: 'start\nend\n', merged: 'start\nend\n', result: BASE }],
    ['where a side only added lines', { theirs: `${BASE}new\n`, merged: `${BASE}new\n`, result: BASE }],
    ['where both sides changed it', { ours: `mine\n${BASE}`, merged: `mine\n${NEW}`, result: `mine\n${BASE}` }],
    ['by its deletion', { ours: null, result: null }],
    ['by the return of what a side deleted', { theirs: null, merged: null, result: BASE }],
  ])('refuses a resolution that undoes what one side did to it: %s', (_what, change) => {
    expect(judge({ beside: [aMergedFile(change)] })).toEqual(UNDONE);
  });

  it.each<[string, Partial<ResolvedFile>]>([
    ['a part of it', { result: 'start\nnew 1\nend\n' }],
    ['a line that both sides have', { result: 'start\nnew 1\nnew 2\n' }],
    ['only signs', { ours: '}\n', theirs: '}\n}\n', merged: '}\n}\n', result: '}\n' }],
  ])('lets go of %s', (_what, change) => {
    expect(judge({ beside: [aMergedFile(change)] })).toEqual([]);
  });

  it('lets lines move to another file', () => {
    const from = aMergedFile({
      ours: 'start\n',
      theirs: 'start\nmoved 1\nmoved 2\n',
      merged: 'start\nmoved 1\nmoved 2\n',
    });
    const to = aConflictedFile({ result: `ours\nmoved 1\n${ADDED}` });

    expect(judge({ files: [to], beside: [{ ...from, result: 'start\n' }] })).toEqual([]);
    expect(judge({ files: [aConflictedFile()], beside: [{ ...from, result: 'start\n' }] })).toEqual(UNDONE);
  });

  it.each<[string, string, Partial<ResolvedFile>, readonly string[]]>([
    ['markers', 'src/b.ts', { result: `<<<<<<< a\n${NEW}` }, ['MERGE_NOT_RESOLVED src/b.ts']],
    ['text that cannot be read', 'a.png', { result: null, isUnreadable: true }, ['MERGE_NOT_RESOLVED a.png']],
    ['protected paths', 'CODEOWNERS', {}, ['PROTECTED_PATH CODEOWNERS']],
    ['sizes', 'src/b.ts', { result: NEW + 'own\n'.repeat(1_001) }, ['DIFF_TOO_LARGE ']],
    ['hidden text', 'src/b.ts', { result: `${NEW}a\u202Eb\n` }, ['HIDDEN_TEXT src/b.ts']],
    ['lines of tests', 'test/b.test.ts', { result: 'start\nnew 1\nnew 2\n' }, ['TESTS_DELETED test/b.test.ts']],
  ])('holds it to the rules for %s', (_what, path, change, expected) => {
    expect(judge({ beside: [aMergedFile({ path, ...change })] })).toEqual(expected);
  });

  it('lets nobody change its mode', () => {
    const beside = [aMergedFile()];

    expect(judge({ beside }, [aChange({ path: 'src/b.ts', newMode: '100755' })])).toEqual(UNDONE);
  });

  it('lets tests go that only one side has, and no list of packages counts as a test', () => {
    const test = {
      path: 'test/b.test.ts',
      theirs: `${NEW}expect(1);\nexpect(2);\n`,
      merged: `${NEW}expect(1);\nexpect(2);\n`,
    };
    const list = { path: 'test-requirements.txt', result: 'start\nnew 1\nnew 2\n' };

    expect(judge({ beside: [aMergedFile({ ...test, result: `${NEW}expect(1);\n` })] })).toEqual([]);
    expect(judge({ beside: [aMergedFile(list)] })).toEqual([]);
  });
});

describe('judgeMerge, of files in conflict', () => {
  it('refuses a side that was taken as a whole, though the other changed lines outside of the conflict', () => {
    expect(judge({ files: [aConflictedFile({ result: 'ours\n' })] })).toEqual(['MERGE_NOT_RESOLVED src/a.ts']);
    expect(judge({ files: [aConflictedFile({ result: `ours\n${ADDED}` })] })).toEqual([]);
  });

  it('lets a few lines go with the side that was not taken', () => {
    const few = 'import theirs\n';
    const file = aConflictedFile({ theirs: `${few}theirs\n`, merged: `${few}${CONFLICT}`, result: 'ours\n' });

    expect(judge({ files: [file] })).toEqual([]);
  });

  it('lets a file be deleted that one side deleted', () => {
    expect(judge({ files: [aConflictedFile({ ours: null, merged: `theirs\n${ADDED}`, result: null })] })).toEqual([]);
  });

  it('lets lines go of which each side removed some', () => {
    const test = 'expect(1);\n';
    const sides = { base: test.repeat(3), ours: `ours\n${test.repeat(2)}`, theirs: `theirs\n${test.repeat(2)}` };
    const judged = (result: string): readonly string[] =>
      judge({ files: [aConflictedFile({ path: 'test/a.test.ts', ...sides, merged: CONFLICT, result })] });

    expect(judged(`ours\ntheirs\n${test}`)).toEqual([]);
    expect(judged('ours\ntheirs\n')).toEqual(['TESTS_DELETED test/a.test.ts']);
  });

  it('takes lines that were only indented for what they were', () => {
    const lines = '  expect(1);\n  expect(2);\n';
    const sides = { base: lines, ours: `ours\n${lines}`, theirs: `theirs\n${lines}      expect(2);\n` };
    const result = 'if (x) {\n      expect(1);\n      expect(2);\n}\nours\n';

    expect(judge({ files: [aConflictedFile({ path: 'test/a.test.ts', ...sides, merged: CONFLICT, result })] })).toEqual(
      [],
    );
  });
});
