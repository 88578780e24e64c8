import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { cutTail } from '../text/cut-bytes.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines, toSecondsText } from '../text/words.ts';
import { toParagraphs, toSection } from './markdown.ts';

const MAX_ENGINES = 60;
const MAX_FAILURES = 20;
const MAX_STDERR_BYTES = 2_048;
const MAX_ARGV_LENGTH = 600;
const MAX_MESSAGE_LENGTH = 500;
const MAX_CELL_LENGTH = 80;

const HEADER = [
  '| engine | version | modes run | config | exit → category | new | fixed | existing | time | cached |',
  '| --- | --- | --- | --- | --- | --: | --: | --: | --: | --- |',
];

/** A table with one row per planned engine. */
export function renderEngines(story: QualityStory): string {
  const engines = [...new Set(story.report.plans.map(({ engine }) => engine))];
  if (engines.length === 0) {
    return 'The policy names no engine, and none was detected in the repository. Name one under `engines` in `.github/ratchet.yml`.';
  }
  const rows = toLines(
    engines,
    MAX_ENGINES,
    (engine) => renderRow(story, engine),
    (rest) => `\nand ${rest} more`,
  );
  return toSection('### Engines', [...HEADER, ...rows]);
}

function renderRow({ report, comparisons, settings }: QualityStory, engine: string): string {
  const run = findRun(report, engine);
  const name = toCell(engine) + (settings[engine]?.required === true ? ' (required)' : '');
  const cells = [
    name,
    run?.version === null || run === null ? '–' : toCell(run.version),
    toModes(report, engine),
    toConfig(report, engine),
    run === null ? toReasonNotRun(report, engine) : toExit(run),
    ...toCounts(comparisons.find((comparison) => comparison.engine === engine)),
    run === null ? '–' : toSecondsText(run.exit.durationMs),
    run?.cached === true ? 'yes' : 'no',
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The TARGET run, which counts (000.R16), or the CURRENT run if there is no other. */
function findRun({ runs }: EnginesReport, engine: string): EngineRun | null {
  const own = runs.filter((run) => run.engine === engine);
  return own.find(({ mode }) => mode === 'target') ?? own[0] ?? null;
}

function toModes({ dedup, request }: EnginesReport, engine: string): string {
  const ran = dedup.find((decision) => decision.engine === engine)?.ran ?? 'none';
  if (ran === 'target' && request === 'both') return 'TARGET (CURRENT identical)';
  return { target: 'TARGET', current: 'CURRENT', both: 'CURRENT, TARGET', none: '–' }[ran];
}

function toConfig({ plans }: EnginesReport, engine: string): string {
  const path = plans.find((plan) => plan.engine === engine)?.configPath ?? null;
  return path === null ? 'none' : toCell(path);
}

function toReasonNotRun({ skipped, configErrors, engineErrors }: EnginesReport, engine: string): string {
  const isOf = (item: { readonly engine: string }): boolean => item.engine === engine;
  if (configErrors.some(isOf)) return 'deselected';
  const error = engineErrors.find(isOf);
  if (error !== undefined) return error.kind;
  return skipped.find(isOf)?.why.replaceAll('_', ' ') ?? 'did not run';
}

function toExit({ exit, category, complete }: EngineRun): string {
  const code = exit.kind === 'exited' ? String(exit.exitCode) : exit.kind.replaceAll('_', ' ');
  return `${code} → ${category.replaceAll('_', ' ')}${complete ? '' : ', incomplete'}`;
}

function toCounts(comparison: EngineComparison | undefined): readonly [string, string, string] {
  if (comparison === undefined) return ['–', '–', '–'];
  if (comparison.kind === 'not_comparable') return ['?', '–', `${String(comparison.findings.length)} in all`];
  const { added, fixed, existing } = comparison;
  return [String(added.length), String(fixed.length), String(existing.length)];
}

/** A pipe would end the table cell, even inside code. */
function toCell(text: string): string {
  return toInlineCode(text.slice(0, MAX_CELL_LENGTH).replaceAll('|', '¦'));
}

/** Engines without a trustworthy answer, in their own section (000.R36). They are in no total (000.R35). */
export function renderFailures({ report }: QualityStory): string {
  const failures = toLines(report.engineErrors, MAX_FAILURES, renderFailure, (rest) => `and ${rest} more`);
  return failures.length === 0 ? '' : toParagraphs(['### Engine failures', ...failures]);
}

function renderFailure(error: EngineError): string {
  const { engine, mode, kind, message, exitCode, signal, argv, cwd, stderr } = error;
  const exit = signal === null ? String(exitCode ?? 'none') : `${String(exitCode ?? 'none')}, signal ${signal}`;
  const lines = [
    `**${toInlineCode(engine)} (${mode.toUpperCase()}): ${kind}** ${toPlainText(message, MAX_MESSAGE_LENGTH)}`,
    '',
    `- Command: ${toInlineCode(argv.join(' ').slice(0, MAX_ARGV_LENGTH))}`,
    `- Folder: ${toInlineCode(cwd)}`,
    `- Exit code: ${exit}`,
    ...(stderr.trim() === '' ? [] : ['', toFence(cutTail(stderr, MAX_STDERR_BYTES))]),
  ];
  return lines.join('\n');
}

/** Configuration errors, incomplete or incomparable runs, and skipped engines. */
export function renderSettings(story: QualityStory): string {
  const { report, comparisons } = story;
  const errors = report.configErrors.map(({ engine, code, message }) => {
    return `- ${toInlineCode(engine)} is switched off (${code}): ${toPlainText(message, MAX_MESSAGE_LENGTH)}`;
  });
  const partial = [...report.runs.flatMap(toPartial), ...comparisons.flatMap(toIncomparable)];
  const skipped = report.skipped.map(({ engine, why }) => `- ${toInlineCode(engine)}: ${SKIPS[why]}`);
  return toParagraphs([
    toSection('### Configuration errors', errors.slice(0, MAX_ENGINES)),
    toSection('### Not the whole answer', partial.slice(0, MAX_ENGINES)),
    toSection('### Skipped', skipped.slice(0, MAX_ENGINES)),
  ]);
}

const SKIPS = {
  no_applicable_files: 'no file in its scope is one for it',
  dependencies_missing: 'the dependencies that it needs could not be prepared',
  disabled: 'switched off by the policy',
} as const;

function toPartial({ engine, mode, complete, incompleteWhy }: EngineRun): readonly string[] {
  if (complete) return [];
  const why = toPlainText(incompleteWhy ?? 'it did not look at everything', MAX_MESSAGE_LENGTH);
  return [`- ${toInlineCode(engine)} (${mode.toUpperCase()}) is incomplete, and shows nothing to be fixed: ${why}`];
}

function toIncomparable(comparison: EngineComparison): readonly string[] {
  const name = toInlineCode(comparison.engine);
  if (comparison.kind === 'not_comparable') {
    return [`- ${name} cannot be compared with the base: ${toPlainText(comparison.why, MAX_MESSAGE_LENGTH)}`];
  }
  const { uncompared } = comparison;
  return uncompared.length === 0
    ? []
    : [`- ${name}: nobody can say of ${String(uncompared.length)} whether they are new`];
}
