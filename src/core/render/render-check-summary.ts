import { isNothingCovered } from '../engines/find-idle.ts';
import type { EngineRun } from '../model/engine.ts';
import { type Finding, SEVERITIES } from '../model/finding.ts';
import { toProjectName } from '../model/project.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText, toLines } from '../text/words.ts';
import { type CheckStory, createStandings, toAllFindings } from './check-story.ts';
import { concludeCheck } from './conclude-check.ts';
import { toFindingText } from './finding-text.ts';
import { type Gap, listGaps } from './list-gaps.ts';
import { toParagraphs, toSection } from './markdown.ts';

/** GitHub takes 1 MiB for a step; this stays far below. */
const MAX_FINDINGS = 100;
const MAX_ITEMS = 50;
const MAX_MESSAGE = 300;

/** The summary of a step of GitHub Actions, as Markdown. With a base, findings that it has too are only counted. */
export function renderCheckSummary(story: CheckStory): string {
  const { report } = story;
  const standing = createStandings(story);
  const all = toAllFindings(story);
  const shown = all
    .filter((finding) => standing(finding) !== 'existing')
    .toSorted((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
  const sections = [
    `### Ratchet: ${toConclusion(story, { shown: shown.length, known: all.length - shown.length })}`,
    toSection('', toLines(shown, MAX_FINDINGS, toFindingLine)).trimStart(),
    toSection('Not looked at, or not wholly:', toLines(listGaps(story), MAX_ITEMS, toGapLine)),
    toTable(report.runs),
  ];
  return `${toParagraphs(sections)}\n`;
}

function toConclusion(story: CheckStory, { shown, known }: { readonly shown: number; readonly known: number }): string {
  const mark = concludeCheck(story) === 0 ? '✓' : '✗';
  if (story.comparison === null) {
    const count = toCountText(shown, 'finding');
    return `${mark} ${isNothingCovered(story.report) ? `no engine checks these files · ${count} elsewhere` : count}`;
  }
  return `${mark} ${toCountText(shown, 'finding')} new or not comparable, ${String(known)} on the base too`;
}

function toFindingLine(finding: Finding): string {
  const { severity, path, line, tool, rule } = finding;
  const place = path === null ? '' : ` ${toInlineCode(line === null ? path : `${path}:${String(line)}`)}`;
  const name = toInlineCode(rule === null ? tool : `${tool} ${rule}`);
  return `- **${severity}**${place} ${toPlainText(toFindingText(finding), MAX_MESSAGE)} (${name})`;
}

function toGapLine({ engine, why }: Gap): string {
  return `- ${engine === null ? '' : `${toInlineCode(engine)}: `}${toPlainText(why, MAX_MESSAGE)}`;
}

function toTable(runs: readonly EngineRun[]): string {
  if (runs.length === 0) return 'No engine ran.';
  const rows = runs.map(({ version, mode, findings, complete, ...run }) =>
    [
      toInlineCode(toProjectName(run)),
      version === null ? '' : toInlineCode(version),
      mode,
      String(findings.length),
      complete ? 'all' : '**a part**',
    ].join(' | '),
  );
  return [
    '| engine | version | mode | findings | looked at |',
    '| - | - | - | - | - |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}
