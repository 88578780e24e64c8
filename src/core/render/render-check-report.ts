import { isNothingCovered } from '../engines/find-idle.ts';
import type { PlannedFix } from '../engines/plan-fixes.ts';
import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding, Severity } from '../model/finding.ts';
import { toProjectKey, toProjectName } from '../model/project.ts';
import { cutText } from '../text/cut-text.ts';
import { toOneLine } from '../text/escape.ts';
import { toCountText, toLines, toSecondsText } from '../text/words.ts';
import { type CheckStory, createStandings, type Standing, toAllFindings, toNewFingerprints } from './check-story.ts';
import { concludeCheck } from './conclude-check.ts';
import { toFindingText } from './finding-text.ts';
import { toInstallWords } from './install-words.ts';
import { toUnlooked } from './list-gaps.ts';
import { toParagraphs } from './markdown.ts';
import { renderFix, renderPlannedFixes } from './render-fix.ts';
import { renderProjects } from './render-projects.ts';
import { toMovedSubmoduleWords } from './submodule-words.ts';

/** The meaning of a piece of text. Without colours the text is shown unchanged. */
export type Tone = 'bad' | 'warn' | 'good' | 'dim' | 'strong';
export type Paint = (tone: Tone, text: string) => string;

const TONES: Readonly<Record<Severity, Tone>> = { blocker: 'bad', high: 'bad', medium: 'warn', low: 'dim' };
const SHOWN_STDERR_LINES = 5;
const MAX_MESSAGE = 500;
/** Longer texts are cut: an argument list can hold thousands of paths. */
const MAX_ARGV = 300;
const MAX_WHY = 500;
const NO_FILE = '(no file)';
const SHOWN_EXISTING_FILES = 5;
const MARKS: Readonly<Record<Standing, string>> = { new: 'new', existing: '', unknown: 'new?' };
const UNREAD = 'the change was not read whole: places where a check was switched off may be missing';

/**
 * The terminal report of `ratchet check`: findings by file (with a base: the new ones, and how many it has too), then
 * failures and skipped engines with the reason, one line per engine, and the totals. Output of tools is shown without control
 * characters.
 */
export function renderCheckReport(story: CheckStory, paint: Paint): string {
  const sections = [
    toBlock(paint('strong', 'Fixed'), renderFix(story)),
    renderFindings(story, paint),
    renderFailures(story.report.engineErrors, paint),
    renderSettings(story.report, paint),
    renderUnlooked(story.report, paint),
    renderChangedConfigs(story, paint),
    renderNotComparable(story, paint),
    renderEngines(story, paint),
    renderTotals(story, paint),
  ];
  return `${toParagraphs(sections)}\n`;
}

/** The output of `ratchet check --plan`. */
export function renderPlans(
  { report, fixes }: Pick<CheckStory, 'report'> & { readonly fixes: readonly PlannedFix[] | null },
  paint: Paint,
): string {
  const plans = report.plans.map((plan) => {
    const head = `${paint('strong', toOneLine(toProjectName(plan)))} ${plan.mode} ${paint('dim', plan.hash.slice(0, 12))}`;
    const config = plan.configPath ?? "the tool's own discovery";
    const args = plan.args.length === 0 ? '' : `\n  args    ${toOneLine(plan.args.join(' '))}`;
    return `${head}\n  targets ${cutText(toOneLine(plan.targets.join(' ')), MAX_ARGV)}\n  config  ${toOneLine(config)}${args}`;
  });
  const dedup = report.dedup.map((one) => `${toOneLine(toProjectName(one))}: ${RAN_WORDS[one.ran]}`);
  const fixers = fixes === null ? '' : toBlock(paint('strong', 'Fixers'), renderPlannedFixes(fixes));
  const projects = renderProjects(report.projects, paint('strong', 'Projects'));
  const rest = [renderSettings(report, paint), renderUnlooked(report, paint)];
  return `${toParagraphs([...plans, dedup.join('\n'), fixers, projects, ...rest])}\n`;
}

const RAN_WORDS: Readonly<Record<EnginesReport['dedup'][number]['ran'], string>> = {
  target: 'runs target',
  current: 'runs current',
  both: 'the plans differ: runs current, then target',
  none: 'does not run',
};

/** Lines below a title; empty if there are none. */
function toBlock(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines].join('\n');
}

