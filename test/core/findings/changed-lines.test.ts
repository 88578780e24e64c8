import { describe, expect, it } from 'vitest';
import { findUncoveredChanges, toChangedLines } from '../../../src/core/findings/changed-lines.ts';
import type { Coverage } from '../../../src/core/model/finding.ts';

describe('toChangedLines', () => {
  it('reads the lines that a diff adds, by the plain names of files', () => {
    const patch = [
      'diff --git a/a b/a',
      '@@ -1,3 +1,4 @@',
      ' one',
      '-two',
      '+2',
      '+2.5',
      ' three',
      '@@ -10 +11 @@',
      '-x',
      '+y',
      'diff --git "a/t\\tb" "b/t\\tb"',
      '@@ -1 +0,0 @@',
      '-gone',
      'diff --git a/bin b/bin',
      'Binary files differ',
    ].join('\n');

    expect([...toChangedLines(patch)]).toEqual([
      ['a', new Set([2, 3, 11])],
      ['t\tb', new Set()],
      ['bin', new Set()],
    ]);
  });
});

describe('toChangedLines of a renamed file', () => {
  const patch = [
    'diff --git a/new b/new',
    '@@ -0,0 +1,5 @@',
    ...['+one', '+2', '+three', '+three', '+three'],
    'diff --git a/old b/old',
    '@@ -1,4 +0,0 @@',
    ...['-one', '-two', '-three', '-three'],
  ].join('\n');

  it('has only the lines that the old one did not have, each as often as it is more', () => {
    expect(toChangedLines(patch, new Map([['new', 'old']])).get('new')).toEqual(new Set([2, 5]));
  });

  it('has all lines where nobody says that it was renamed, or from what', () => {
    const all = new Set([1, 2, 3, 4, 5]);

    expect(toChangedLines(patch).get('new')).toEqual(all);
    expect(toChangedLines(patch, new Map([['new', 'other']])).get('new')).toEqual(all);
    expect(toChangedLines(patch, new Map([['new', 'old']])).get('old')).toEqual(new Set());
  });
});

describe('findUncoveredChanges', () => {
  it('tells the changed lines that no test runs, by file', () => {
    const toFile = (path: string): Coverage['files'][number] => ({
      path,
      covered: 1,
      total: 5,
      missingLines: [2, 4, 6],
    });
    const coverage = { files: ['d', 'b', 'a', 'c'].map(toFile) };
    const changed = new Map([
      ['d', new Set([2])],
      ['a', new Set([6, 1, 4])],
      ['c', new Set([1, 3])],
    ]);

    expect(findUncoveredChanges(coverage, changed)).toEqual([
      { path: 'a', lines: [4, 6] },
      { path: 'd', lines: [2] },
    ]);
  });
});
