import type { Mode } from '../model/policy.ts';
import type { SessionOutcome, UndoOrder } from '../model/session.ts';
import { toCountText, toNamesText } from '../text/words.ts';
import { findLastFixup, type LastFixup } from './last-fixup.ts';

/** Why an undo does not start, as a sentence, and the commands with which a person can do it instead. */
export interface UndoRefusal {
  readonly why: string;
  /** Commands of a shell; empty: there is nothing to do by hand, or it is not known what. */
  readonly byHand: readonly string[];
}

/** What a person who asks for an undo must know before GitHub is read; otherwise the fixup to undo. */
export function findUndoable(ended: Parameters<typeof findLastFixup>[0], isAtWork: boolean): LastFixup | UndoRefusal {
  const last = findLastFixup(ended);
  if (last === null) return { why: 'Ratchet has pushed no fixup to this branch that it remembers.', byHand: [] };
  const { outcome, undoneBy } = last;
  if (undoneBy !== null) return { why: `The last fixup, ${outcome.commitSha}, was undone by ${undoneBy}.`, byHand: [] };
  return isAtWork ? AT_WORK : last;
}

/** The fixup that is meant may be the one that is about to be pushed, so a person has to look first. */
export const AT_WORK: UndoRefusal = {
  why: 'A session is at work on the branch. Wait for its end, or end a fixup with the command stop; then ask again.',
  byHand: [],
};

/**
 * A revert of a merge takes the base's changes off the pull request for good: the base has them already, so the merge of the pull
 * request would remove them there (resolution S26).
 */
export function refuseMerge(
  { fixup, outcome }: LastFixup,
  { headRef, headSha }: { readonly headRef: string; readonly headSha: string },
): UndoRefusal {
  const merge = outcome.commitSha;
  const before = fixup.headSha;
  const drop =
    headSha === merge ? `git reset --hard ${before}` : `git rebase --rebase-merges --onto ${before} ${merge}`;
  const branch = quoteForShell(headRef);
  return {
    why: `The last fixup, ${merge}, is a merge that brought commits of the base branch. Ratchet does not revert a merge: the pull request would then remove the base's changes when it is merged. A person can take the merge out of the branch.`,
    byHand: [
      'git fetch origin',
      `git switch -C ${branch} ${headSha}`,
      drop,
      `git push --force-with-lease=${quoteForShell(`${headRef}:${headSha}`)} origin ${quoteForShell(`HEAD:refs/heads/${headRef}`)}`,
    ],
  };
}

/** How a person reverts the commit of a fixup. */
export function toRevertCommands(headRef: string, { commitSha }: Pick<UndoOrder, 'commitSha'>): readonly string[] {
  return ['git fetch origin', `git switch ${quoteForShell(headRef)}`, 'git pull --ff-only', `git revert ${commitSha}`];
}

/** Names of branches may hold anything but blanks and a few marks. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Why the policy lets nothing be pushed, so not even a revert; null if it does. `unpushed`: another reason of the policy. */
export function findUnpushable(mode: Mode, unpushed: string | null): string | null {
  if (mode !== 'push') return `The mode of the policy is ${mode}: Ratchet pushes nothing here.`;
  return unpushed;
}

/** The detail of an undo that git cannot make. */
export function describeConflict({ commitSha }: Pick<UndoOrder, 'commitSha'>, paths: readonly string[]): string {
  const where = paths.length === 0 ? 'its folders' : toNamesText(paths);
  return `Later commits changed what the fixup ${commitSha} had changed, in ${where}. Ratchet touches no commits of people, so nothing was pushed.`;
}

/** The detail of an undo of something that is not there. */
export function describeGone({ commitSha }: Pick<UndoOrder, 'commitSha'>): string {
  return `Nothing of the fixup ${commitSha} is left in the branch, so there is nothing to undo.`;
}

/** How an undo ended, in one or two sentences. */
export function describeUndo({ commitSha }: Pick<UndoOrder, 'commitSha'>, outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case 'pushed':
      return `Undid ${commitSha} with ${outcome.commitSha} (${toCountText(outcome.diff.files, 'file')}). Nothing is launched for its cause until somebody asks for a retry.`;
    case 'timed_out':
      return 'The undo ran out of time. Nothing was pushed; ask again.';
    case 'died':
      return `The undo was interrupted: ${outcome.detail} Nothing is known to be pushed; look at the branch, and ask again.`;
    default:
      return 'detail' in outcome ? outcome.detail : 'Nothing was pushed.';
  }
}
