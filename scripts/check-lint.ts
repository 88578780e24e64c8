/**
 * Lints all files. Usage: `npm run check:lint`. Exit code 1: something was found.
 *
 * Files that were clean and whose result cannot have changed are skipped. The rules use types, so the result of a file depends on
 * every file that it imports, however far away; ESLint's own cache looks at the file alone and would pass what is wrong by now.
 */

import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { ESLint } from 'eslint';
import { toLintKeys } from './lint/lint-keys.ts';
import { readSources } from './lint/read-sources.ts';

const CACHE = '.cache/lint.json';
/** From this many files on, a second thread saves more than it costs: each thread reads all types for itself. */
const WORTH_A_THREAD = 200;

const root = process.cwd();
const keys = toLintKeys(readSources());
const known = new Set(readKnownKeys());
const changed = Array.from(keys).flatMap(([file, key]) => (known.has(key) ? [] : [file]));
const eslint = new ESLint({ concurrency: changed.length > WORTH_A_THREAD ? 2 : 'off', errorOnUnmatchedPattern: false });
const isAll = changed.length === keys.size;
// Of no name at all ESLint makes the whole folder.
const results = changed.length === 0 ? [] : await eslint.lintFiles(isAll ? ['.'] : changed);
if (isAll) requireSameFiles(results.map(({ filePath }) => relative(root, filePath)));
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(results));
const unclean = new Set(
  results.filter(({ messages }) => messages.length > 0).map(({ filePath }) => relative(root, filePath)),
);
const clean = Array.from(keys).flatMap(([file, key]) => (unclean.has(file) ? [] : [key]));
await storeKeys(clean);
console.log(`${changed.length} of ${keys.size} files linted, ${unclean.size} with problems`);
process.exitCode = unclean.size === 0 ? 0 : 1;

/** @throws Error where ESLint finds other files than we do: those would never be linted, or never be skipped. */
function requireSameFiles(linted: readonly string[]): void {
  const different = [...new Set(linted).symmetricDifference(new Set(keys.keys()))];
  if (different.length > 0)
    throw new Error(`scripts/lint/read-sources.ts and eslint.config.ts differ: ${different.join(', ')}`);
}

function readKnownKeys(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(readFileSync(CACHE, 'utf8'));
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}

async function storeKeys(clean: readonly string[]): Promise<void> {
  await mkdir(dirname(CACHE), { recursive: true });
  const draft = `${CACHE}.${process.pid}`;
  await writeFile(draft, JSON.stringify(clean));
  await rename(draft, CACHE);
}
