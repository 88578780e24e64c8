import { describe, expect, it } from 'vitest';
import {
  findReferencedFolders,
  reachesOut,
  readTsFolder,
  toSourceConfig,
} from '../../../src/core/projects/ts-configs.ts';

type Texts = Readonly<Record<string, string | null>>;

function readFolder(texts: Texts, folder = '.') {
  return readTsFolder(folder, { files: Object.keys(texts), texts });
}

const VITE =
  '{ "files": [], /* solution */ "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tsconfig.node.json" }], }';
const SOLUTION = '{"files":[],"references":[{"path":"./a"},{"path":"b"}]}';

describe('a folder with a tsconfig.json and no source', () => {
  it.each<[string, boolean, Texts]>([
    ['a missing configuration', true, { 'tsconfig.json': SOLUTION, 'a/tsconfig.json': '{}' }],
    ['a missing one beside it', true, { 'tsconfig.json': VITE, 'tsconfig.app.json': '{"include":["src"]}' }],
    ['sources elsewhere', true, { 'tsconfig.json': '{"include":["../src"]}' }],
    ['a file elsewhere', true, { 'tsconfig.json': '{"files":["../a.ts"]}' }],
    ['folders of projects', false, { 'tsconfig.json': SOLUTION, 'a/tsconfig.json': '{}', 'b/tsconfig.json': '{}' }],
    ['what is in it', false, { 'tsconfig.json': '{"include":["src",1]}' }],
    ['no text', false, { 'tsconfig.json': null }],
  ])('has something to do where it stands for %s: %s (E9)', (_what, expected, texts) => {
    expect(reachesOut('.', { files: Object.keys(texts), texts })).toBe(expected);
  });
});

describe('the configurations of a folder with a tsconfig.json', () => {
  it.each<[string, Texts, readonly string[]]>([
    ['itself', { 'tsconfig.json': '{}' }, ['tsconfig.json']],
    ['itself if it cannot be read', { 'tsconfig.json': '{{{' }, ['tsconfig.json']],
    ['itself if it is no text', { 'tsconfig.json': null }, ['tsconfig.json']],
    [
      'those of the default of Vite',
      { 'tsconfig.json': VITE, 'tsconfig.app.json': '{"include":["src"]}', 'tsconfig.node.json': '{}' },
      ['tsconfig.app.json', 'tsconfig.node.json'],
    ],
    [
      'itself and its references',
      {
        'tsconfig.json': '{"include":["src"],"references":[{"path":"tsconfig.node.json"}]}',
        'tsconfig.node.json': '{}',
      },
      ['tsconfig.json', 'tsconfig.node.json'],
    ],
    [
      'a reference of a reference',
      { 'tsconfig.json': VITE, 'tsconfig.app.json': '{"files":[],"references":[{"path":"x.json"}]}', 'x.json': '{}' },
      ['tsconfig.node.json', 'x.json'],
    ],
    [
      'a reference that is missing',
      { 'tsconfig.json': '{"files":[],"references":[{"path":"./gone"}]}' },
      ['gone/tsconfig.json'],
    ],
    [
      'one of another name elsewhere',
      {
        'tsconfig.json': '{"files":[],"references":[{"path":"a/tsconfig.build.json"}]}',
        'a/tsconfig.build.json': '{}',
      },
      ['a/tsconfig.build.json'],
    ],
    [
      'a ring of references, once',
      {
        'tsconfig.json': '{"references":[{"path":"tsconfig.x.json"}]}',
        'tsconfig.x.json': '{"references":[{"path":"tsconfig.json"}]}',
      },
      ['tsconfig.json', 'tsconfig.x.json'],
    ],
    [
      'one with an empty list of files and an `include`',
      { 'tsconfig.json': '{"files":[],"include":["src"]}' },
      ['tsconfig.json'],
    ],
    [
      'one that inherits its files',
      { 'tsconfig.json': '{"extends":"./base","references":[{"path":"a"}]}', 'base.json': '{"include":["src"]}' },
      ['tsconfig.json', 'a/tsconfig.json'],
    ],
    [
      'references out of the repository left out',
      { 'tsconfig.json': '{"references":[{"path":"../x"},{"path":1},7]}' },
      ['tsconfig.json'],
    ],
    [
      'a ring of `extends`',
      { 'tsconfig.json': '{"extends":["./a.json","./tsconfig.json"]}', 'a.json': '{"extends":"./tsconfig.json"}' },
      ['tsconfig.json'],
    ],
    [
      'a base that is a package, a number or elsewhere',
      { 'tsconfig.json': '{"extends":["@x/base","../../y",3]}' },
      ['tsconfig.json'],
    ],
    [
      'the last base that has a list',
      {
        'tsconfig.json': '{"extends":["./none.json","./all.json"]}',
        'none.json': '{"files":[]}',
        'all.json': '{"files":["a.ts"]}',
      },
      ['tsconfig.json'],
    ],
  ])('are %s', (_what, texts, configs) => {
    expect(readFolder(texts)).toEqual({ kind: 'project', configs });
  });

  it.each<[string, Texts, string]>([
    [
      'what it references is elsewhere',
      { 'tsconfig.json': SOLUTION, 'a/tsconfig.json': '{}', 'b/tsconfig.json': '{}' },
      'what it references are projects of their own',
    ],
    ['it names nothing', { 'tsconfig.json': '{"files":[]}' }, 'it names no file'],
    ['its list is empty', { 'tsconfig.json': '{"include":[]}' }, 'it names no file'],
    [
      'so is the one that it inherits',
      { 'tsconfig.json': '{"extends":"./b.json"}', 'b.json': '{"files":[]}' },
      'it names no file',
    ],
  ])('are none where %s', (_what, texts, why) => {
    expect(readFolder(texts)).toEqual({ kind: 'none', why });
  });

  it('lead to all folders that they reference, once', () => {
    const texts = {
      'tsconfig.json': SOLUTION,
      'a/tsconfig.json': '{"references":[{"path":"../c"},{"path":"../b"}]}',
      'b/tsconfig.json': '{"references":[{"path":"../a"}]}',
    };
    const facts = { files: Object.keys(texts), texts };

    expect([...findReferencedFolders(['tsconfig.json', 'b/tsconfig.json'], facts)].toSorted()).toEqual(['a', 'b', 'c']);
    expect(findReferencedFolders([], facts)).toEqual(new Set());
  });
});

