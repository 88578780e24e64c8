import type { Decision, DecisionCode } from '../model/decision.ts';
import type { Sha } from '../model/ids.ts';
import { DECISION_WORDS } from './decision-words.ts';
import { type Headlined, renderHeadline } from './headline.ts';
import { toParagraphs, toShortSha } from './markdown.ts';
import { renderTitle } from './render-title.ts';

/** Together with its author, this identifies our one comment on a pull request. */
export const PERSON_COMMENT_MARKER = '<!-- ratchet:pr -->';

/** People caused these themselves, so a notification would only be noise. */
const KNOWN_TO_PEOPLE: ReadonlySet<DecisionCode> = new Set(['PAUSED', 'DRAFT_HELD', 'OBSERVE_ONLY']);

/**
 * What a decision means for our one comment. `needed`: a person must act. `over`: nobody has to act any more. `open`:
 * not known yet, because Ratchet works, waits or is held by a person; the comment stays unchanged.
 */
export type PersonNeed = 'needed' | 'over' | 'open';

/** `needed` only if the decision needs a person who may not know it yet. */
export function toPersonNeed({ code }: Decision): PersonNeed {
  const { standing } = DECISION_WORDS[code];
  if (standing === 'in_progress' || KNOWN_TO_PEOPLE.has(code)) return 'open';
  return standing === 'action_required' ? 'needed' : 'over';
}

/** Text of our one comment while a person must act. Its first line names the head. */
export function renderPersonComment(story: Headlined, headSha: Sha): string {
  return toParagraphs([
    `**${renderTitle(story)}** (at ${toShortSha(headSha)})`,
    ...renderHeadline(story),
    'The check run "Ratchet" has the details. Ratchet edits this comment when something changes.',
  ]);
}

/** Text of the comment when nobody has to act on what it was about. `isReviewAwaited`: a review is still missing. */
export function renderNothingToDo(headSha: Sha, isReviewAwaited: boolean): string {
  const heading = isReviewAwaited ? 'Waiting for a review' : 'Nothing to do';
  return [
    `**${heading}** (at ${toShortSha(headSha)})`,
    '',
    'The problem of this comment is resolved. The check run "Ratchet" has the current state.',
  ].join('\n');
}
