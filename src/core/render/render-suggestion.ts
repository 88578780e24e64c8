import type { Fixup, SessionOutcome } from '../model/session.ts';
import { cutToLines } from '../text/cut-bytes.ts';
import { stripInvisible, toFence, toInlineCode } from '../text/escape.ts';
import { toDetails } from './markdown.ts';

/** Half of what a check run can show. */
const MAX_PATCH_BYTES = 32_768;

/** The patch of a suggested or held change, and how to apply it. For a merge that needs no patch, only the command. */
export function renderSuggestion(
  { patch }: Pick<Extract<SessionOutcome, { kind: 'suggested' | 'held' }>, 'patch'>,
  fixup: Fixup,
): readonly string[] {
  if (patch === '') return [renderInstructions(fixup, null)];
  const mark = findMark(patch);
  const visible = mark === null ? patch : patch.replaceAll('\r', mark);
  const shown = cutToLines(visible, MAX_PATCH_BYTES);
  const isWhole = stripInvisible(visible) === visible;
  return [
    renderPatch(shown, { mark, isWhole }),
    shown === visible && isWhole
      ? renderInstructions(fixup, toApply(mark))
      : `${isWhole ? 'It is longer than a check run can show, and cut' : 'It is not complete'}: apply it by hand.`,
  ];
}

/** Stands for a carriage return, which a page does not keep. The first one that the patch itself does not contain. */
const MARKS = ['␍', '⟨CR⟩', '⟨carriage return⟩'] as const;

/** null: the patch has no carriage return, or every mark stands in it already. */
function findMark(patch: string): string | null {
  if (!patch.includes('\r')) return null;
  return MARKS.find((mark) => !patch.includes(mark)) ?? null;
}

/** Invisible characters are removed, as from all text by others. The note says so: such a patch does not apply. */
function renderPatch(
  shown: string,
  { mark, isWhole }: { readonly mark: string | null; readonly isWhole: boolean },
): string {
  const notes = [
    ...(isWhole ? [] : ['Characters that cannot be seen are left out here.\n\n']),
    ...(mark === null ? [] : [`Lines that end as on Windows have the mark ${toInlineCode(mark)} at their end.\n\n`]),
  ];
  return toDetails('The patch', `${notes.join('')}${toFence(shown, 'diff')}`);
}

/** Wherever there is git, there is Perl. */
function toApply(mark: string | null): string {
  return mark === null ? 'git apply fix.patch' : `perl -pe 's/${mark}/\\r/g' fix.patch | git apply`;
}

/** The commands contain only commit ids, never names that others chose. `apply` null: there is no patch. */
function renderInstructions({ action, headRef, headSha, baseSha }: Fixup, apply: string | null): string {
  const where = `on ${toInlineCode(headRef)} at ${toInlineCode(headSha)}, after a \`git fetch\``;
  if (apply !== null && action !== 'FIX_MERGE_CONFLICT') {
    return `To apply it, save it as \`fix.patch\` and, ${where}:\n\n${toFence(apply, 'sh')}`;
  }
  if (apply === null) return `Git merges it by itself. To do so, ${where}:\n\n${toFence(`git merge ${baseSha}`, 'sh')}`;
  return `It leads from what git makes of the merge to what was resolved. To apply it, save it as \`fix.patch\` and, ${where}:\n\n${toFence(toMergeCommands(baseSha, apply), 'sh')}`;
}

/** Overrides the user's conflict settings: the patch expects git's own markers. */
function toMergeCommands(baseSha: string, apply: string): string {
  return [
    `git -c merge.conflictStyle=merge -c rerere.enabled=false merge ${baseSha}`,
    apply,
    'git commit --all --no-edit',
  ].join('\n');
}
