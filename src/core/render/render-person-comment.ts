import type { Decision, DecisionCode } from '../model/decision.ts';
import type { Sha } from '../model/ids.ts';
import type { Stop } from '../model/workspace.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { DECISION_WORDS, findStopWords } from './decision-words.ts';
import { MAX_REASON_LENGTH } from './limits.ts';

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
export function renderPersonComment(decision: Decision, headSha: Sha, stop: Stop | null): string {
  const { title, next } = findStopWords(decision, stop) ?? DECISION_WORDS[decision.code];
  const reason = decision.code === 'STOPPED_SAME_CAUSE' && stop !== null ? stop.reason : decision.reason;
  return [
    `**${title}** (at ${toInlineCode(headSha)})`,
    '',
    toPlainText(reason, MAX_REASON_LENGTH),
    ...(next === null ? [] : ['', next]),
    '',
    'The check run "Ratchet" has the whole story. This comment is edited in place.',
  ].join('\n');
}

/** Text of the comment when nobody has to act on what it was about. `isReviewAwaited`: a review is still missing. */
export function renderNothingToDo(headSha: Sha, isReviewAwaited: boolean): string {
  const heading = isReviewAwaited ? 'Waiting for a review' : 'Nothing to do for a person';
  return [
    `**${heading}** (at ${toInlineCode(headSha)})`,
    '',
    'What this comment was about is over. The check run "Ratchet" says how things stand.',
  ].join('\n');
}
