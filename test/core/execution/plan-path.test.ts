import { describe, expect, it } from 'vitest';
import {
  findNameProblem,
  isTemporaryName,
  readPlanPath,
  toTemporaryName,
} from '../../../src/core/execution/plan-path.ts';

describe('a path of a plan', () => {
  it.each([
    ['a', ['a']],
    ['./a//b/', ['a', 'b']],
    ['a/.gitignore', ['a', '.gitignore']],
    ['.github/x', ['.github', 'x']],
    ['a b/ü', ['a b', 'ü']],
    ['.', []],
    ['n'.repeat(255), ['n'.repeat(255)]],
  ])('%j is read in its parts', (path, parts) => {
    expect(readPlanPath(path)).toEqual({ kind: 'path', parts });
  });

  it.each([
    ['/a', /absolute/],
    ['a/../b', /"\.\."/],
    ['a\0', /NUL/],
    ['\uDC00', /Unicode/],
    ['x/.git', /git/],
    ['x/.GIT/y', /git/],
    ['x/.ratchet-1a.tmp', /files of Ratchet/],
    ['.ratchet-1a.tmp/y', /files of Ratchet/],
    ['ü'.repeat(128), /255 bytes/],
  ])('%j is refused, with the reason (004.R3)', (path, why) => {
    const read = readPlanPath(path);
    expect(read.kind === 'refused' ? read.why : null).toMatch(why);
  });

  it('has no problem with names that only look like git', () => {
    expect(['git', '.gitmodules', '.gitx', 'a.git'].map(findNameProblem)).toEqual([null, null, null, null]);
  });

  it('knows the names of files that are written beside their place, and no others', () => {
    expect(isTemporaryName(toTemporaryName('00ff-a'))).toBe(true);
    expect(['.ratchet-.tmp', '.ratchet-A.tmp', '.ratchet.yml', 'x.ratchet-a.tmp'].map(isTemporaryName)).toEqual([
      ...[false, false, false, false],
    ]);
  });
});
