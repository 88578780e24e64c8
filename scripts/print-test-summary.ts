/** Prints the one closing line of a test run, from vitest's JSON report. */
import { readFile } from 'node:fs/promises';

const report: unknown = JSON.parse(await readFile('reports/tests.json', 'utf8'));

function count(name: string): number {
  const value: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, name) : undefined;
  if (typeof value !== 'number') throw new Error(`reports/tests.json has no ${name}`);
  return value;
}

const skipped = count('numPendingTests') + count('numTodoTests');
console.log(
  `${String(count('numPassedTests'))} passed, ${String(count('numFailedTests'))} failed, ${String(skipped)} skipped`,
);
