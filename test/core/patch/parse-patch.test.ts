import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch, withoutFiles } from '../../../src/core/patch/parse-patch.ts';
import { unquotePath } from '../../../src/core/paths/unquote-path.ts';

/** A diff of one file with one hunk, of which the counts follow from the lines. */
function patchOf(path: string, lines: readonly string[], at = 1): string {
  const oldCount = lines.filter((line) => !/^[+\\]/u.test(line)).length;
  const newCount = lines.filter((line) => !/^[-\\]/u.test(line)).length;
  const header = `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}`;
  return `${header}\n@@ -1,${String(oldCount)} +${String(at)},${String(newCount)} @@ context\n${lines.join('\n')}\n`;
}

describe('parsePatch', () => {
  it('takes changed lines that look like headers for lines', () => {
    const patch = `${patchOf('a', ['--- b', '+++ b/x', '+diff --git a/x b/x'])}${patchOf('b c', ['+y\r', '\\ No newline at end of file'])}`;

    expect(parsePatch(patch)).toEqual([
      {
        path: 'a',
        removed: ['-- b'],
        added: ['++ b/x', 'diff --git a/x b/x'],
        addedAt: [1, 2],
        context: [],
        contextAt: [],
      },
      { path: 'b c', removed: [], added: ['y'], addedAt: [1], context: [], contextAt: [] },
    ]);
  });

  it('takes the note about a missing line end for no line', () => {
    const patch = patchOf('a', ['-x', '\\ No newline at end of file', '+y']);

    expect(parsePatch(patch)).toEqual([
      { path: 'a', removed: ['x'], added: ['y'], addedAt: [1], context: [], contextAt: [] },
    ]);
  });

  it('reads hunks without counts, and nothing before the first file', () => {
    expect(parsePatch('@@ -1 +1 @@\nx\ndiff --git a/a b/a\n@@ -1 +1 @@\n-a\n+b\n')).toEqual([
      { path: 'a', removed: ['a'], added: ['b'], addedAt: [1], context: [], contextAt: [] },
    ]);
  });

  it('numbers added lines as the new file has them: context counts, removed lines do not', () => {
    const lines = [' a', '-b', '-c', '+d', ' e', '\\ No newline at end of file', '+f', '+g', ' h'];
    const patch = `${patchOf('x', lines, 40)}@@ -90,0 +97,2 @@\n+i\n+j\n${patchOf('y', ['+k'])}`;

    expect(parsePatch(patch).map(({ added, addedAt }) => [added, addedAt])).toEqual([
      [
        ['d', 'f', 'g', 'i', 'j'],
        [41, 43, 44, 97, 98],
      ],
      [['k'], [1]],
    ]);
  });

  it('never throws, and numbers each added line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('@@ -1,2 +1 @@', '\n', '+', '-', ' ', 'diff --git ', 'a', '\\') }),
        (text) => parsePatch(text).every(({ added, addedAt }) => added.length === addedAt.length),
      ),
    );
  });
});

describe('unquotePath', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['ä b', 'ä b'],
    ['a\\b', 'a\\b'],
    ['', ''],
    ['t\\tb"', 't\tb'],
    ['q\\"\\\\n"', 'q"\\n'],
    ['\\a\\b\\n\\v\\f\\r"', '\u0007\b\n\u000b\f\r'],
    ['b\\303\\244ä"', 'bää'],
    ['\\357\\273\\277x"', '\uFEFFx'],
    ['x\\377"', 'x\uFFFD'],
    ['\\777"', '\uFFFD'],
    ['\\001"', '\u0001'],
    ['\\z\\01"', '\\z\\01'],
    ['a\\"', 'a\\'],
    ['\n\\n"', '\n\n'],
  ])('reads the name that git writes as %j as %j', (quoted, plain) => {
    expect(unquotePath(quoted)).toBe(plain);
  });

  it('reads a quoted name out of a diff', () => {
    expect(parsePatch('diff --git "a/x\\ty" "b/x\\ty"\n').map(({ path }) => unquotePath(path))).toEqual(['x\ty']);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\\', '"', '3', '7', 'n', '😀') }), (text) => {
        expect(typeof unquotePath(`${text}"`)).toBe('string');
      }),
    );
  });
});

describe('withoutFiles', () => {
  it('takes the sections of those files out, and no line that looks like a header', () => {
    const kept = patchOf('a', ['+diff --git a/b b/b', '+x']);
    const patch = `${kept}${patchOf('b', ['+y'])}${patchOf('b/c', ['-z'])}`;

    expect(withoutFiles(patch, new Set(['b']))).toBe(`${kept}${patchOf('b/c', ['-z'])}`);
    expect(withoutFiles(patch, new Set(['a', 'b', 'b/c']))).toBe('');
    expect(withoutFiles(patch, new Set(['c']))).toBe(patch);
    expect(withoutFiles('', new Set(['c']))).toBe('');
  });

  it('knows a file whose header is all that was not cut', () => {
    expect(withoutFiles('diff --git a/b b/b', new Set(['b']))).toBe('');
  });
});
