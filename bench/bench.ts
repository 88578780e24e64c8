import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Effort, type ResultLine, takeTurns, toResultLine } from './measure.ts';
import { EXIT, parseWholeNumber, renderTable, toExitCode, toVerdict } from './print-table.ts';
import type { Row, RowContext } from './row.ts';
import { webhookAcks } from './rows/1-webhook-acks.ts';
import { decisions } from './rows/4-decisions.ts';
import { lifecycleCalls } from './rows/5-lifecycle-calls.ts';
import { eventStorm } from './rows/6-event-storm.ts';
import { workspacePreparation } from './rows/7-workspace-preparation.ts';
import { conflictSweep } from './rows/8-conflict-sweep.ts';
import { checkRunGrowth } from './rows/10-check-run-growth.ts';
import { logExcerpt } from './rows/12-log-excerpt.ts';
import { enginePlanning } from './rows/17-engine-planning.ts';
import { reportParsing } from './rows/18-report-parsing.ts';
import { check } from './rows/19-check.ts';
import { gateway } from './rows/20-gateway.ts';
import { fixup } from './rows/21-fixup.ts';
import { planSteps } from './rows/22-plan-steps.ts';
import { taskClaims } from './rows/23-task-claims.ts';
import { tenTasks } from './rows/24-ten-tasks.ts';

/** `bench.ts [row…]`: runs rows of the benchmark suite. docs/benchmarks.md describes the rows and the exit codes. */

const ROWS: readonly Row[] = [
  webhookAcks,
  decisions,
  lifecycleCalls,
  eventStorm,
  workspacePreparation,
  conflictSweep,
  checkRunGrowth,
  logExcerpt,
  enginePlanning,
  reportParsing,
  check,
  gateway,
  fixup,
  planSteps,
  taskClaims,
  tenTasks,
];
const LAST_ROW = 24;
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
  const wanted = new Set(positionals.map((text) => parseWholeNumber(text, 'row', 1, LAST_ROW)));
  const rows = ROWS.filter(({ number }) => wanted.size === 0 || wanted.has(number));
  if (rows.length < wanted.size) throw new RangeError(`rows are ${ROWS.map(({ number }) => number).join(', ')}`);
  // Throws if the folder does not exist.
  statfsSync(values.disk);
  const turns = parseWholeNumber(values.runs, 'runs', 5, 12);
  const maxForeignCpu = parseWholeNumber(values['max-foreign'], 'max-foreign', 0, 100) / 100;
  return {
    ...{ rows, quick: values.quick, strict: values.strict, disk: values.disk },
    effort: values.quick
      ? { turns: 2, maxForeignCpu: 1, maxQuietWaitMs: 0, warmsUp: true }
      : { turns, maxForeignCpu, maxQuietWaitMs: 30_000, warmsUp: true },
  };
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

function renderLines(lines: readonly ResultLine[]): string {
  const rows = lines.map((line) => [
    String(line.row),
    line.name,
    line.ratioMedian === null ? '' : `${line.ratioMedian}x`,
    line.ratioRange === null ? '' : line.ratioRange.join('..'),
    line.target ?? '',
    toVerdict(line.met),
    `${line.ours} ${line.unit}`,
    line.theirs === null ? '' : `${line.theirs} ${line.unit}`,
    `${line.cpuUsPerOp.ours ?? '-'} / ${line.cpuUsPerOp.peer ?? '-'}`,
    `${line.runs}${line.skippedRuns === 0 ? '' : ` (${line.skippedRuns} dropped)`}`,
  ]);
  const head = ['#', 'metric', 'ratio', 'range', 'target', '', 'ours', 'peer', 'CPU us/op', 'runs'];
  return renderTable(head, rows);
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
    return EXIT.wrongUse;
  }
  const context: RowContext = { memoryDir: makeMemoryDir(), diskDir: makeDiskDir(options.disk), quick: options.quick };
  // Deleted at the end, because on some file systems a deletion slows down writing the next files.
  const removeFolders = (): void => {
    for (const folder of [context.memoryDir, context.diskDir]) rmSync(folder, { recursive: true, force: true });
  };
  process.once('SIGINT', () => {
    removeFolders();
    process.exit(EXIT.interrupted);
  });
  try {
    const results: (readonly ResultLine[] | null)[] = [];
    for (const row of options.rows) results.push(await runRow(row, toOwnContext(context, row), options.effort));
    const lines = results.flatMap((result) => result ?? []);
    say(`\n${renderLines(lines)}`);
    const verdicts = lines.map(({ met }) => met);
    return toExitCode(verdicts, !results.includes(null), options.strict);
  } finally {
    removeFolders();
  }
}

process.exitCode = await run(process.argv.slice(2));
