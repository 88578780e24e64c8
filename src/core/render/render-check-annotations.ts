import { type Finding, SEVERITIES, type Severity } from '../model/finding.ts';
import { cutText } from '../text/cut-text.ts';
import { toOneLine } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { type CheckStory, createStandings, toAllFindings } from './check-story.ts';
import { concludeCheck } from './conclude-check.ts';
import { toFindingText } from './finding-text.ts';
import { listGaps } from './list-gaps.ts';
import { MAX_OF_A_KIND, toWorkflowCommand, type WorkflowAnnotation } from './workflow-commands.ts';

const KINDS: Readonly<Record<Severity, WorkflowAnnotation['kind']>> = {
  blocker: 'error',
  high: 'error',
  medium: 'warning',
  low: 'notice',
};
const NOWHERE = { file: null, line: null, endLine: null, column: null } as const;
const MAX_TITLE = 255;
const MAX_MESSAGE = 4096;
/** One is left for the notice that counts the rest. */
const MAX_NOTICES = MAX_OF_A_KIND - 1;

/**
 * The annotations of `ratchet check --format github`, one line each: engines that could not answer, then the findings, the
 * most severe first. With a base, findings that it has too are left out. `folder` is the root of the checkout relative to
 * the folder that GitHub takes paths from, `.` if they are the same.
 */
export function renderCheckAnnotations(story: CheckStory, folder: string): string {
  const all = [...toFailures(story), ...toFindings(story, folder)];
  const byKind = Map.groupBy(all, ({ kind }) => kind);
  const shown = [...byKind].flatMap(([kind, list]) => list.slice(0, kind === 'notice' ? MAX_NOTICES : MAX_OF_A_KIND));
  const left = all.length - shown.length;
  const rest: readonly WorkflowAnnotation[] =
    left === 0
      ? []
      : [
          {
            kind: 'notice',
            title: 'ratchet',
            message: `${toCountText(left, 'more annotation')}: see the log`,
            ...NOWHERE,
          },
        ];
  return [...shown, ...rest].map((annotation) => `${toWorkflowCommand(annotation)}\n`).join('');
}

/** The annotations where there is no report. */
export function renderProblemAnnotations(problems: readonly string[]): string {
  const lines = problems.slice(0, MAX_OF_A_KIND).map((message) => {
    return toWorkflowCommand({ kind: 'error', title: 'ratchet check', message, ...NOWHERE });
  });
  return lines.map((line) => `${line}\n`).join('');
}

function toFailures(story: CheckStory): readonly WorkflowAnnotation[] {
  // Where only requested files are not covered, the check is clean.
  const kind = concludeCheck(story) === 0 ? 'warning' : 'error';
  return listGaps(story).map(({ engine, why }) => ({
    kind,
    title: cutText(toOneLine(engine ?? 'ratchet'), MAX_TITLE),
    message: cutText(why, MAX_MESSAGE),
    ...NOWHERE,
  }));
}

function toFindings(story: CheckStory, folder: string): readonly WorkflowAnnotation[] {
  const standing = createStandings(story);
  return toAllFindings(story)
    .filter((finding) => standing(finding) !== 'existing')
    .toSorted((left, right) => toRank(left) - toRank(right))
    .map((finding) => toAnnotation(finding, folder));
}

function toRank({ severity }: Finding): number {
  return SEVERITIES.indexOf(severity);
}

function toAnnotation(finding: Finding, folder: string): WorkflowAnnotation {
  const { severity, tool, rule, path, line, endLine, column } = finding;
  const message = toFindingText(finding);
  return {
    kind: KINDS[severity],
    title: cutText(toOneLine(rule === null ? tool : `${tool} ${rule}`), MAX_TITLE),
    message: message.trim() === '' ? 'The tool gives no message.' : cutText(message, MAX_MESSAGE),
    file: path === null || folder === '.' ? path : `${folder}/${path}`,
    line: line ?? 1,
    endLine: line === null ? null : endLine,
    column,
  };
}
