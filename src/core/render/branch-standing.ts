import { CHECK_NAME } from '../ci/own-checks.ts';
import type { Workspace } from '../model/workspace.ts';
import { toNumbersText } from '../text/words.ts';
import { DECISION_WORDS, type Standing } from './decision-words.ts';
import type { Story } from './story.ts';

type Beside = Pick<Workspace, 'number' | 'state'>;

/**
 * The state of the check run. Pull requests with the same head branch have the same head, and GitHub counts the newest check run of
 * a name at a commit for all of them. So none of them is a success before all are (resolution S18).
 */
export function toStanding({ decision, beside, facts }: Pick<Story, 'decision' | 'beside' | 'facts'>): Standing {
  const isRequired = facts?.rules.requiredChecks.includes(CHECK_NAME) === true;
  // GitHub accepts a neutral check run where the base requires it, so Ratchet could be skipped by disabling it.
  if (decision.code === 'DISABLED' && isRequired) return 'action_required';
  const { standing } = DECISION_WORDS[decision.code];
  const [unfinished] = findUnfinished(beside);
  if (standing !== 'success' || unfinished === undefined) return standing;
  return findUnfinished(beside).some(needsPerson) ? 'action_required' : 'in_progress';
}

/** The title where only another pull request of the branch is not green; null: none is. */
export function toBesideTitle({ decision, beside }: Pick<Story, 'decision' | 'beside'>): string | null {
  const unfinished = findUnfinished(beside);
  if (DECISION_WORDS[decision.code].standing !== 'success' || unfinished.length === 0) return null;
  const waiting = unfinished.filter(needsPerson);
  const named = waiting.length > 0 ? waiting : unfinished;
  const what =
    waiting.length > 0
      ? toVerb(named, 'needs a person', 'need a person')
      : toVerb(named, 'is not green yet', 'are not green yet');
  return `Green here · ${toNumbersText(named.map(toNumber))} of this branch ${what}`;
}

function toVerb({ length }: readonly Beside[], one: string, several: string): string {
  return length === 1 ? one : several;
}

function findUnfinished(beside: readonly Beside[]): readonly Beside[] {
  return beside.filter(({ state }) => state !== 'green');
}

function needsPerson({ state }: Beside): boolean {
  return state === 'stopped' || state === 'failed';
}

function toNumber({ number }: Beside): number {
  return number;
}

/**
 * One line about the other pull requests of the branch, for people; empty if there are none. Names this one too: GitHub shows the
 * newest check run of the head on all of them.
 */
export function toBesideLines(number: number, beside: readonly number[]): readonly string[] {
  if (beside.length === 0) return [];
  return [
    `- #${number} has the same branch as ${toNumbersText(beside)}: one fixup at a time and one budget of attempts`,
  ];
}
