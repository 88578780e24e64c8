import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createScopeMatcher,
  toCanonicalPath,
  toCanonicalScope,
  toParents,
} from '../../../src/core/engines/canonical-scope.ts';

function canonical(...paths: readonly string[]): readonly string[] {
  const scope = toCanonicalScope(paths);
  return scope.kind === 'scope' ? scope.paths : ['invalid', ...scope.problems];
}

describe('toCanonicalScope', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['dots and double slashes', ['./src/./pkg//a.py'], ['src/pkg/a.py']],
    ['the root', ['.'], ['.']],
    ['the root with a slash', ['./'], ['.']],
    ['the root by a way back', ['src/..'], ['.']],
    ['a slash at the end', ['src/'], ['src']],
    ['several slashes at the end', ['src///'], ['src']],
    ['backslashes', ['src\\pkg\\a.py'], ['src/pkg/a.py']],
    ['mixed separators', ['.\\src/pkg\\'], ['src/pkg']],
    ['a way up inside of the root', ['src/pkg/../a.py'], ['src/a.py']],
    ['two ways up', ['src/pkg/../../lib'], ['lib']],
    ['names that only look like dots', ['...', '..a', '.a', 'a..', 'a.'], ['...', '..a', '.a', 'a.', 'a..']],
    ['a name with spaces', [' a '], [' a ']],
    ['a drive without a slash', ['C:a'], ['C:a']],
    ['a colon after two letters', ['ab:/x'], ['ab:/x']],
  ])('gives %s one form (000.R5)', (_what, paths, expected) => {
    expect(canonical(...paths)).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['drops duplicates, however they are written', ['src', 'src', './src', 'src/'], ['src']],
    ['sorts by code units, capitals first', ['b', 'a', 'B', 'ä', 'a-b'], ['B', 'a', 'a-b', 'b', 'ä']],
    ['drops what lies below another entry', ['src/a.py', 'src', 'src/pkg/d.py'], ['src']],
    ['finds the folder also where other names sort between', ['src', 'src-x', 'src/a.py'], ['src', 'src-x']],
    ['keeps a neighbour whose name begins alike', ['src', 'srcs', 'src.py'], ['src', 'src.py', 'srcs']],
    ['keeps a folder beside a file of another one', ['lib', 'src/a.py'], ['lib', 'src/a.py']],
    ['lets the root hold everything', ['src', '.', 'lib/c.py'], ['.']],
    ['leaves an empty scope empty', [], []],
  ])('%s (000.R5, R6)', (_what, paths, expected) => {
    expect(canonical(...paths)).toEqual(expected);
  });

  it.each<[string, string | null]>([
    ['/work/app/src', 'src'],
    ['/work/app/src/../lib/', 'lib'],
    ['/work/app', '.'],
    ['/work/app/', '.'],
    ['\\work\\app\\src', 'src'],
    ['/work/application/src', null],
    ['/work/app/../other', null],
    ['/work', null],
    ['src', 'src'],
  ])('finds where an absolute path lies in a root that is known: %j (000.R5)', (path, expected) => {
    expect(toCanonicalPath(path, '/work/app')).toBe(expected);
    expect(toCanonicalScope([path], '/work/app').kind).toBe(expected === null ? 'invalid' : 'scope');
  });

  it.each([
    ['..', '".." leads outside of the repository'],
    ['../x', '"../x" leads outside of the repository'],
    ['src/../../x', '"src/../../x" leads outside of the repository'],
    ['..\\x', '"..\\\\x" leads outside of the repository'],
    ['../main/src', '"../main/src" leads outside of the repository'],
    ['/etc/passwd', '"/etc/passwd" leads outside of the repository'],
    ['\\etc', '"\\\\etc" leads outside of the repository'],
    ['C:\\x', '"C:\\\\x" leads outside of the repository'],
    ['c:/x', '"c:/x" leads outside of the repository'],
    ['', 'an entry is empty'],
  ])('refuses %j with a word on why, and throws nothing', (path, problem) => {
    expect(toCanonicalScope(['src', path])).toEqual({ kind: 'invalid', problems: [problem] });
  });

  it('tells each entry that cannot be used once, sorted', () => {
    expect(toCanonicalScope(['/z', '..', '/z'])).toEqual({
      kind: 'invalid',
      problems: ['".." leads outside of the repository', '"/z" leads outside of the repository'],
    });
  });

  const segment = fc.constantFrom('src', 'pkg', 'a.py', 'a-b', 'B', 'ä', '.x');
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  const disguise = fc.constantFrom<(to: string) => string>(
    (to) => to,
    (to) => `./${to}`,
    (to) => `${to}/`,
    (to) => to.replaceAll('/', '//'),
    (to) => to.replaceAll('/', '\\'),
    (to) => to.replaceAll('/', '/./'),
    (to) => `other/../${to}`,
  );

  it('is the same for every order, repetition and spelling (000.R5, R6)', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), fc.array(fc.tuple(fc.nat(), disguise)), (paths, more) => {
        const disguised = more.flatMap(([index, as]) => {
          const chosen = paths[index % Math.max(paths.length, 1)];
          return chosen === undefined ? [] : [as(chosen)];
        });

        expect(toCanonicalScope([...disguised, ...paths.toReversed()])).toEqual(toCanonicalScope(paths));
      }),
    );
  });

  it('is its own form, and holds what was named and nothing else (000.R5)', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (paths, probe) => {
        const scope = canonical(...paths);
        const isNamed = paths.some((entry) => probe === entry || probe.startsWith(`${entry}/`));

        expect(canonical(...scope)).toEqual(scope);
        expect(createScopeMatcher(scope)(probe)).toBe(isNamed);
      }),
    );
  });

  it('never throws, and never leads outside of the root', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', ':') })), (paths) => {
        const scope = toCanonicalScope(paths);
        const segments = scope.kind === 'scope' ? scope.paths.flatMap((entry) => entry.split('/')) : [];

        expect(segments).not.toContain('..');
        expect(segments).not.toContain('');
      }),
    );
  });
});

describe('toCanonicalPath', () => {
  it.each([
    ['./web//tsconfig.json', 'web/tsconfig.json'],
    ['web/', 'web'],
    ['../tsconfig.json', null],
    ['', null],
  ])('gives %j as %j', (path, expected) => {
    expect(toCanonicalPath(path)).toBe(expected);
  });
});

describe('createScopeMatcher', () => {
  it.each([
    ['the entry itself', ['src'], 'src', true],
    ['a file below', ['src'], 'src/pkg/d.py', true],
    ['a name that begins alike', ['src'], 'src2/a.py', false],
    ['the folder above', ['src/pkg'], 'src', false],
    ['anything, below the root', ['.'], 'lib/c.py', true],
    ['the root, below a folder', ['src'], '.', false],
    ['the root, below the root', ['.'], '.', true],
    ['anything, in no scope', [], 'src', false],
  ])('tells of %s whether it is in scope', (_what, scope, path, expected) => {
    expect(createScopeMatcher(scope)(path)).toBe(expected);
  });
});

describe('toParents', () => {
  it.each([
    ['a/b/c.py', ['a/b', 'a', '.']],
    ['c.py', ['.']],
    ['.', []],
  ])('of %j are %j', (path, expected) => {
    expect(toParents(path)).toEqual(expected);
  });
});
