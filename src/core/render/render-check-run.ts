import { type Button, DISABLE, RETRY, toAnswerButton, UNDO, WHY } from '../commands/buttons.ts';
import { endsAsStop, waitDeadline } from '../decide/next-check.ts';
import type { Sha } from '../model/ids.ts';
import { findOpenQuestion } from '../sessions/find-open-question.ts';
import { findLastFixup, isUndoable } from '../sessions/last-fixup.ts';
import { cutBytes } from '../text/cut-bytes.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toUtcMinute } from '../text/words.ts';
import { toStanding } from './branch-standing.ts';
import { DECISION_WORDS, findStopWords, type Standing } from './decision-words.ts';
import { MAX_REASON_LENGTH, MAX_TITLE_LENGTH } from './limits.ts';
import { toParagraphs, toSection } from './markdown.ts';
import { toProgressText } from './progress-words.ts';
import { renderFixup } from './render-fixup.ts';
import { renderSeen } from './render-seen.ts';
import { renderTitle } from './render-title.ts';
import type { Story } from './story.ts';
import { toWaitingText } from './waiting-words.ts';

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
 * The check run "Ratchet" for a decision: what was seen at which SHA, what was decided and why, what each attempt
 * changed and how it was validated, what a person should do next. All text by others is escaped.
 */
export function renderCheckRun(story: Story): CheckRunText {
  const standing = toStanding(story);
  const parts = [
    renderVerdict(story),
    renderNext(story),
    renderPolicyErrors(story),
    renderSeen(story),
    ...story.sessions.slice(0, MAX_ATTEMPTS_SHOWN).map((session) => renderFixup(session, story.toCommitUrl)),
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
function toButtons({ decision, sessions, workspace }: Story, standing: Standing): readonly Button[] {
  if (decision.code === 'DISABLED') return [];
  // A retry changes nothing about what a person has to say.
  if (decision.code === 'REVIEW_NEEDS_PERSON') return [WHY, DISABLE];
  const asked = findOpenQuestion(workspace.stop, sessions);
  if (decision.code === 'STOPPED_SAME_CAUSE' && asked !== null && asked.question.choices.length > 0)
    return asked.question.choices.map((choice, index) => toAnswerButton(choice, index, asked.id));
  if (standing === 'action_required') return [RETRY, WHY, DISABLE];
  const last = standing === 'success' ? findLastFixup(sessions) : null;
  if (last === null) return [];
  return isUndoable(last) ? [UNDO, WHY] : [WHY];
}

/** The final text of a check run whose commit is no longer the head. */
export function renderSupersededCheckRun(newHeadSha: Sha | null): CheckRunText {
  const where = newHeadSha === null ? '.' : `: look at ${toInlineCode(newHeadSha)}.`;
  return {
    title: 'Superseded by a newer head',
    summary: `Another commit is the head now${where}\n`,
    status: 'completed',
    conclusion: 'neutral',
    actions: [],
  };
}

function renderVerdict({ decision, workspace, snapshot, waiting = null, progress = null }: Story): string {
  const reason = `**${toPlainText(decision.reason, MAX_REASON_LENGTH)}**`;
  const stopReason = decision.code === 'STOPPED_SAME_CAUSE' ? workspace.stop?.reason : undefined;
  const stop = stopReason === undefined ? '' : `Why it stopped: ${toPlainText(stopReason, MAX_REASON_LENGTH)}`;
  const deadlineAt = waitDeadline(decision, snapshot);
  const after = endsAsStop(decision.code) ? 'a person is asked' : 'Ratchet goes on';
  const deadline = deadlineAt === null ? '' : `It waits until ${toUtcMinute(deadlineAt)} at the latest; then ${after}.`;
  const doing = progress === null ? '' : toProgressText(progress);
  return toParagraphs([reason, waiting === null ? '' : toWaitingText(waiting), doing, stop, deadline]);
}

function renderNext({ decision, workspace }: Story): string {
  const { next } = findStopWords(decision, workspace.stop) ?? DECISION_WORDS[decision.code];
  return next === null ? '' : `**What to do next:** ${next}`;
}

/** Shown with every decision, so that an invalid policy file is noticed early. */
function renderPolicyErrors({ snapshot }: Story): string {
  const lines = snapshot.policyErrors
    .slice(0, MAX_POLICY_ERRORS)
    .map((error) => `- ${toPlainText(error, MAX_REASON_LENGTH)}`);
  return toSection('### Problems of `.github/ratchet.yml` on the base branch', lines);
}