/** Findings by file, files with new ones first. With a base, what it has too is only counted. */
function renderFindings(story: CheckStory, paint: Paint): string {
  const standing = createStandings(story);
  const all = toAllFindings(story);
  const shown = all.filter((finding) => standing(finding) !== 'existing');
  const isNew = (finding: Finding): boolean => standing(finding) === 'new';
  const files = [...Map.groupBy(shown, ({ path }) => path ?? NO_FILE)].map(([path, findings]) => ({
    path,
    findings: [...findings.filter(isNew), ...findings.filter((finding) => !isNew(finding))],
  }));
  const blocks = [
    ...files.filter(({ findings }) => findings.some(isNew)),
    ...files.filter(({ findings }) => !findings.some(isNew)),
  ].map(({ path, findings }) =>
    [paint('strong', toOneLine(path)), ...findings.map((finding) => renderFinding(finding, { standing, paint }))].join(
      '\n',
    ),
  );
  const known = all.filter((finding) => standing(finding) === 'existing');
  return toParagraphs([...blocks, renderExisting(known, paint)]);
}

function renderExisting(findings: readonly Finding[], paint: Paint): string {
  const byPath = Map.groupBy(findings, ({ path }) => path ?? NO_FILE);
  const files = [...byPath].toSorted(([, left], [, right]) => right.length - left.length);
  const lines = toLines(
    files,
    SHOWN_EXISTING_FILES,
    ([path, { length }]) => paint('dim', `  ${toOneLine(path)}: ${toCountText(length, 'finding')}`),
    (rest) => paint('dim', `  and ${toCountText(rest, 'more file')}; --json lists them all`),
  );
  return toBlock(paint('strong', 'On the base too'), lines);
}

function renderFinding(
  finding: Finding,
  { standing, paint }: { readonly standing: ReturnType<typeof createStandings>; readonly paint: Paint },
): string {
  const { line, column, severity, rule, tool } = finding;
  const place = `${line ?? '-'}${column === null ? '' : `:${String(column)}`}`.padEnd(8);
  const mark = MARKS[standing(finding) ?? 'existing'];
  const text = cutText(toOneLine(toFindingText(finding)), MAX_MESSAGE);
  const name = toOneLine(rule === null ? tool : `${tool} ${rule}`);
  return `  ${place} ${paint(TONES[severity], severity.padEnd(7))} ${mark === '' ? '' : `${paint('bad', mark)} `}${text}  ${paint('dim', name)}`;
}

function renderFailures(errors: readonly EngineError[], paint: Paint): string {
  const lines = errors.map((error) => renderFailure(error, paint));
  return toBlock(paint('strong', 'Engines that failed'), lines);
}

function renderFailure(error: EngineError, paint: Paint): string {
  const { mode, kind, exitCode, message, argv, cwd, stderr } = error;
  const exit = exitCode === null ? '' : `, exit code ${String(exitCode)}`;
  const said = stderr
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-SHOWN_STDERR_LINES)
    .map((line) => paint('dim', `      ${cutText(toOneLine(line), MAX_MESSAGE)}`));
  return [
    `  ${paint('bad', toOneLine(toProjectName(error)))} (${mode}): ${kind}${exit}: ${cutText(toOneLine(message), MAX_MESSAGE)}`,
    paint('dim', `      in ${toOneLine(cwd)}: ${cutText(toOneLine(argv.join(' ')), MAX_ARGV)}`),
    ...said,
  ].join('\n');
}

function renderSettings({ configErrors, skipped }: EnginesReport, paint: Paint): string {
  const errors = configErrors.map(
    ({ engine, code, message }) => `  ${paint('bad', toOneLine(engine))}: ${code}: ${toOneLine(message)}`,
  );
  const rest = skipped.map(
    (one) => `  ${paint('dim', `${toOneLine(toProjectName(one))}: ${one.why.replaceAll('_', ' ')}`)}`,
  );
  return toBlock(paint('strong', 'Not run'), [...errors, ...rest]);
}

function renderUnlooked(report: EnginesReport, paint: Paint): string {
  return toBlock(
    paint('strong', 'Not looked at'),
    toUnlooked(report).map((why) => `  ${paint('warn', cutText(toOneLine(why), MAX_WHY))}`),
  );
}

function renderChangedConfigs({ comparison }: CheckStory, paint: Paint): string {
  const lines = (comparison?.changedConfigs ?? []).map(({ engine, paths }) => {
    return `  ${paint('warn', engine)}: ${cutText(toOneLine(paths.join(', ')), MAX_ARGV)}`;
  });
  const title = paint('strong', 'Configuration that changed (the base was looked at with the changed one, too)');
  return toBlock(title, lines);
}