describe('the configuration that checks the sources of what one references', () => {
  const toConfig = (texts: Texts, path = 'b/tsconfig.json'): unknown => {
    const text = toSourceConfig(path, { root: '/repo' }, { texts });
    return text === null ? null : JSON.parse(text);
  };
  const typeRoots = ['/repo/b/node_modules/@types', '/repo/node_modules/@types'];
  const references = '"references":[{"path":"../a"}]';

  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['its own list', `{"include":["x"],${references}}`, { compilerOptions: { typeRoots } }],
    ['the list that it inherits', `{"extends":"../base",${references}}`, { compilerOptions: { typeRoots } }],
    [
      'its whole folder if nothing lists its files',
      `{${references}}`,
      { compilerOptions: { typeRoots }, include: ['/repo/b/**/*'] },
    ],
    [
      'declarations, as a composite project does',
      `{"files":["x.ts"],"compilerOptions":{"composite":true},${references}}`,
      { compilerOptions: { declaration: true, typeRoots } },
    ],
    [
      'no declarations if a composite project says so itself',
      `{"files":["x.ts"],"compilerOptions":{"composite":true,"declaration":false},${references}}`,
      { compilerOptions: { typeRoots } },
    ],
    [
      'its own folders of types',
      `{"files":["x.ts"],"compilerOptions":{"typeRoots":["t"]},${references}}`,
      { compilerOptions: {} },
    ],
  ])('keeps %s', (_what, text, { compilerOptions, ...rest }) => {
    expect(toConfig({ 'b/tsconfig.json': text, 'base.json': '{"include":["src"]}' })).toEqual({
      extends: '/repo/b/tsconfig.json',
      compilerOptions: Object.assign({ composite: false, rootDir: '/' }, compilerOptions),
      ...rest,
    });
  });

  it('names the folder of the repository for a configuration there', () => {
    expect(toConfig({ 'tsconfig.json': '{"references":[{"path":"a"}]}' }, 'tsconfig.json')).toEqual({
      extends: '/repo/tsconfig.json',
      compilerOptions: { composite: false, rootDir: '/', typeRoots: ['/repo/node_modules/@types'] },
      include: ['/repo/**/*'],
    });
  });

  it.each([
    ['references nothing', '{"include":["x"]}'],
    ['names no file', `{"files":[],${references}}`],
    ['cannot be read', '{{{'],
  ])('is not needed for one that %s', (_what, text) => {
    expect(toConfig({ 'b/tsconfig.json': text })).toBeNull();
  });
});
