/**
 * Mutation testing of the judging parts of the core: each folder is changed in thousands of small ways, and its tests have to
 * notice at least 90 % of them. Usage: `npm run test:mutation [-- FOLDER… | FOLDER/FILE… [--tests GLOB]…]`; all folders by
 * default. `--tests` names the only tests that may notice: what is noticed then is noticed with all of them, too. Each
 * run measures everything anew, because a result that Stryker kept of a constant does not change when tests are added. Reports are
 * in `reports/mutation/`. Exit code 1: a folder or file is below the threshold, 2: wrong use.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const FOLDERS = [
  'decide',
  'ci',
  'reviews',
  'commands',
  'engines',
  'evidence',
  'findings',
  'tasks',
  'execution',
] as const;
const LEAST_PERCENT = 90;
/** Statuses as Stryker names them. A mutant that no test reaches counts as one that survived. */
const NOTICED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const MISSED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

const MAX_CHANGE_LENGTH = 120;
/** So much of the same text is shown on both sides of a change: long patterns differ in one character. */
const CONTEXT_LENGTH = 40;

type Mutants = Awaited<ReturnType<InstanceType<typeof Stryker>['runMutationTest']>>;

interface Score {
  /** A folder, or a file without its ending: `ci`, `ci/plan-rerun`. */
  readonly part: string;
  readonly noticed: number;
  readonly missed: number;
  readonly percent: number;
}

function findFault(parts: readonly string[]): string | undefined {
  const known = `a folder (${FOLDERS.join(', ')}) or one of its files ("ci/plan-rerun")`;
  const unknown = parts.find((part) => toFiles(part) === null);
  return unknown === undefined ? undefined : `"${unknown}" is not known: name ${known}`;
}

/** The files of a part as a pattern; null if there is no such part. */
function toFiles(part: string): string | null {
  if (FOLDERS.some((folder) => folder === part)) return `src/core/${part}/**/*.ts`;
  const file = `src/core/${part}.ts`;
  return FOLDERS.some((folder) => part.startsWith(`${folder}/`)) && existsSync(file) ? file : null;
}

/** A run of its own for each part: its own results and its own temporary folder, so that two may run at once. */
async function mutate(part: string): Promise<Score> {
  const name = part.replaceAll('/', '-');
  const stryker = new Stryker({
    mutate: [toFiles(part) ?? part],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
    tempDirName: `.stryker-tmp/${name}`,
  });
  const mutants = await stryker.runMutationTest();
  printMissed(mutants);
  const noticed = mutants.filter(({ status }) => NOTICED.has(status)).length;
  const missed = mutants.filter(({ status }) => MISSED.has(status)).length;
  // A part without one mutant was not measured.
  return { part, noticed, missed, percent: noticed + missed === 0 ? 0 : (100 * noticed) / (noticed + missed) };
}

function printMissed(mutants: Mutants): void {
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    if (!MISSED.has(status)) continue;
    const { line, column } = location.start;
    const change = toChange(readText(fileName, location), replacement);
    console.log(`${status} ${relative('.', fileName)}:${line}:${column} ${mutatorName} ${change}`);
  }
}

/** The text of a file at a place. Lines and columns begin at 1. */
function readText(fileName: string, { start, end }: Mutants[number]['location']): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join('\n');
}

/** What differs, with a little of what is the same around it: `…\d[-+-] failures…`, `a [-<-]{+<=+} b`. */
function toChange(before: string, after: string): string {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const removed = before.slice(head, before.length - tail).slice(0, MAX_CHANGE_LENGTH);
  const added = after.slice(head, after.length - tail).slice(0, MAX_CHANGE_LENGTH);
  const from = Math.max(0, head - CONTEXT_LENGTH);
  const to = before.length - tail + CONTEXT_LENGTH;
  const parts = [
    from > 0 ? '…' : '',
    before.slice(from, head),
    removed === '' ? '' : `[-${removed}-]`,
    added === '' ? '' : `{+${added}+}`,
    before.slice(before.length - tail, to),
    to < before.length ? '…' : '',
  ];
  return parts.join('').replaceAll(/\s+/g, ' ');
}

async function run(parts: readonly string[]): Promise<number> {
  const scores: Score[] = [];
  for (const part of parts) scores.push(await mutate(part));
  for (const { part, noticed, missed, percent } of scores) {
    const verdict = percent >= LEAST_PERCENT ? 'ok' : `BELOW ${LEAST_PERCENT} %`;
    console.log(`core/${part}: ${percent.toFixed(1)} % (${noticed} of ${noticed + missed} noticed) ${verdict}`);
  }
  return scores.every(({ percent }) => percent >= LEAST_PERCENT) ? 0 : 1;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string', multiple: true, default: [] } },
});
const parts = positionals.length === 0 ? FOLDERS : positionals;
const fault = findFault(parts);
if (fault !== undefined) console.error(fault);
// Through the configuration of Vitest: with its own option `testFiles`, Stryker switches a change of a constant on only after the
// module was read, so that no test could notice it.
if (values.tests.length > 0) process.env['MUTATION_TESTS'] = values.tests.join(',');
process.exitCode = fault === undefined ? await run(parts) : 2;
