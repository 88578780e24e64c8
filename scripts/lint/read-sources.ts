import { globSync, readFileSync } from 'node:fs';
import type { Sources } from './lint-keys.ts';

/** Folders without sources of ours, as the configuration of ESLint has it. */
const IGNORED: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'coverage',
  'reports',
  '.stryker-tmp',
  '.cache',
  'test/tools/fixtures',
]);
const LINTED = '**/*.{ts,tsx,mts,cts,js,jsx}';
const ENVIRONMENT = ['package-lock.json', 'eslint.config.ts', 'tsconfig.json', 'scripts/lint/lint-keys.ts'];

/** What is linted in the current folder. */
export function readSources(): Sources {
  const paths = globSync(LINTED, { exclude: (path) => IGNORED.has(path) }).toSorted();
  return {
    files: new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])),
    environment: ENVIRONMENT.map((path) => readFileSync(path, 'utf8')),
    readOther: (path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return null;
      }
    },
  };
}
