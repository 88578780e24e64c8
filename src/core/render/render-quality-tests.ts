import type { CoverageTotal, CoverageView } from '../findings/view-coverage.ts';
import { toProjectKey, toProjectName } from '../model/project.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { toInlineCode } from '../text/escape.ts';
import { toCountText, toLines } from '../text/words.ts';
import { toSection } from './markdown.ts';

/** Most places listed per engine. */
const MAX_PLACES = 10;

/** Tests and coverage of the TARGET runs that report them. */
export function renderTests({ report, comparisons, coverage }: QualityStory): string {
  const lines = report.runs.flatMap((run) => {
    const { mode, tests } = run;
    const key = toProjectKey(run);
    if (mode !== 'target') return [];
    const comparison = comparisons.find((candidate) => toProjectKey(candidate) === key);
    const removed = comparison?.kind === 'compared' ? comparison.removedTests.length : 0;
    return [
      ...(tests === null ? [] : [`- ${toInlineCode(toProjectName(run))}: ${toTestCounts(tests, removed)}`]),
      ...coverage.filter((view) => toProjectKey(view) === key).flatMap(renderCoverage),
    ];
  });
  return toSection('### Tests and coverage', lines);
}

function toTestCounts(tests: readonly { readonly outcome: string }[], removed: number): string {
  const count = (outcome: string): string => String(tests.filter((test) => test.outcome === outcome).length);
  const ran = `${count('passed')} passed, ${count('failed')} failed, ${count('error')} in error, ${count('skipped')} skipped`;
  return `${ran}, ${String(removed)} that failed on the base removed`;
}

function renderCoverage(view: CoverageView): readonly string[] {
  const { head, base, uncovered } = view;
  const against =
    base.kind === 'compared' ? toDelta(head, base.total) : `; it cannot be compared with the base's: ${base.why}`;
  return [
    `- ${toInlineCode(toProjectName(view))}: coverage ${toShare(head)}${against}`,
    `  - Changed lines that are not covered: ${toUncovered(uncovered)}`,
  ];
}

function toShare(coverage: CoverageTotal): string {
  const { covered, total } = coverage;
  const share = total === 0 ? 'nothing to cover' : `${(toTenths(coverage) / 10).toFixed(1)} %`;
  return `${share} (${String(covered)} of ${String(total)})`;
}

/** Rounded down, so that only full coverage shows as 100 %. */
function toTenths({ covered, total }: CoverageTotal): number {
  return Math.floor((1000 * covered) / total);
}

/** The difference in tenths of a point, computed from the rounded shares so that the three numbers add up. */
function toDelta(head: CoverageTotal, base: CoverageTotal): string {
  const shown = `the base: ${toShare(base)}`;
  if (head.total === 0 || base.total === 0) return `; on ${shown}`;
  const tenths = toTenths(head) - toTenths(base);
  if (tenths !== 0) return `, ${tenths > 0 ? '+' : ''}${(tenths / 10).toFixed(1)} points against ${shown}`;
  const difference = head.covered * base.total - base.covered * head.total;
  if (difference === 0) return `, as on ${shown}`;
  return `, less than 0.1 points ${difference > 0 ? 'above' : 'below'} ${shown}`;
}

function toUncovered(files: CoverageView['uncovered']): string {
  if (files === null) return 'not known, for the whole change could not be read';
  if (files.length === 0) return 'none';
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  const places = files.flatMap(({ path, lines: own }) => toRanges(own).map((range) => `${path}:${range}`));
  const named = toLines(places, MAX_PLACES, toInlineCode, (rest) => `and ${rest} more`).join(', ');
  const where = `${String(lines)} in ${toCountText(files.length, 'file')}`;
  return `${where}: ${named}`;
}

/** Merges consecutive lines into ranges: `2-4`, `9`. */
function toRanges(lines: readonly number[]): readonly string[] {
  const all = new Set(lines);
  return lines
    .filter((line) => !all.has(line - 1))
    .map((start) => {
      let end = start;
      while (all.has(end + 1)) end += 1;
      return end === start ? String(start) : `${String(start)}-${String(end)}`;
    });
}
