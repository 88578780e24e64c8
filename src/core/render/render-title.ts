import type { DecisionCode } from '../model/decision.ts';
import type { Fixup } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toInlineCode } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { toBesideTitle } from './branch-standing.ts';
import { findWords, type Headlined, isRejected } from './headline.ts';
import { WAITING_TITLE } from './waiting-words.ts';

const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 60;

/** Titles that contain more than their words. */
const TITLES: Readonly<Partial<Record<DecisionCode, (story: Headlined, title: string) => string>>> = {
  CI_FAILED: (story) => `Fixing ${toFailingText(story)} · ${toAttemptText(story)}`,
  MERGE_CONFLICT: (story) => `Resolving the conflict with ${toBaseText(story)} · ${toAttemptText(story)}`,
  REVIEW_COMMENTS: (story) =>
    `Addressing ${toCountText(story.snapshot.review.actionable, 'review comment')} · ${toAttemptText(story)}`,
  REVIEW_NEEDS_PERSON: ({ snapshot }) => toOpenCount(snapshot.review.left),
  BRANCH_BEHIND: (story) => `Updating the branch to ${toBaseText(story)}`,
  CI_FLAKY: (story) => `Re-running ${toFailingText(story)}`,
  OBSERVE_ONLY: (story) =>
    `${story.snapshot.policy.mode === 'observe' ? 'Observed' : 'Not allowed by the policy'} · ${toProblemText(story)}`,
  WORKING_SESSION: renderWorking,
  ATTEMPTS_EXHAUSTED: ({ snapshot: { ratchet, policy } }) =>
    `${ratchet.consecutiveAttempts} of ${policy.maxAttempts} attempts used`,
  CI_RUNNING: renderConflictFirst,
  CI_BLOCKED: renderConflictFirst,
  STALE_CI_RUN: renderConflictFirst,
  STOPPED_SAME_CAUSE: (story, title) => (isRejected(story) ? `Could not ${toTask(story)} · ${title}` : title),
  ALL_GREEN: ({ snapshot }, title) => [title, ...toAwaited(snapshot.review)].join(' · '),
};

/** The title: what is done or needed, with its numbers. "Attempt n of m" only if the decision makes an attempt. */
export function renderTitle(story: Headlined): string {
  return toBesideTitle(story) ?? renderOwnTitle(story);
}

function renderOwnTitle(story: Headlined): string {
  const { title } = findWords(story);
  return TITLES[story.decision.code]?.(story, title) ?? title;
}

function renderConflictFirst(story: Headlined, title: string): string {
  return story.snapshot.merge === 'conflict' ? `Conflicts with ${toBaseText(story)} · ${title}` : title;
}

function toOpenCount(count: number): string {
  return `${toCountText(count, 'review comment')} open`;
}

/** What a green pull request still waits for. */
function toAwaited({ changesRequestedBy, decision, otherOpen }: Snapshot['review']): readonly string[] {
  const reviewers = changesRequestedBy.slice(0, MAX_NAMES).map(toInlineCode);
  if (reviewers.length > 0) return [`waiting for a review by ${reviewers.join(', ')}`];
  if (decision === 'changes_requested') return ['changes are still requested'];
  if (decision === 'review_required') return ['waiting for an approving review'];
  return otherOpen === 0 ? [] : [toOpenCount(otherOpen)];
}

function renderWorking({ working, snapshot, waiting = null }: Headlined, usual: string): string {
  if (working?.kind === 'user') {
    const who = working.label === null ? 'somebody' : toInlineCode(working.label);
    return `Waiting · ${who} is working`;
  }
  const title = waiting === null ? usual : WAITING_TITLE;
  const fixup = working?.fixup ?? null;
  return fixup === null ? title : renderOwn(fixup, title, { waiting, snapshot });
}

/** An undo has no attempt, and an acceptance makes none. */
function renderOwn(
  { attempt, undo, accept }: Fixup,
  title: string,
  { waiting, snapshot }: Pick<Required<Headlined>, 'waiting' | 'snapshot'>,
): string {
  if (accept !== undefined) return waiting === null ? 'Validating the accepted change again' : title;
  if (undo === undefined) return `${title} · attempt ${attempt} of ${snapshot.policy.maxAttempts}`;
  return waiting === null ? 'Undoing the last fixup' : title;
}

/** The number of the attempt that this decision starts. */
function toAttemptText({ snapshot }: Headlined): string {
  return `attempt ${snapshot.ratchet.consecutiveAttempts + 1} of ${snapshot.policy.maxAttempts}`;
}

/** The problem to fix, in the order of the guards. */
function toProblemText(story: Headlined): string {
  const { merge, ci, pullRequest, ratchet, review } = story.snapshot;
  if (merge === 'conflict') return `conflict with ${toBaseText(story)}`;
  if (merge === 'behind' && pullRequest?.mustBeUpToDate === true && ratchet.updateAskedAt === null) {
    return `behind ${toBaseText(story)}`;
  }
  if (ci.status === 'failure') return toFailingText(story);
  return toCountText(review.actionable, 'review comment');
}

/** The same problem as a task that was not done. Completes "Could not …". */
function toTask(story: Headlined): string {
  const { merge, ci, review } = story.snapshot;
  if (merge === 'conflict') return `resolve the conflict with ${toBaseText(story)}`;
  if (ci.status !== 'failure') return `address ${toCountText(review.actionable, 'review comment')}`;
  const [first, ...others] = story.ci?.failing ?? [];
  if (first === undefined || others.length > 0) return `fix ${toFailingText(story)}`;
  return `fix ${toInlineCode(first.name.slice(0, MAX_NAME_LENGTH).toWellFormed())}`;
}

function toFailingText({ ci }: Headlined): string {
  return toCountText(ci?.failing.length ?? 0, 'failing check');
}

function toBaseText({ facts }: Headlined): string {
  return facts === null ? 'the base branch' : toInlineCode(facts.baseRef);
}
