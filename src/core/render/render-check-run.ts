import type { CiVerdict } from '../ci/ci-verdict.ts';
import { type Button, DISABLE, RETRY, WHY } from '../commands/buttons.ts';
import { toCountText } from '../decide/decision-texts.ts';
import { waitDeadline } from '../decide/next-check.ts';
import type { Decision } from '../model/decision.ts';
import type { Sha } from '../model/ids.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { Session } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Workspace } from '../model/workspace.ts';
import { cutBytes } from './cut-bytes.ts';
import { DECISION_WORDS } from './decision-words.ts';
import { toInlineCode, toPlainText } from './escape.ts';
import { renderAttempt, type ToCommitUrl } from './render-attempt.ts';

/** Limits of GitHub's check-run output, in bytes; the title's is in characters. */
export const MAX_SUMMARY_BYTES = 65_535;
export const MAX_TITLE_LENGTH = 255;

const MAX_ATTEMPTS_SHOWN = 5;
const MAX_CHECKS_SHOWN = 20;
const MAX_POLICY_ERRORS = 20;
const MAX_REASON_LENGTH = 600;

/** Everything that one iteration knows and a reader may want to. */
export interface Story {
  readonly workspace: Pick<Workspace, 'stop'>;
  readonly facts: Pick<PullRequestFacts, 'headSha' | 'merge'> | null;
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  readonly ci: CiVerdict | null;
  /** Ended `ratchet` sessions, newest first. */
  readonly sessions: readonly Session[];
  /** The session at work, if any. */
  readonly working: Session | null;
  readonly toCommitUrl: ToCommitUrl;
}

/** What our check run says. Equal stories give equal texts, so nothing needs to be sent twice. */
export interface CheckRunText {
  readonly title: string;
  readonly summary: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'action_required' | 'cancelled' | null;
  readonly actions: readonly Button[];
}

/**
 * The check run "Ratchet" for a decision: what was seen at which SHA, what was decided and why, what each attempt changed and
 * how that was validated, what a person should do next. All text of others is escaped.
 */
export function renderCheckRun(story: Story): CheckRunText {
  const { standing } = DECISION_WORDS[story.decision.code];
  const parts = [
    renderVerdict(story),
    renderNext(story),
    renderPolicyErrors(story),
    renderSeen(story),
    ...renderAttempts(story),
  ];
  return {
    title: renderTitle(story).slice(0, MAX_TITLE_LENGTH),
    summary: cutBytes(`${parts.filter((part) => part !== '').join('\n\n')}\n`, MAX_SUMMARY_BYTES),
    status: standing === 'in_progress' ? 'in_progress' : 'completed',
    conclusion: standing === 'in_progress' ? null : standing,
    actions: toButtons(story),
  };
}

/** By state: what needs a person can be retried, explained or disabled; a pushed fixup can be explained. GitHub shows none while it runs. */
function toButtons({ decision, sessions }: Story): readonly Button[] {
  const { standing } = DECISION_WORDS[decision.code];
  if (standing === 'action_required') return [RETRY, WHY, DISABLE];
  const isFixed = standing === 'success' && sessions.some(({ outcome }) => outcome?.kind === 'pushed');
  return isFixed ? [WHY] : [];
}

/** The last word of the check run on a head that is no longer the head. */
export function renderSupersededCheckRun(newHeadSha: Sha | null): CheckRunText {
  const where = newHeadSha === null ? '.' : `: look at ${toInlineCode(newHeadSha)}.`;
  return {
    title: 'Superseded by a newer head',
    summary: `Another commit is the head now${where}\n`,
    status: 'completed',
    conclusion: 'cancelled',
    actions: [],
  };
}

