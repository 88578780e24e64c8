import { describe, expect, it } from 'vitest';
import { readCargoRoots, readGoModules } from '../../../src/core/projects/native-projects.ts';

const MODULES = ['go.mod', 'a/go.mod', 'b c/go.mod', 'd/testdata/go.mod', 'vendor/x/go.mod'];

describe('modules of Go', () => {
  it('are the folders of go.mod, without code of others', () => {
    expect(readGoModules({ files: MODULES, texts: {} }).folders).toEqual(['.', 'a', 'b c']);
  });

  it.each<[string, string | null, readonly string[]]>([
    ['no work file', null, ['.', 'a', 'b c']],
    ['one that lists all', 'go 1.22\nuse (\n\t.\n\t./a // first\n\t"./b c"\n)\n', ['.', 'a', 'b c']],
    ['one line each', 'use ./a\nuse "./b c"', ['a', 'b c']],
    ['a comment', '// use ./a\nuse .', ['.']],
    ['a folder elsewhere', 'use ../elsewhere', []],
  ])('are those that Go accepts under %s', (_what, work, expected) => {
    const texts = work === null ? {} : { 'go.work': work };
    const { findObstacle } = readGoModules({ files: [...MODULES, ...Object.keys(texts)], texts });

    expect(['.', 'a', 'b c'].filter((folder) => findObstacle(folder) === null)).toEqual(expected);
  });

  it('are all accepted under a work file that cannot be read, and one below is told', () => {
    expect(readGoModules({ files: [...MODULES, 'go.work'], texts: { 'go.work': null } }).findObstacle('a')).toBeNull();
    const below = readGoModules({ files: ['x/go.work', 'x/y/go.mod'], texts: { 'x/go.work': 'use ./z' } });
    expect(below.findObstacle('x/y')).toBe('x/go.work does not use it');
  });
});

describe('roots of cargo', () => {
  const files = ['Cargo.toml', 'crates/a/Cargo.toml', 'tools/x/Cargo.toml', 'test-fixtures/y/Cargo.toml'];

  it.each<[string, string, readonly string[]]>([
    ['packages without a workspace', '[package]\nname = "r"', ['.', 'crates/a', 'tools/x']],
    ['a workspace, whose members run with it', '[workspace]\nmembers = ["crates/*"]', ['.']],
    ['one with settings alone', '[workspace.dependencies]', ['.']],
    ['one that excludes a package', '[workspace]\nexclude = [\n  "tools/",\n]', ['.', 'tools/x']],
  ])('are %s', (_what, text, expected) => {
    expect(readCargoRoots({ files, texts: { 'Cargo.toml': text } })).toEqual(expected);
  });

  it('are also workspaces in another one', () => {
    const texts = { 'Cargo.toml': '[workspace]', 'crates/a/Cargo.toml': '[workspace]\nexclude = ["x"]' };

    expect(readCargoRoots({ files: [...files, 'crates/a/x/Cargo.toml'], texts })).toEqual([
      '.',
      'crates/a',
      'crates/a/x',
    ]);
  });
});
