import { ACCEPT, type Button, DISABLE, RESUME, RETRY, toAnswerButton, UNDO, WHY } from '../commands/buttons.ts';
import type { Sha } from '../model/ids.ts';
import { findOpenQuestion } from '../sessions/find-open-question.ts';
import { findLastFixup, isUndoable } from '../sessions/last-fixup.ts';
import { cutBytes } from '../text/cut-bytes.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { toStanding } from './branch-standing.ts';
import { DECISION_WORDS, type Standing } from './decision-words.ts';
import { renderHeadline } from './headline.ts';
import { MAX_REASON_LENGTH, MAX_TITLE_LENGTH } from './limits.ts';
import { toDetails, toParagraphs, toSection } from './markdown.ts';
import { renderFixup } from './render-fixup.ts';
import { renderFailingChecks, renderSeen } from './render-seen.ts';
import { renderTitle } from './render-title.ts';
import type { Story } from './story.ts';

/** Limits of GitHub's check-run output: the summary in bytes, the title in characters. */
export const MAX_SUMMARY_BYTES = 65_535;

const MAX_ATTEMPTS_SHOWN = 5;
const MAX_POLICY_ERRORS = 20;

/** The content of a check run; `conclusion` is null while it is in progress. */
export interface CheckText<Conclusion> {
  readonly title: string;
  readonly summary: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion: Conclusion | null;
  readonly actions: readonly Button[];
}

/** The content of our check run. Equal stories give equal texts, so an unchanged check run need not be sent again. */
export type CheckRunText = CheckText<'success' | 'action_required' | 'neutral'>;

/**
 * The check run "Ratchet" for a decision: what is the case, why, and what to do; then the failing checks, what each attempt changed
 * and how it was validated, and the state that was read. All text by others is escaped.
 */
export function renderCheckRun(story: Story): CheckRunText {
  const standing = toStanding(story);
  const parts = [
    ...renderHeadline(story),
    renderPolicyErrors(story),
    renderFailingChecks(story),
    renderAttempts(story),
    renderSeen(story),
  ];
  return {
    title: renderTitle(story).slice(0, MAX_TITLE_LENGTH).toWellFormed(),
    summary: cutBytes(`${toParagraphs(parts)}\n`, MAX_SUMMARY_BYTES),
    status: standing === 'in_progress' ? 'in_progress' : 'completed',
    conclusion: standing === 'in_progress' ? null : standing,
    actions: toButtons(story, standing),
  };
}

/** Buttons by state. GitHub shows none while the check run is in progress. Where Ratchet is disabled, they would do nothing. */
function toButtons(story: Story, standing: Standing): readonly Button[] {
  const { decision, sessions } = story;
  if (decision.code === 'DISABLED') return [];
  if (standing === 'action_required') return toPersonButtons(story);
  const last = standing === 'success' ? findLastFixup(sessions) : null;
  if (last === null) return [];
  return isUndoable(last) ? [UNDO, WHY] : [WHY];
}

/** The answers to an open question, or what helps a person in that state. */
function toPersonButtons({ decision, sessions, snapshot, workspace }: Story): readonly Button[] {
  if (decision.code === 'STOPPED_SAME_CAUSE' && workspace.stop?.code === 'HELD') return [ACCEPT, RETRY, WHY];
  const asked = findOpenQuestion(workspace.stop, sessions);
  if (decision.code === 'STOPPED_SAME_CAUSE' && asked !== null && asked.question.choices.length > 0)
    return asked.question.choices.map((choice, index) => toAnswerButton(choice, index, asked.id));
  if (DECISION_WORDS[decision.code].canRetry) return [RETRY, WHY, DISABLE];
  return decision.code === 'PAUSED' && snapshot.ratchet.paused ? [RESUME, WHY, DISABLE] : [WHY, DISABLE];
}

/** The final text of a check run whose commit is no longer the head. */
export function renderSupersededCheckRun(newHeadSha: Sha | null): CheckRunText {
  const where = newHeadSha === null ? '.' : `: see the check run of ${toInlineCode(newHeadSha)}.`;
  return {
    title: 'Superseded by a newer commit',
    summary: `The branch has a newer commit${where}\n`,
    status: 'completed',
    conclusion: 'neutral',
    actions: [],
  };
}

/** The newest one whole, and the earlier ones folded. */
function renderAttempts(story: Story): string {
  const [newest = '', ...earlier] = story.sessions
    .slice(0, MAX_ATTEMPTS_SHOWN)
    .map((session) => renderFixup(session, story))
    .filter((text) => text !== '');
  if (earlier.length === 0) return newest;
  return toParagraphs([newest, toDetails(toCountText(earlier.length, 'earlier attempt'), toParagraphs(earlier))]);
}

/** Shown with every decision, so that an invalid policy file is noticed early. */
function renderPolicyErrors({ snapshot }: Story): string {
  const lines = snapshot.policyErrors
    .slice(0, MAX_POLICY_ERRORS)
    .map((error) => `- ${toPlainText(error, MAX_REASON_LENGTH)}`);
  return toSection('### Problems in `.github/ratchet.yml` on the base branch', lines);
}
