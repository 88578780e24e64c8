import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import { type EngineProject, toProjectKey, toProjectName } from '../model/project.ts';
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

/** A table with one row per planned engine and project. */
export function renderEngines(story: QualityStory): string {
  const planned = [...new Map(story.report.plans.map((plan) => [toProjectKey(plan), plan])).values()];
  if (planned.length === 0) {
    return 'The policy names no engine, and none was detected in the repository. Name one under `engines` in `.github/ratchet.yml`.';
  }
  const rows = toLines(
    planned,
    MAX_ENGINES,
    (plan) => renderRow(story, plan),
    (rest) => `\nand ${rest} more`,
  );
  return toSection('### Engines', [...HEADER, ...rows]);
}

function renderRow({ report, comparisons, settings }: QualityStory, plan: EngineProject): string {
  const run = findRun(report, plan);
  const name = toCell(toProjectName(plan)) + (settings[plan.engine]?.required === true ? ' (required)' : '');
  const cells = [
    name,
    run?.version === null || run === null ? '–' : toCell(run.version),
    toModes(report, plan),
    toConfig(report, plan),
    run === null ? toReasonNotRun(report, plan) : toExit(run),
    ...toCounts(comparisons.find(isOf(plan))),
    run === null ? '–' : toSecondsText(run.exit.durationMs),
    run?.cached === true ? 'yes' : 'no',
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

function toModes({ dedup, request }: EnginesReport, project: EngineProject): string {
  const ran = dedup.find(isOf(project))?.ran ?? 'none';
  if (ran === 'target' && request === 'both') return 'TARGET (CURRENT identical)';
  return { target: 'TARGET', current: 'CURRENT', both: 'CURRENT, TARGET', none: '–' }[ran];
}

function toConfig({ plans }: EnginesReport, project: EngineProject): string {
  const path = plans.find(isOf(project))?.configPath ?? null;
  return path === null ? 'none' : toCell(path);
}

function toReasonNotRun({ skipped, configErrors, engineErrors }: EnginesReport, project: EngineProject): string {
  if (configErrors.some(({ engine }) => engine === project.engine)) return 'deselected';
  const error = engineErrors.find(isOf(project));
  if (error !== undefined) return error.kind;
  return skipped.find(isOf(project))?.why.replaceAll('_', ' ') ?? 'did not run';
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
  const { mode, kind, message, exitCode, signal, argv, cwd, stderr } = error;
  const exit = signal === null ? String(exitCode ?? 'none') : `${String(exitCode ?? 'none')}, signal ${signal}`;
  const lines = [
    `**${toInlineCode(toProjectName(error))} (${mode.toUpperCase()}): ${kind}** ${toPlainText(message, MAX_MESSAGE_LENGTH)}`,
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
    toSection('### Not the whole answer', partial.slice(0, MAX_ENGINES)),
    toSection('### Left out', report.runs.flatMap(toLeftOut).slice(0, MAX_ENGINES)),
    toSection('### Skipped', skipped.slice(0, MAX_ENGINES)),
  ]);
}

const SKIPS = {
  no_applicable_files: 'no file in its scope is one for it',
  dependencies_missing: 'the dependencies that it needs could not be prepared',
  disabled: 'switched off by the policy',
} as const;

function toPartial(run: EngineRun): readonly string[] {
  const { mode, complete, incompleteWhy } = run;
  if (complete) return [];
  const why = toPlainText(incompleteWhy ?? 'it did not look at everything', MAX_MESSAGE_LENGTH);
  return [
    `- ${toInlineCode(toProjectName(run))} (${mode.toUpperCase()}) is incomplete, and shows nothing to be fixed: ${why}`,
  ];
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
  return uncompared.length === 0
    ? []
    : [`- ${name}: nobody can say of ${String(uncompared.length)} whether they are new`];
}
