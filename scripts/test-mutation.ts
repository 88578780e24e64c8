/**
 * Mutation testing of the judging parts of the core: each folder is changed in thousands of small ways, and its tests have to
 * notice at least 90 % of them. Usage: `npm run test:mutation [-- FOLDER…]`; all folders by default. Results are kept in
 * `reports/mutation/`, so that a second run only looks at what changed. Exit code 1: a folder is below the threshold.
 */
import { relative } from 'node:path';
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

type Folder = (typeof FOLDERS)[number];
type Mutants = Awaited<ReturnType<InstanceType<typeof Stryker>['runMutationTest']>>;

interface Score {
  readonly folder: Folder;
  readonly noticed: number;
  readonly missed: number;
  readonly percent: number;
}

function parseFolders(args: readonly string[]): readonly Folder[] {
  const unknown = args.find((arg) => !FOLDERS.some((folder) => folder === arg));
  if (unknown !== undefined) throw new RangeError(`no folder "${unknown}"; known: ${FOLDERS.join(', ')}`);
  return FOLDERS.filter((folder) => args.length === 0 || args.includes(folder));
}

/** A run of its own for each folder: its own results and its own temporary folder, so that two may run at once. */
async function mutate(folder: Folder): Promise<Score> {
  const stryker = new Stryker({
    mutate: [`src/core/${folder}/**/*.ts`],
    incrementalFile: `reports/mutation/${folder}.json`,
    htmlReporter: { fileName: `reports/mutation/${folder}.html` },
    tempDirName: `.stryker-tmp/${folder}`,
  });
  const mutants = await stryker.runMutationTest();
  printMissed(mutants);
  const noticed = mutants.filter(({ status }) => NOTICED.has(status)).length;
  const missed = mutants.filter(({ status }) => MISSED.has(status)).length;
  // A folder without one mutant was not measured.
  return { folder, noticed, missed, percent: noticed + missed === 0 ? 0 : (100 * noticed) / (noticed + missed) };
}

function printMissed(mutants: Mutants): void {
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    if (!MISSED.has(status)) continue;
    const { line, column } = location.start;
    const change = replacement.replaceAll(/\s+/g, ' ').slice(0, MAX_CHANGE_LENGTH);
    console.log(`${status} ${relative('.', fileName)}:${line}:${column} ${mutatorName} -> ${change}`);
  }
}

const scores: Score[] = [];
for (const folder of parseFolders(process.argv.slice(2))) scores.push(await mutate(folder));
for (const { folder, noticed, missed, percent } of scores) {
  const verdict = percent >= LEAST_PERCENT ? 'ok' : `BELOW ${LEAST_PERCENT} %`;
  console.log(`core/${folder}: ${percent.toFixed(1)} % (${noticed} of ${noticed + missed} noticed) ${verdict}`);
}
process.exitCode = scores.every(({ percent }) => percent >= LEAST_PERCENT) ? 0 : 1;