function renderTitle(story: Story): string {
  const { decision, snapshot, ci, working } = story;
  const { title } = DECISION_WORDS[decision.code];
  const { consecutiveAttempts } = snapshot.ratchet;
  const { maxAttempts } = snapshot.policy;
  switch (decision.code) {
    case 'CI_FAILED':
      return `Fixing ${toCountText(ci?.failing.length ?? 0, 'failing check')} · attempt ${consecutiveAttempts + 1} of ${maxAttempts}`;
    case 'WORKING_SESSION':
      return `${title}${renderWorkingAttempt(working, maxAttempts)}`;
    case 'ATTEMPTS_EXHAUSTED':
      return `Needs a person · ${consecutiveAttempts} of ${maxAttempts} attempts used`;
    case 'REVIEW_COMMENTS':
      return `Needs a person · ${toCountText(snapshot.review.actionable, 'open review comment')}`;
    default:
      return title;
  }
}

function renderWorkingAttempt(working: Session | null, maxAttempts: number): string {
  const attempt = working?.fixup?.attempt;
  return attempt === undefined ? '' : ` · attempt ${attempt} of ${maxAttempts}`;
}

function renderVerdict({ decision, workspace, snapshot }: Story): string {
  const reason = `**${toPlainText(decision.reason, MAX_REASON_LENGTH)}**`;
  const stopReason = decision.code === 'STOPPED_SAME_CAUSE' ? workspace.stop?.reason : undefined;
  const stop = stopReason === undefined ? '' : `Why it stopped: ${toPlainText(stopReason, MAX_REASON_LENGTH)}`;
  const deadlineAt = waitDeadline(decision, snapshot);
  const deadline =
    deadlineAt === null ? '' : `It waits until ${toIsoMinute(deadlineAt)} at the latest; then a person is asked.`;
  return [reason, stop, deadline].filter((part) => part !== '').join('\n\n');
}

function renderNext({ decision }: Story): string {
  const { next } = DECISION_WORDS[decision.code];
  return next === null ? '' : `**What to do next:** ${next}`;
}

/** Also while something else is decided: a policy file that does not hold must not be found out later. */
function renderPolicyErrors({ snapshot }: Story): string {
  if (snapshot.policyErrors.length === 0) return '';
  const lines = snapshot.policyErrors
    .slice(0, MAX_POLICY_ERRORS)
    .map((error) => `- ${toPlainText(error, MAX_REASON_LENGTH)}`);
  return ['### Problems of `.github/ratchet.yml` on the base branch', '', ...lines].join('\n');
}

function renderSeen({ facts, ci, snapshot }: Story): string {
  if (facts === null) return '';
  const { ratchet, policy, review } = snapshot;
  const lines = [
    `- Head: ${toInlineCode(facts.headSha)}`,
    `- CI: ${ci === null ? 'not read' : toPlainText(ci.reason, MAX_REASON_LENGTH)}`,
    ...renderFailing(ci),
    `- Base branch: ${MERGE_WORDS[facts.merge]}`,
    `- Reviews: ${toCountText(review.actionable, 'open comment')}`,
    `- Attempts: ${ratchet.consecutiveAttempts} of ${policy.maxAttempts} used`,
  ];
  return ['### What Ratchet saw', '', ...lines].join('\n');
}

const MERGE_WORDS: Readonly<Record<PullRequestFacts['merge'], string>> = {
  clean: 'merges cleanly',
  behind: 'merges cleanly; the head is behind it',
  conflict: 'conflicts',
  unknown: 'GitHub has not told yet whether it merges cleanly',
};

function renderFailing(ci: CiVerdict | null): readonly string[] {
  const failing = ci?.failing ?? [];
  const shown = failing
    .slice(0, MAX_CHECKS_SHOWN)
    .map(({ name, conclusion }) => `  - ${toInlineCode(name)}: ${toInlineCode(conclusion)}`);
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, `  - and ${more} more`] : shown;
}

function renderAttempts({ sessions, toCommitUrl }: Story): readonly string[] {
  return sessions.slice(0, MAX_ATTEMPTS_SHOWN).map((session) => renderAttempt(session, toCommitUrl));
}

/** To the minute: a text that changes with every second would be sent with every look. */
function toIsoMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
