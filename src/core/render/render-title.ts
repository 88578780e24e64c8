import { toInlineCode } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { DECISION_WORDS, findStopWords } from './decision-words.ts';
import type { Story } from './story.ts';
import { WAITING_TITLE } from './waiting-words.ts';

/** The title: what is done or needed, with its numbers. "Attempt n of m" only if the decision makes an attempt. */
export function renderTitle(story: Story): string {
  const { decision, snapshot, workspace } = story;
  const { title } = findStopWords(decision, workspace.stop) ?? DECISION_WORDS[decision.code];
  switch (decision.code) {
    case 'CI_FAILED':
      return `Fixing ${toFailingText(story)} · ${toAttemptText(story)}`;
    case 'MERGE_CONFLICT':
      return `Resolving the conflict with ${toBaseText(story)} · ${toAttemptText(story)}`;
    case 'REVIEW_COMMENTS':
      return `Addressing ${toCountText(snapshot.review.actionable, 'review comment')} · ${toAttemptText(story)}`;
    case 'BRANCH_BEHIND':
      return `Updating the branch to ${toBaseText(story)}`;
    case 'CI_FLAKY':
      return `Running ${toFailingText(story)} again`;
    case 'OBSERVE_ONLY':
      return `${snapshot.policy.mode === 'observe' ? 'Observed' : 'Needs a person'} · ${toProblemText(story)}`;
    case 'WORKING_SESSION':
      return renderWorking(story, title);
    case 'ATTEMPTS_EXHAUSTED':
      return `Needs a person · ${snapshot.ratchet.consecutiveAttempts} of ${snapshot.policy.maxAttempts} attempts used`;
    default:
      return isConflictWaiting(story) ? `Conflicts with ${toBaseText(story)} · ${title}` : title;
  }
}

/** A conflict waits for the end of CI. */
function isConflictWaiting({ decision: { code }, snapshot }: Story): boolean {
  return snapshot.merge === 'conflict' && (code === 'CI_RUNNING' || code === 'CI_BLOCKED' || code === 'STALE_CI_RUN');
}

function renderWorking({ working, snapshot, waiting = null }: Story, usual: string): string {
  if (working?.kind === 'user') {
    const who = working.label === null ? 'somebody' : toInlineCode(working.label);
    return `Waiting · ${who} is at work`;
  }
  const title = waiting === null ? usual : WAITING_TITLE;
  const attempt = working?.fixup?.attempt;
  return attempt === undefined ? title : `${title} · attempt ${attempt} of ${snapshot.policy.maxAttempts}`;
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
