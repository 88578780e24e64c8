import type { DecisionCode } from '../model/decision.ts';
import type { Fixup } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toInlineCode } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { toBesideTitle } from './branch-standing.ts';
import { DECISION_WORDS, findStopWords } from './decision-words.ts';
import type { Story } from './story.ts';
import { WAITING_TITLE } from './waiting-words.ts';

const MAX_NAMES = 3;

/** Titles that contain more than their words. */
const TITLES: Readonly<Partial<Record<DecisionCode, (story: Story, title: string) => string>>> = {
  CI_FAILED: (story) => `Fixing ${toFailingText(story)} · ${toAttemptText(story)}`,
  MERGE_CONFLICT: (story) => `Resolving the conflict with ${toBaseText(story)} · ${toAttemptText(story)}`,
  REVIEW_COMMENTS: (story) =>
    `Addressing ${toCountText(story.snapshot.review.actionable, 'review comment')} · ${toAttemptText(story)}`,
  REVIEW_NEEDS_PERSON: ({ snapshot }) => `Needs a person · ${toOpenCount(snapshot.review.left)}`,
  BRANCH_BEHIND: (story) => `Updating the branch to ${toBaseText(story)}`,
  CI_FLAKY: (story) => `Running ${toFailingText(story)} again`,
  OBSERVE_ONLY: (story) =>
    `${story.snapshot.policy.mode === 'observe' ? 'Observed' : 'Needs a person'} · ${toProblemText(story)}`,
  WORKING_SESSION: renderWorking,
  ATTEMPTS_EXHAUSTED: ({ snapshot: { ratchet, policy } }) =>
    `Needs a person · ${ratchet.consecutiveAttempts} of ${policy.maxAttempts} attempts used`,
  CI_RUNNING: renderConflictFirst,
  CI_BLOCKED: renderConflictFirst,
  STALE_CI_RUN: renderConflictFirst,
  ALL_GREEN: ({ snapshot }, title) => [title, ...toAwaited(snapshot.review)].join(' · '),
};

/** The title: what is done or needed, with its numbers. "Attempt n of m" only if the decision makes an attempt. */
export function renderTitle(story: Story): string {
  return toBesideTitle(story) ?? renderOwnTitle(story);
}

function renderOwnTitle(story: Story): string {
  const { decision, workspace } = story;
  const { title } = findStopWords(decision, workspace.stop) ?? DECISION_WORDS[decision.code];
  return TITLES[decision.code]?.(story, title) ?? title;
}

function renderConflictFirst(story: Story, title: string): string {
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

function renderWorking({ working, snapshot, waiting = null }: Story, usual: string): string {
  if (working?.kind === 'user') {
    const who = working.label === null ? 'somebody' : toInlineCode(working.label);
    return `Waiting · ${who} is at work`;
  }
  const title = waiting === null ? usual : WAITING_TITLE;
  const fixup = working?.fixup ?? null;
  return fixup === null ? title : renderOwn(fixup, title, { waiting, snapshot });
}

/** An undo has no attempt, and an acceptance makes none. */
function renderOwn(
  { attempt, undo, accept }: Fixup,
  title: string,
  { waiting, snapshot }: Pick<Required<Story>, 'waiting' | 'snapshot'>,
): string {
  if (accept !== undefined) return waiting === null ? 'Validating the accepted change again' : title;
  if (undo === undefined) return `${title} · attempt ${attempt} of ${snapshot.policy.maxAttempts}`;
  return waiting === null ? 'Undoing the last fixup' : title;
}

/** The number of the attempt that this decision starts. */
function toAttemptText({ snapshot }: Story): string {
  return `attempt ${snapshot.ratchet.consecutiveAttempts + 1} of ${snapshot.policy.maxAttempts}`;
}

/** The problem to fix, in the order of the guards. */
function toProblemText(story: Story): string {
  const { merge, ci, pullRequest, ratchet, review } = story.snapshot;
  if (merge === 'conflict') return `conflict with ${toBaseText(story)}`;
  if (merge === 'behind' && pullRequest?.mustBeUpToDate === true && ratchet.updateAskedAt === null) {
    return `behind ${toBaseText(story)}`;
  }
  if (ci.status === 'failure') return toFailingText(story);
  return toCountText(review.actionable, 'review comment');
}

function toFailingText({ ci }: Story): string {
  return toCountText(ci?.failing.length ?? 0, 'failing check');
}

function toBaseText({ facts }: Story): string {
  return facts === null ? 'the base branch' : toInlineCode(facts.baseRef);
}
