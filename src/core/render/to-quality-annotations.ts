import type { CheckAnnotation } from '../model/check-run.ts';
import { type Finding, SEVERITIES, type Severity } from '../model/finding.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { cutHead } from '../text/cut-bytes.ts';
import { stripInvisible } from '../text/escape.ts';
import { toFindingText } from './finding-text.ts';
import { MAX_TITLE_LENGTH } from './limits.ts';

/** GitHub accepts more, in batches of 50, but no one reads that many. */
export const MAX_ANNOTATIONS = 300;
/** GitHub's limits: 64 KiB for a message, 255 characters for a title. */
const MAX_MESSAGE_BYTES = 8_192;

const LEVELS: Readonly<Record<Severity, CheckAnnotation['level']>> = {
  blocker: 'failure',
  high: 'failure',
  medium: 'warning',
  low: 'notice',
};

/**
 * The new findings as annotations, most severe first, at most 300. Only for files of the head: GitHub refuses a whole
 * batch because of one unknown path. A finding without a line is put at line 1. Columns are set only within one line.
 */
export function toQualityAnnotations(
  { added }: Pick<QualityStory, 'added'>,
  headFiles: ReadonlySet<string>,
): readonly CheckAnnotation[] {
  return added
    .toSorted((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity))
    .flatMap((finding) => toAnnotation(finding, headFiles))
    .slice(0, MAX_ANNOTATIONS);
}

function toAnnotation(finding: Finding, headFiles: ReadonlySet<string>): readonly CheckAnnotation[] {
  const { path, severity, tool, rule, column } = finding;
  if (path === null || !headFiles.has(path)) return [];
  const startLine = Math.max(1, finding.line ?? 1);
  const endLine = Math.max(startLine, finding.endLine ?? startLine);
  const isOneLine = startLine === endLine && finding.line !== null && column !== null && column >= 1;
  const text = cutHead(stripInvisible(toFindingText(finding)), MAX_MESSAGE_BYTES).trim();
  return [
    {
      path,
      startLine,
      endLine,
      ...(isOneLine ? { startColumn: column, endColumn: column } : {}),
      level: LEVELS[severity],
      title: toTitle(rule === null ? tool : `${tool} ${rule}`),
      message: text === '' ? 'The tool gives no message.' : text,
    },
  ];
}

function toTitle(name: string): string {
  return stripInvisible(name).replaceAll(/\s+/gu, ' ').slice(0, MAX_TITLE_LENGTH).toWellFormed();
}
