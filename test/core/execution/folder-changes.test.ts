import { describe, expect, it } from 'vitest';
import { findFolderChanges, judgeFolderChange } from '../../../src/core/execution/folder-changes.ts';
import type { FolderEntry } from '../../../src/core/model/folder-state.ts';

const file = (hash: string, mode = 0o644): FolderEntry => ({ kind: 'file', mode, hash });
const folder = (mode = 0o755): FolderEntry => ({ kind: 'folder', mode });
const link = (target: string): FolderEntry => ({ kind: 'link', target });

describe('findFolderChanges', () => {
  it('finds what differs, and nothing else', () => {
    const before = new Map([
      ['same', file('a')],
      ['text', file('a')],
      ['mode', file('a')],
      ['link', link('a')],
      ['same-link', link('a')],
      ['same-folder', folder()],
      ['folder', folder()],
      ['gone', file('a')],
    ]);
    const after = new Map([
      ['same', file('a')],
      ['text', file('b')],
      ['mode', file('a', 0o755)],
      ['link', link('b')],
      ['same-link', link('a')],
      ['same-folder', folder()],
      ['folder', folder(0o700)],
      ['new', file('a')],
    ]);

    const changes = findFolderChanges(before, after);

    expect(changes.map(({ path }) => path)).toEqual(['gone', 'folder', 'link', 'mode', 'new', 'text']);
    expect(changes[0]).toEqual({ path: 'gone', before: file('a'), after: null });
    expect(findFolderChanges(before, before)).toEqual([]);
  });

  it('removes from the deepest path up, and then makes from the top down', () => {
    const before = new Map([
      ['old', folder()],
      ['old/in', folder()],
      ['old/in/file', file('a')],
      ['turned', file('a')],
    ]);
    const after = new Map([
      ['new/in/file', file('a')],
      ['new/in', folder()],
      ['new', folder()],
      ['turned', folder()],
      ['turned/file', file('a')],
    ]);

    expect(findFolderChanges(before, after).map(({ path }) => path)).toEqual([
      ...['old/in/file', 'old/in', 'old'],
      ...['new', 'new/in', 'new/in/file', 'turned', 'turned/file'],
    ]);
  });
});

describe('judgeFolderChange', () => {
  it.each([
    ['write', file('a')],
    ['done', file('b')],
    ['conflict', file('c')],
    ['conflict', file('a', 0o755)],
    ['conflict', link('a')],
    ['conflict', folder()],
    ['conflict', null],
  ] as const)('says %s about a changed file', (verdict, now) => {
    expect(judgeFolderChange({ path: 'x', before: file('a'), after: file('b') }, now)).toBe(verdict);
  });

  it('says that a removal is done where nothing is left, and that a new file is in the way of another one', () => {
    expect(judgeFolderChange({ path: 'x', before: file('a'), after: null }, null)).toBe('done');
    expect(judgeFolderChange({ path: 'x', before: file('a'), after: null }, file('a'))).toBe('write');
    expect(judgeFolderChange({ path: 'x', before: null, after: file('a') }, null)).toBe('write');
    expect(judgeFolderChange({ path: 'x', before: null, after: file('a') }, file('b'))).toBe('conflict');
  });
});
