import type { OverBudget } from '../findings/budgets.ts';
import { type Finding, SEVERITIES } from '../model/finding.ts';
import type { AcceptedByPerson, QualityStory } from '../quality/quality-story.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines } from '../text/words.ts';
import { toFindingText } from './finding-text.ts';
import { toSection } from './markdown.ts';

/** The check run has all of them as annotations, as far as GitHub takes them. */
const MAX_FINDINGS = 50;
const MAX_ITEMS = 50;
const MAX_MESSAGE_LENGTH = 300;
const MAX_RULE_LENGTH = 100;
const MAX_PLACE_LENGTH = 200;

/** New findings, most severe first; empty without any. */
export function renderFindings(story: QualityStory): string {
  const { added } = story;
  const ordered = added.toSorted((left, right) => toRank(left) - toRank(right));
  const lines = toLines(ordered, MAX_FINDINGS, (finding) => renderFinding(story, finding));
  return toSection('### New findings', lines);
}

function toRank({ severity }: Finding): number {
  return SEVERITIES.indexOf(severity);
}

function renderFinding({ changedLines }: QualityStory, finding: Finding): string {
  const { severity, tool, rule, path, line } = finding;
  const isChanged = path !== null && line !== null && changedLines.get(path)?.has(line) === true;
  const place = path === null ? '' : ` ${toInlineCode(toPlace(path, line))}`;
  const name = rule === null ? tool : `${tool} ${rule}`;
  const where = isChanged ? ', in a changed line' : '';
  return `- **${severity}**${place} ${toPlainText(toFindingText(finding), MAX_MESSAGE_LENGTH)} (${toInlineCode(name.slice(0, MAX_RULE_LENGTH))})${where}`;
}

/** The end of a long path tells more than its start. */
function toPlace(path: string, line: number | null): string {
  return (line === null ? path : `${path}:${String(line)}`).slice(-MAX_PLACE_LENGTH).toWellFormed();
}

/** Files with more findings than their budget allows. */
export function renderOverBudget({ overBudget }: QualityStory): string {
  const toLine = (over: OverBudget): string => {
    const file = over.path === null ? 'findings without a file' : toInlineCode(over.path);
    return `- ${file}: ${String(over.count)} of severity ${over.severity} (${toInlineCode(over.engine)}), ${String(over.budget)} allowed`;
  };
  return toSection('### Over budget', toLines(overBudget, MAX_ITEMS, toLine));
}

/** Findings that a person accepted, and why. */
export function renderAccepted({ accepted }: QualityStory): string {
  const groups = Map.groupBy(accepted, toAcceptance);
  const lines = [...groups].slice(0, MAX_ITEMS).map(([words, group]) => `- ${String(group.length)} by ${words}`);
  return toSection('### Accepted', lines);
}

function toAcceptance({ author, reason }: AcceptedByPerson): string {
  return `${toInlineCode(author)}: ${toPlainText(reason, MAX_MESSAGE_LENGTH)}`;
}
