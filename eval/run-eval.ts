import { parseArgs } from 'node:util';
import { EXIT, parseWholeNumber, renderTable, toExitCode, toVerdict } from '../bench/print-table.ts';
import { findGitDir, openRepository, type Repository } from './data/open-repository.ts';
import { renderMisses } from './render-misses.ts';
import { type EvalContext, type EvalLine, type EvalRow, type Measurement, NotMeasuredError } from './row.ts';
import { changesMade } from './rows/changes-made.ts';
import { classesCode } from './rows/classes-code.ts';
import { classesLogClassifier } from './rows/classes-log-classifier.ts';
import { classesLogchunks } from './rows/classes-logchunks.ts';
import { classesMessages } from './rows/classes-messages.ts';
import { excerptBugswarm } from './rows/excerpt-bugswarm.ts';
import { excerptCidiff } from './rows/excerpt-cidiff.ts';
import { excerptLogchunks } from './rows/excerpt-logchunks.ts';
import { excerptRepairs } from './rows/excerpt-repairs.ts';
import { mergesAnswers } from './rows/merges-answers.ts';
import { mergesLadder } from './rows/merges-ladder.ts';
import { mergesReal } from './rows/merges-real.ts';
import { patchesRecorded } from './rows/patches-recorded.ts';
import { prompt } from './rows/prompt.ts';
import { signaturesBugswarm } from './rows/signatures-bugswarm.ts';
import { signaturesLogchunks } from './rows/signatures-logchunks.ts';
import { signaturesMade } from './rows/signatures-made.ts';
import { isPart, PARTS, type Part, sampleItems, selectPart } from './select-items.ts';

const ROWS: readonly EvalRow[] = [
  excerptBugswarm,
  excerptLogchunks,
  excerptCidiff,
  excerptRepairs,
  classesMessages,
  classesLogClassifier,
  classesCode,
  classesLogchunks,
  signaturesMade,
  signaturesLogchunks,
  signaturesBugswarm,
  mergesReal,
  mergesLadder,
  mergesAnswers,
  changesMade,
  patchesRecorded,
  prompt,
];
const FOLDER_VARIABLE = 'RATCHET_EVAL_DATA';

/** What the program gives: its environment, a line for people, and the output. */
export interface Outside {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  readonly print: (output: string) => void;
}

interface Options {
  readonly rows: readonly EvalRow[];
  readonly dataFolder: string | null;
  readonly part: Part;
  readonly every: number;
  readonly worst: number;
  readonly isJson: boolean;
  readonly isStrict: boolean;
}

function parseOptions(args: readonly string[], environment: Outside['environment']): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      part: { type: 'string', default: 'tuning' },
      sample: { type: 'string', default: '1' },
      worst: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
    },
  });
  const rows = ROWS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
  );
  const unknown = positionals.filter((start) => !ROWS.some(({ name }) => name.startsWith(start)));
  if (unknown.length > 0) throw new RangeError(`rows are ${ROWS.map(({ name }) => name).join(', ')}`);
  if (!isPart(values.part)) throw new RangeError(`--part is ${PARTS.join(', ')}, not "${values.part}"`);
  return {
    ...{ rows, part: values.part, isJson: values.json, isStrict: values.strict },
    dataFolder: values.data ?? environment[FOLDER_VARIABLE] ?? null,
    every: parseWholeNumber(values.sample, '--sample', 1, 10_000),
    worst: parseWholeNumber(values.worst, '--worst', 0, 10_000),
  };
}

/** Runs one row. Repositories that it opened are closed at its end. */
async function runRow(row: EvalRow, options: Options, say: Outside['say']): Promise<Measurement | null> {
  const opened: Repository[] = [];
  const context: EvalContext = {
    open: async (name) => {
      const gitDir = options.dataFolder === null ? null : findGitDir(options.dataFolder, name);
      if (gitDir === null) throw new NotMeasuredError(`no clone of ${name}; see --data and ${FOLDER_VARIABLE}`);
      const repository = openRepository(gitDir);
      opened.push(repository);
      return repository;
    },
    select: (items) => sampleItems(selectPart(items, options.part), options.every),
    part: (items) => selectPart(items, options.part),
    sample: (items) => sampleItems(items, options.every),
  };
  say(`${row.name}: ${row.about}`);
  try {
    const start = performance.now();
    const measurement = await row.measure(context);
    for (const note of measurement.notes) say(`  ${note}`);
    say(`  ${((performance.now() - start) / 1000).toFixed(1)} s`);
    for (const text of renderMisses(measurement.misses, options.worst)) say(`  ${text}`);
    return measurement;
  } catch (error) {
    say(`  not measured: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  } finally {
    for (const repository of opened) await repository.close();
  }
}

function toUnmeasuredLine(row: EvalRow): EvalLine {
  const nothing = { ours: null, peer: null, n: 0, goal: null, met: null, unit: '%' };
  return { row: row.name, data: 'not measured', ...nothing };
}

function renderLines(lines: readonly EvalLine[]): string {
  const head = ['row', 'data', 'ours', 'peer', 'n', 'goal', ''];
  return renderTable(
    head,
    lines.map(({ row, data, ours, peer, n, goal, met, unit }) => [
      row,
      data,
      ours === null ? '' : `${ours} ${unit}`,
      Object.entries(peer ?? {})
        .map(([name, value]) => `${name} ${value}`)
        .join('; '),
      String(n),
      goal ?? '',
      toVerdict(met),
    ]),
  );
}

/** Runs rows of the evaluation. Returns the exit code (docs/evaluation.md). */
export async function runEval(args: readonly string[], { environment, say, print }: Outside): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(args, environment);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return EXIT.wrongUse;
  }
  const lines: EvalLine[] = [];
  let isMeasured = true;
  for (const row of options.rows) {
    const measurement = await runRow(row, options, say);
    if (measurement === null) isMeasured = false;
    const ofRow = measurement?.lines ?? [toUnmeasuredLine(row)];
    // At once, because a whole run takes long.
    if (options.isJson) print(ofRow.map((line) => `${JSON.stringify(line)}\n`).join(''));
    lines.push(...ofRow);
  }
  if (!options.isJson) print(`${renderLines(lines)}\n`);
  const verdicts = lines.map(({ met }) => met);
  return toExitCode(verdicts, isMeasured, options.isStrict);
}
