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
  const shown = cutToLines(patch, MAX_PATCH_BYTES);
  const instructions = renderInstructions(fixup, patch !== '');
  if (patch === '') return [instructions];
  return [
    renderPatch(patch, shown),
    shown === patch ? instructions : 'It is longer than a check run can show, and cut: apply it by hand.',
  ];
}

/** Invisible characters are removed, as from all text by others. The note says so: such a patch does not apply. */
function renderPatch(patch: string, shown: string): string {
  const note = stripInvisible(patch) === patch ? '' : 'Characters that cannot be seen are left out here.\n\n';
  return toDetails('The patch', `${note}${toFence(shown, 'diff')}`);
}

/** The commands contain only commit ids, never names that others chose. */
function renderInstructions({ action, headRef, headSha, baseSha }: Fixup, hasPatch: boolean): string {
  const where = `on ${toInlineCode(headRef)} at ${toInlineCode(headSha)}, after a \`git fetch\``;
  if (action !== 'FIX_MERGE_CONFLICT') {
    return `To apply it, save it as \`fix.patch\` and, ${where}:\n\n${toFence('git apply fix.patch', 'sh')}`;
  }
  if (!hasPatch) return `Git merges it by itself. To do so, ${where}:\n\n${toFence(`git merge ${baseSha}`, 'sh')}`;
  return `It leads from what git makes of the merge to what was resolved. To apply it, save it as \`fix.patch\` and, ${where}:\n\n${toFence(toMergeCommands(baseSha), 'sh')}`;
}

/** Overrides the user's conflict settings: the patch expects git's own markers. */
function toMergeCommands(baseSha: string): string {
  return [
    `git -c merge.conflictStyle=merge -c rerere.enabled=false merge ${baseSha}`,
    'git apply fix.patch',
    'git commit --all --no-edit',
  ].join('\n');
}
