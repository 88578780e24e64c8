import { describe, expect, it } from 'vitest';
import { type Sources, toLintKeys } from '../../scripts/lint/lint-keys.ts';

const FILES = {
  'src/a.ts': "import type { B } from './deep/b.ts';\nexport const a: B = 1;\n",
  'src/deep/b.ts': "export type { C as B } from '../c.ts';\n",
  'src/c.ts': "import data from './data.json';\nexport type C = typeof data;\n",
  'src/lazy.ts': "export const load = () => import('./c.ts');\n",
  'src/alone.ts': "import { join } from 'node:path';\nexport const alone = join('a');\n",
};

function keysOf(
  changes: Readonly<Record<string, string>> = {},
  more: Partial<Sources> = {},
): ReadonlyMap<string, string> {
  const files = new Map(Object.entries({ ...FILES, ...changes }));
  return toLintKeys({ files, environment: ['lockfile'], readOther: () => '1', ...more });
}

/** The files whose key is another one than before. */
function changedBy(keys: ReadonlyMap<string, string>): readonly string[] {
  const before = keysOf();
  return [...keys.keys()].filter((file) => keys.get(file) !== before.get(file));
}

describe('the key under which a linted file is remembered', () => {
  it('stays the same while nothing changes', () => {
    expect(changedBy(keysOf())).toEqual([]);
  });

  it.each([
    ['the file', keysOf({ 'src/alone.ts': 'export {};\n' }), ['src/alone.ts']],
    [
      'what imports it reads, over any number of files',
      keysOf({ 'src/c.ts': 'export type C = string;\n' }),
      ['src/a.ts', 'src/deep/b.ts', 'src/c.ts', 'src/lazy.ts'],
    ],
    [
      'an imported file that is not linted',
      keysOf({}, { readOther: () => '2' }),
      ['src/a.ts', 'src/deep/b.ts', 'src/c.ts', 'src/lazy.ts'],
    ],
    [
      'an imported file that goes',
      keysOf({}, { readOther: () => null }),
      ['src/a.ts', 'src/deep/b.ts', 'src/c.ts', 'src/lazy.ts'],
    ],
    ['the environment', keysOf({}, { environment: ['other'] }), Object.keys(FILES)],
    [
      'a declaration for all files',
      keysOf({ 'src/x.ts': 'declare global { var x: 1 }\nexport {};\n' }),
      [...Object.keys(FILES), 'src/x.ts'],
    ],
    [
      'a file of declarations',
      keysOf({ 'src/x.d.ts': 'declare const y: 1;\n' }),
      [...Object.keys(FILES), 'src/x.d.ts'],
    ],
  ])('changes with %s', (_what, keys, changed) => {
    expect(changedBy(keys)).toEqual(changed);
  });

  it('is another one for a file of the same content elsewhere', () => {
    const keys = keysOf({ 'src/also-alone.ts': FILES['src/alone.ts'] });

    expect(keys.get('src/also-alone.ts')).not.toBe(keys.get('src/alone.ts'));
  });

  it('exists for files that import each other', () => {
    const keys = keysOf({ 'src/x.ts': "import './y.ts';\n", 'src/y.ts': "import './x.ts';\n" });

    expect(keys.get('src/x.ts')).not.toBe(keys.get('src/y.ts'));
  });
});
