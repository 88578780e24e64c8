import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import { type EngineProject, toProjectKey, toProjectName } from '../model/project.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { cutTail } from '../text/cut-bytes.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines, toSecondsText } from '../text/words.ts';
import { toParagraphs, toSection } from './markdown.ts';
import { toEmptySubmoduleWords, toMovedSubmoduleWords } from './submodule-words.ts';

const MAX_ENGINES = 60;
const MAX_FAILURES = 20;
const MAX_STDERR_BYTES = 2_048;
const MAX_ARGV_LENGTH = 600;
const MAX_MESSAGE_LENGTH = 500;
const MAX_CELL_LENGTH = 80;
const MAX_MOVED = 10;

const HEADER = [
  '| engine | result | new | fixed | existing | version | configuration | time |',
  '| --- | --- | --: | --: | --: | --- | --- | --: |',
];

/** A table with one row per planned engine and project; empty without any. */
export function renderEngines(story: QualityStory): string {
  const planned = [...new Map(story.report.plans.map((plan) => [toProjectKey(plan), plan])).values()];
  const rows = toLines(
    planned,
    MAX_ENGINES,
    (plan) => renderRow(story, plan),
    (rest) => `\nand ${rest} more`,
  );
  return rows.length === 0 ? '' : [...HEADER, ...rows].join('\n');
}

function renderRow({ report, comparisons, settings }: QualityStory, plan: EngineProject): string {
  const run = findRun(report, plan);
  const name = toCell(toProjectName(plan)) + (settings[plan.engine]?.required === true ? ' (required)' : '');
  const cells = [
    name,
    toResult(report, plan, run),
    ...toCounts(comparisons.find(isOf(plan))),
    run?.version === null || run === null ? '–' : toCell(run.version),
    toConfig(report, plan),
    run === null ? '–' : `${toSecondsText(run.exit.durationMs)}${run.cached ? ' (cached)' : ''}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function isOf(project: EngineProject): (item: EngineProject) => boolean {
  const key = toProjectKey(project);
  return (item) => toProjectKey(item) === key;
}

/** The TARGET run, which counts (000.R16), or the CURRENT run if there is no other. */
function findRun({ runs }: EnginesReport, project: EngineProject): EngineRun | null {
  const own = runs.filter(isOf(project));
  return own.find(({ mode }) => mode === 'target') ?? own[0] ?? null;
}

function toConfig({ plans }: EnginesReport, project: EngineProject): string {
  const path = plans.find(isOf(project))?.configPath ?? null;
  return path === null ? 'none' : toCell(path);
}

const COULD_NOT_RUN = 'could not run';

/** What a category means for people. */
const RESULTS: Readonly<Record<EngineRun['category'], string>> = {
  success: 'ok',
  diagnostic: 'found problems',
  tool_failure: COULD_NOT_RUN,
  unknown: COULD_NOT_RUN,
};

function toResult(report: EnginesReport, project: EngineProject, run: EngineRun | null): string {
  const { skipped, configErrors, engineErrors } = report;
  if (configErrors.some(({ engine }) => engine === project.engine)) return 'switched off';
  if (engineErrors.some(isOf(project))) return COULD_NOT_RUN;
  if (run !== null) return `${RESULTS[run.category]}${run.complete ? '' : ' (incomplete)'}`;
  const why = skipped.find(isOf(project))?.why;
  return why === undefined ? 'did not run' : RESULTS_OF_SKIPS[why];
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
  return failures.length === 0 ? '' : toParagraphs(['### Engines that could not run', ...failures]);
}

function renderFailure(error: EngineError): string {
  const { mode, kind, message, exitCode, signal, argv, cwd, stderr } = error;
  const exit = signal === null ? String(exitCode ?? 'none') : `${String(exitCode ?? 'none')}, signal ${signal}`;
  const lines = [
    `**${toInlineCode(toProjectName(error))}${ON[mode]}:** ${toPlainText(message, MAX_MESSAGE_LENGTH)} (${toInlineCode(kind)})`,
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
  const skipped = report.skipped.map((one) => `- ${toInlineCode(toProjectName(one))}: ${SKIPS[one.why]}`);
  return toParagraphs([
    toSection('### Configuration errors', errors.slice(0, MAX_ENGINES)),
    toSection('### Incomplete answers', partial.slice(0, MAX_ENGINES)),
    toSection('### Not checked', [...toSubmodules(story), ...report.runs.flatMap(toLeftOut)].slice(0, MAX_ENGINES)),
    toSection('### Skipped', skipped.slice(0, MAX_ENGINES)),
  ]);
}

/** A run over a part, besides the one that counts. */
const ON: Readonly<Record<EngineRun['mode'], string>> = { target: '', current: ' on a part of the files' };

const RESULTS_OF_SKIPS = {
  no_applicable_files: 'no files',
  dependencies_missing: COULD_NOT_RUN,
  disabled: 'switched off',
} as const;

const SKIPS = {
  no_applicable_files: 'there are no files for it',
  dependencies_missing: 'its dependencies could not be installed',
  disabled: 'it is switched off by the policy',
} as const;

function toPartial(run: EngineRun): readonly string[] {
  const { mode, complete, incompleteWhy } = run;
  if (complete) return [];
  const why = toPlainText(incompleteWhy ?? 'it did not check everything', MAX_MESSAGE_LENGTH);
  return [`- ${toInlineCode(toProjectName(run))}${ON[mode]} is incomplete, so that nothing counts as fixed: ${why}`];
}

function toSubmodules({ report, unlooked }: QualityStory): readonly string[] {
  const words = [...unlooked.slice(0, MAX_MOVED).map(toMovedSubmoduleWords), ...toEmptySubmoduleWords(report)];
  return words.map((text) => `- ${toPlainText(text, MAX_MESSAGE_LENGTH)}`);
}

function toLeftOut(run: EngineRun): readonly string[] {
  const name = toInlineCode(toProjectName(run));
  return run.mode === 'target'
    ? (run.notes ?? []).map((note) => `- ${name}: ${toPlainText(note, MAX_MESSAGE_LENGTH)}`)
    : [];
}

function toIncomparable(comparison: EngineComparison): readonly string[] {
  const name = toInlineCode(toProjectName(comparison));
  if (comparison.kind === 'not_comparable') {
    return [`- ${name} cannot be compared with the base: ${toPlainText(comparison.why, MAX_MESSAGE_LENGTH)}`];
  }
  const { uncompared } = comparison;
  return uncompared.length === 0 ? [] : [`- ${name}: ${String(uncompared.length)} findings may be new or not`];
}
