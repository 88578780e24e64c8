import type { PlannedFix } from '../engines/plan-fixes.ts';
import { toProjectName } from '../model/project.ts';
import { toOneLine } from '../text/escape.ts';
import { toCountText, toLines } from '../text/words.ts';
import { type CheckStory, countAfter, type FixerStory } from './check-story.ts';

const MAX_PATHS = 20;

/** What fixers changed, as lines; none without `--fix`. */
export function renderFix({ fix, report }: CheckStory): readonly string[] {
  if (fix === undefined) return [];
  if (fix.fixers.length === 0) return ['  no engine here has a fixer for these files'];
  const fixers = fix.fixers.map((fixer) => `  ${renderFixer(fixer, countAfter(report, fixer))}`);
  if (fix.changed.length === 0) return [...fixers, '  no file was changed'];
  const paths = toLines(
    fix.changed,
    MAX_PATHS,
    (path) => `  changed ${toOneLine(path)}`,
    (rest) => `  and ${toCountText(rest, 'more file')}`,
  );
  return [...fixers, ...paths];
}

function renderFixer({ files, before, ...fixer }: FixerStory, after: number | null): string {
  const count = (findings: number | null): string =>
    findings === null ? 'an unknown number of findings' : toCountText(findings, 'finding');
  return `${toOneLine(toProjectName(fixer))}: ${count(before)} before, ${after === null ? 'an unknown number' : String(after)} after (${toCountText(files, 'file')})`;
}

/** What `--plan --fix` shows. */
export function renderPlannedFixes(fixes: readonly PlannedFix[]): readonly string[] {
  if (fixes.length === 0) return ['  no engine here has a fixer for these files'];
  return fixes.map(
    ({ plan }) => `  ${toOneLine(toProjectName(plan))} ${plan.mode}: ${toCountText(plan.targets.length, 'file')}`,
  );
}
