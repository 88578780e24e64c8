import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'src/README.md',
  ...globSync('docs/*.md').toSorted(),
];
const ROOT = readdirSync('.', { withFileTypes: true });
/** Folders from where a document may name a path: its own, the root and `src`. */
const BASES = ['.', 'src'];
/** What repositories that use Ratchet have, and we may have too. */
const OF_OTHERS = /^(?:\.github|\.git|node_modules|dist|reports)\b/;
const PATH = /^[\w.{},*-]+(?:\/[\w.{},*-]+)*\/?$/;

/** Words in code marks that are paths of this project: they begin with a folder of it, or end like a source of it. */
function findPaths(document: string, text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const words = Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, word = '']) => word.replace(/^\.\//, ''));
  return words.filter((word) => PATH.test(word) && !OF_OTHERS.test(word) && isOurs(document, word));
}

function isOurs(document: string, word: string): boolean {
  if (/^[\w-]+\.ts$/.test(word)) return true;
  if (!word.includes('/')) return false;
  const [first = ''] = word.split('/');
  // In src/README.md every path is one of ours: a folder that has gone must not be overlooked.
  if (document === 'src/README.md') return first !== 'refs';
  return ROOT.some(({ name }) => name === first);
}

function exists(document: string, path: string): boolean {
  const bases = [...BASES, dirname(document)];
  return bases.some((base) => globSync(join(base, path)).length > 0);
}

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(document, 'utf8');

  it('names only paths that exist', () => {
    expect(findPaths(document, text).filter((path) => !exists(document, path))).toEqual([]);
  });
});

describe('findPaths', () => {
  it('finds paths in prose, and no other words', () => {
    const text =
      'See `src/main.ts`, `./docs/x.md`, `text`, `a/b`, `compose.ts` and `test/**`.\n\n```\n`src/in-a-block.ts`\n```\n';

    expect(findPaths('README.md', text)).toEqual(['src/main.ts', 'docs/x.md', 'compose.ts', 'test/**']);
    expect(findPaths('src/README.md', '`admin/x`, `refs/pull/1/head`')).toEqual(['admin/x']);
  });
});