function renderNotComparable({ comparison }: CheckStory, paint: Paint): string {
  if (comparison === null) return '';
  const lines = comparison.engines.flatMap((engine) => {
    const why = toOpenWords(engine);
    return why === null ? [] : [`  ${paint('warn', toOneLine(toProjectName(engine)))}: ${why}`];
  });
  if (!comparison.isPatchWhole) lines.push(`  ${paint('warn', UNREAD)}`);
  lines.push(...comparison.unlooked.map((path) => `  ${paint('warn', toOneLine(toMovedSubmoduleWords(path)))}`));
  const notes = comparison.notes.map((note) => `  ${paint('dim', cutText(toOneLine(note), MAX_ARGV))}`);
  return toParagraphs([
    toBlock(paint('strong', 'Not comparable with the base'), lines),
    toBlock(paint('strong', 'Not compared as it is in the base'), notes),
  ]);
}

/** Why findings cannot be compared; null if all could be. */
function toOpenWords(comparison: EngineComparison): string | null {
  if (comparison.kind === 'not_comparable') return toOneLine(comparison.why);
  const { length } = comparison.uncompared;
  if (length === 0) return null;
  return `nobody can say whether ${toCountText(length, 'finding')} ${length === 1 ? 'is' : 'are'} new`;
}

function renderEngines({ report }: CheckStory, paint: Paint): string {
  const aliased = new Set(report.dedup.filter(({ ran }) => ran === 'target').map(toProjectKey));
  const isBoth = report.request === 'both';
  return report.runs
    .map((run) => renderEngine(run, { paint, isAlias: isBoth && aliased.has(toProjectKey(run)) }))
    .join('\n');
}

function renderEngine(
  run: EngineRun,
  { paint, isAlias }: { readonly paint: Paint; readonly isAlias: boolean },
): string {
  const { version, mode, exit, cached, complete, incompleteWhy, findings, notes } = run;
  const name = `${toOneLine(toProjectName(run))}${version === null ? '' : ` ${toOneLine(version)}`}`.padEnd(22);
  const ran = `${mode}${isAlias ? ' = current' : ''}`.padEnd(17);
  const time = cached ? 'cached' : toSecondsText(exit.durationMs);
  const count = toCountText(findings.length, 'finding');
  const left = (notes ?? []).map((note) => `\n  ${paint('dim', toOneLine(note))}`).join('');
  const gap = complete ? '' : `  ${paint('warn', `incomplete: ${toOneLine(incompleteWhy ?? 'it failed')}`)}`;
  return `${paint('dim', `${name} ${ran} ${time.padStart(8)}`)}  ${count}${gap}${left}`;
}

function renderTotals(story: CheckStory, paint: Paint): string {
  const { report, comparison } = story;
  const findings = toAllFindings(story);
  const files = new Set(findings.flatMap(({ path }) => path ?? []));
  const isClean = concludeCheck(story) === 0;
  const engines = new Set(report.runs.map(({ engine }) => engine)).size;
  const failed = new Set(report.engineErrors.map(({ engine }) => engine)).size;
  const waiting = report.skipped.filter(({ why }) => why === 'dependencies_missing').length;
  const count = `${toCountText(findings.length, 'finding')}${files.size === 0 ? '' : ` in ${toCountText(files.size, 'file')}`}`;
  const parts = [
    ...(isNothingCovered(report) ? ['no engine checks these files', `${count} elsewhere`] : [count]),
    ...(comparison === null ? [] : [`${String(toNewFingerprints(story).size)} new`, toFixedWords(comparison.engines)]),
    `${toCountText(engines, 'engine')} ran`,
    ...(failed === 0 ? [] : [`${toCountText(failed, 'engine')} failed`]),
    ...(waiting === 0 ? [] : [`${toCountText(waiting, 'engine')} could not run, as ${toInstallWords(story)}`]),
  ];
  return paint(isClean ? 'good' : 'bad', `${isClean ? '✓' : '✗'} ${parts.join(' · ')}`);
}

function toFixedWords(comparisons: readonly EngineComparison[]): string {
  const fixed = comparisons.reduce((sum, one) => sum + (one.kind === 'compared' ? one.fixed.length : 0), 0);
  return `${String(fixed)} fixed`;
}
