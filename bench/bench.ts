import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Effort, type ResultLine, takeTurns, toResultLine } from './measure.ts';
import type { Row, RowContext } from './row.ts';
import { webhookAcks } from './rows/1-webhook-acks.ts';
import { decisions } from './rows/4-decisions.ts';
import { lifecycleCalls } from './rows/5-lifecycle-calls.ts';
import { eventStorm } from './rows/6-event-storm.ts';
import { workspacePreparation } from './rows/7-workspace-preparation.ts';
import { conflictSweep } from './rows/8-conflict-sweep.ts';
import { checkRunGrowth } from './rows/10-check-run-growth.ts';
import { enginePlanning } from './rows/17-engine-planning.ts';
import { reportParsing } from './rows/18-report-parsing.ts';
import { check } from './rows/19-check.ts';
import { gateway } from './rows/20-gateway.ts';
import { fixup } from './rows/21-fixup.ts';

/** `bench.ts [row…]`: runs rows of the benchmark suite. docs/benchmarks.md describes the rows and the exit codes. */

const ROWS: readonly Row[] = [
  webhookAcks,
  decisions,
  lifecycleCalls,
  eventStorm,
  workspacePreparation,
  conflictSweep,
  checkRunGrowth,
  enginePlanning,
  reportParsing,
  check,
  gateway,
  fixup,
];
const LAST_ROW = 21;
const MISSED = 1;
const WRONG_USE = 2;
const NOT_MEASURED = 3;
const INTERRUPTED = 130;
const TMPFS_MAGIC = 0x01021994;

interface Options {
  readonly rows: readonly Row[];
  readonly quick: boolean;
  readonly strict: boolean;
  readonly effort: Effort;
  readonly disk: string;
}

function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      runs: { type: 'string', default: '5' },
      'max-foreign': { type: 'string', default: '10' },
      disk: { type: 'string', default: tmpdir() },
    },
  });
  const wanted = new Set(positionals.map((text) => parseNumber(text, 'row', 1, LAST_ROW)));
  const rows = ROWS.filter(({ number }) => wanted.size === 0 || wanted.has(number));
  if (rows.length < wanted.size) throw new RangeError(`rows are ${ROWS.map(({ number }) => number).join(', ')}`);
  // Throws if the folder does not exist.
  statfsSync(values.disk);
  const turns = parseNumber(values.runs, 'runs', 5, 12);
  const maxForeignCpu = parseNumber(values['max-foreign'], 'max-foreign', 0, 100) / 100;
  return {
    ...{ rows, quick: values.quick, strict: values.strict, disk: values.disk },
    effort: values.quick
      ? { turns: 2, maxForeignCpu: 1, maxQuietWaitMs: 0, warmsUp: true }
      : { turns, maxForeignCpu, maxQuietWaitMs: 30_000, warmsUp: true },
  };
}

function parseNumber(text: string, what: string, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`${what} is a whole number from ${least} to ${most}, not "${text}"`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs one row. Returns its lines, or null if it could not be measured. */
async function runRow(row: Row, context: RowContext, effort: Effort): Promise<readonly ResultLine[] | null> {
  say(`\nrow ${row.number}: ${row.name}`);
  try {
    const open = await row.open(context);
    try {
      for (const note of open.notes) say(`  ${note}`);
      const turns = await takeTurns(open, toEffort(row, effort), say);
      const lines = row.metrics.map((metric) => toResultLine(row, metric, turns));
      for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
      if (!context.quick && lines.some(({ met }) => met === false))
        for (const text of await open.explain()) say(`  ${text}`);
      return lines;
    } finally {
      await open.close();
    }
  } catch (error) {
    say(`  not measured: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** Counts do not depend on the machine's load. */
function toEffort({ countedTurns }: Row, effort: Effort): Effort {
  if (countedTurns === undefined) return effort;
  return { turns: Math.min(countedTurns, effort.turns), maxForeignCpu: 1, maxQuietWaitMs: 0, warmsUp: false };
}

function renderTable(lines: readonly ResultLine[]): string {
  const rows = lines.map((line) => [
    String(line.row),
    line.name,
    line.ratioMedian === null ? '' : `${line.ratioMedian}x`,
    line.ratioRange === null ? '' : line.ratioRange.join('..'),
    line.target ?? '',
    line.met === null ? '' : toVerdict(line.met),
    `${line.ours} ${line.unit}`,
    line.theirs === null ? '' : `${line.theirs} ${line.unit}`,
    `${line.cpuUsPerOp.ours ?? '-'} / ${line.cpuUsPerOp.peer ?? '-'}`,
    `${line.runs}${line.skippedRuns === 0 ? '' : ` (${line.skippedRuns} dropped)`}`,
  ]);
  const head = ['#', 'metric', 'ratio', 'range', 'target', '', 'ours', 'peer', 'CPU us/op', 'runs'];
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? '').length)));
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function toVerdict(met: boolean): string {
  return met ? 'met' : 'MISSED';
}

/** A folder in memory if possible, otherwise in the temporary folder. */
function makeMemoryDir(): string {
  try {
    return mkdtempSync('/dev/shm/ratchet-bench-');
  } catch {
    say('no /dev/shm: workspaces lie in the temporary folder, and the disk is measured too');
    return mkdtempSync(join(tmpdir(), 'ratchet-bench-'));
  }
}

function makeDiskDir(parent: string): string {
  const folder = mkdtempSync(join(parent, 'ratchet-bench-'));
  if (statfsSync(folder).type === TMPFS_MAGIC)
    say(`${parent} is in memory: durable writes cost nothing here (see --disk)`);
  return folder;
}

/** Rows name their files alike: each has folders of its own, so that none finds what another left. */
function toOwnContext({ memoryDir, diskDir, quick }: RowContext, { number }: Row): RowContext {
  const own = { memoryDir: join(memoryDir, `row-${number}`), diskDir: join(diskDir, `row-${number}`), quick };
  for (const folder of [own.memoryDir, own.diskDir]) mkdirSync(folder);
  return own;
}

async function run(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(args);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return WRONG_USE;
  }
  const context: RowContext = { memoryDir: makeMemoryDir(), diskDir: makeDiskDir(options.disk), quick: options.quick };
  // Deleted at the end, because on some file systems a deletion slows down writing the next files.
  const removeFolders = (): void => {
    for (const folder of [context.memoryDir, context.diskDir]) rmSync(folder, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    removeFolders();
    process.exit(INTERRUPTED);
  });
  try {
    const results: (readonly ResultLine[] | null)[] = [];
    for (const row of options.rows) results.push(await runRow(row, toOwnContext(context, row), options.effort));
    const lines = results.flatMap((result) => result ?? []);
    say(`\n${renderTable(lines)}`);
    if (results.includes(null)) return NOT_MEASURED;
    return options.strict && lines.some(({ met }) => met === false) ? MISSED : 0;
  } finally {
    removeFolders();
  }
}

process.exitCode = await run(process.argv.slice(2));
