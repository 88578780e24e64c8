import type { Decision, DecisionCode } from '../model/decision.ts';
import type { Sha } from '../model/ids.ts';
import type { Stop } from '../model/workspace.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { DECISION_WORDS, findStopWords } from './decision-words.ts';
import { MAX_REASON_LENGTH } from './limits.ts';

/** By this, and by its author, our one comment on a pull request is found again. */
export const PERSON_COMMENT_MARKER = '<!-- ratchet:pr -->';

/** A person has set these: telling them so by mail would only be noise. */
const KNOWN_TO_PEOPLE: ReadonlySet<DecisionCode> = new Set(['PAUSED', 'DRAFT_HELD', 'OBSERVE_ONLY']);

/**
 * What a decision means for our one comment: a person must act; or nobody has to any more; or neither is known yet, since Ratchet
 * works, waits, or is held by a person, and the comment stays as it is.
 */
export type PersonNeed = 'needed' | 'over' | 'open';

/** Whether the decision leaves the pull request to a person who may not know it yet. */
export function toPersonNeed({ code }: Decision): PersonNeed {
  const { standing } = DECISION_WORDS[code];
  if (standing === 'in_progress' || KNOWN_TO_PEOPLE.has(code)) return 'open';
  return standing === 'action_required' ? 'needed' : 'over';
}

/** What our one comment says while a person must act; its first line says which head it speaks of. */
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

/** What it says when nobody has to act any more. */
export function renderNothingToDo(headSha: Sha): string {
  return [
    `**Nothing to do for a person** (at ${toInlineCode(headSha)})`,
    '',
    'What this comment was about is over. The check run "Ratchet" says how things stand.',
  ].join('\n');
}
