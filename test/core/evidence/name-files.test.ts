import { describe, expect, it } from 'vitest';
import { createFileNames, namesFile, toNamesLine } from '../../../src/core/evidence/name-files.ts';

function namesOf(...lines: readonly (readonly [line: string, weight: number])[]): readonly string[] {
  const names = createFileNames();
  for (const [line, weight] of lines) names.add(line, weight);
  return names.list();
}

describe('names of files near failures', () => {
  it.each([
    ['src/a.ts(3,5): error', ['src/a.ts']],
    ['see a.yml, b.yaml and /etc/c.conf.ini', ['/etc/c.conf.ini', 'b.yaml', 'a.yml']],
    ['"~/x/@y/z+w.go"', ['~/x/@y/z+w.go']],
    ['a.tsx a.jsx a.hpp', ['a.hpp', 'a.jsx', 'a.tsx']],
    ['a.tsv b.c-d c.rsx', []],
    ['http://x.test/a.js', []],
    ['v1.2 3.c', ['3.c']],
    ['com.acme.Sum.java', ['com.acme.Sum.java']],
  ])('%s', (line, names) => {
    expect(namesOf([line, 1])).toEqual(names);
  });

  it('are in the order of their weights, the last of equal ones first', () => {
    expect(namesOf(['a.c', 2], ['b.c', 1], ['c.c', 2], ['d.c', 3])).toEqual(['d.c', 'c.c', 'a.c', 'b.c']);
  });

  it('keep their highest weight, and are new again when they are seen again', () => {
    expect(namesOf(['a.c', 3], ['b.c', 2], ['a.c', 1])).toEqual(['a.c', 'b.c']);
    expect(namesOf(['a.c', 1], ['b.c', 1], ['a.c', 1])).toEqual(['a.c', 'b.c']);
  });

  it('weigh little on lines about code of others, whatever the line is', () => {
    expect(namesOf(['a.c', 1], ['node_modules/x/b.js', 9])).toEqual(['a.c', 'node_modules/x/b.js']);
  });

  it('are at most 5,000, the newest ones', () => {
    const names = namesOf(...Array.from({ length: 5001 }, (_, at) => [`f${at}.c`, 1] as const), ['f1.c', 1]);

    expect(names).toHaveLength(5000);
    expect(names.slice(0, 2)).toEqual(['f1.c', 'f5000.c']);
    expect(names.at(-1)).toBe('f2.c');
    expect(names).not.toContain('f0.c');
  });
});

describe('whether a text names a file', () => {
  it.each([
    ['see a.ts', true],
    ['src/a.ts', true],
    ['a.ts', true],
    ['aa.ts', false],
    ['x.a.ts', false],
    ['x-a.ts', false],
    ['@a.ts', false],
    ['aa.ts and (a.ts)', true],
    ['nothing', false],
  ])('%s: %s', (text, does) => {
    expect(namesFile(text, 'a.ts')).toBe(does);
  });

  it('decides what is named behind the excerpt', () => {
    const limit = { maxBytes: 100, resolve: null };
    expect(toNamesLine(['src/a.ts', 'b.ts', 'lib/b.ts'], 'see src/a.ts', limit)).toBe('Also named near failures: b.ts');
    expect(toNamesLine(['src/a.ts'], 'see aa.ts', limit)).toBe('Also named near failures: a.ts');
  });
});
