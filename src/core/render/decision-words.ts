import type { DecisionCode } from '../model/decision.ts';

/** How the check run stands for a decision code (the table of check-run conclusions). */
export type Standing = 'in_progress' | 'success' | 'action_required' | 'cancelled';

/** What people read about one decision code. */
export interface DecisionWords {
  readonly standing: Standing;
  /** Verdict in a few words, first in the title. */
  readonly title: string;
  /** What a person should do next; null when nothing. */
  readonly next: string | null;
}

const LIFT = 'Push a fix, or comment `/ratchet retry` to let Ratchet start over with a fresh budget.';

/** The words for every code; the compiler refuses a missing one. */
export const DECISION_WORDS: Readonly<Record<DecisionCode, DecisionWords>> = {
  WORKING_SESSION: { standing: 'in_progress', title: 'Working', next: null },
  NO_PR: { standing: 'cancelled', title: 'No pull request', next: null },
  PR_NOT_OPEN: { standing: 'cancelled', title: 'Pull request is closed', next: null },
  CI_RUNNING: { standing: 'in_progress', title: 'Waiting for CI', next: null },
  CI_TIMEOUT: {
    standing: 'action_required',
    title: 'Needs a person · CI does not finish',
    next: 'Look at the checks that do not finish: run them again, or cancel them.',
  },
  CI_BLOCKED: {
    standing: 'action_required',
    title: 'Needs a person · CI waits for approval',
    next: 'Approve the waiting CI run, or reject it. Ratchet goes on by itself after that.',
  },
  STALE_CI_RUN: { standing: 'in_progress', title: 'Waiting for CI to start on the last fixup', next: null },
  STALE_CI_TIMEOUT: {
    standing: 'action_required',
    title: 'Needs a person · CI did not start on the last fixup',
    next: 'Find out why CI does not run on this head (path filters, a spent quota, a disabled workflow), or start it by hand.',
  },
  DISABLED: {
    standing: 'cancelled',
    title: 'Disabled',
    next: 'Comment `/ratchet enable` to let Ratchet work on this pull request.',
  },
  FORK_NOT_SUPPORTED: {
    standing: 'action_required',
    title: 'Held · the pull request comes from a fork',
    next: 'Ratchet runs no code of forks. Push the branch to this repository if you trust it.',
  },
  POLICY_INVALID: {
    standing: 'action_required',
    title: 'Held · the policy file is invalid',
    next: 'Correct `.github/ratchet.yml` on the base branch.',
  },
  IN_MERGE_QUEUE: {
    standing: 'action_required',
    title: 'Held · in a merge queue',
    next: 'Take the pull request out of the queue if Ratchet shall push to it.',
  },
  AUTO_MERGE_ON: {
    standing: 'action_required',
    title: 'Held · auto-merge is on',
    next: 'Turn auto-merge off if Ratchet shall push to this pull request.',
  },
  MERGE_UNKNOWN: { standing: 'in_progress', title: 'Waiting for GitHub to compute mergeability', next: null },
  MERGE_UNKNOWN_TIMEOUT: {
    standing: 'action_required',
    title: 'Needs a person · mergeability is unknown',
    next: 'Look whether GitHub shows a conflict; a push or a reopened pull request makes it compute again.',
  },
  MERGE_CONFLICT: {
    standing: 'action_required',
    title: 'Needs a person · conflict with the base branch',
    next: 'Merge the base branch and resolve the conflict. This version of Ratchet does not resolve conflicts.',
  },
  CI_FAILED: { standing: 'in_progress', title: 'Fixing CI', next: null },
  REVIEW_COMMENTS: {
    standing: 'action_required',
    title: 'Needs a person · open review comments',
    next: 'Answer the review comments. This version of Ratchet does not work on reviews.',
  },
  ATTEMPTS_EXHAUSTED: { standing: 'action_required', title: 'Needs a person · all attempts are used', next: LIFT },
  LAUNCHES_EXHAUSTED: {
    standing: 'action_required',
    title: 'Needs a person · too many fixups in a day',
    next: 'Find out why fixups end without a result. Ratchet goes on by itself when a day has passed.',
  },
  STOPPED_SAME_CAUSE: { standing: 'action_required', title: 'Needs a person · stopped', next: LIFT },
  ALL_GREEN: { standing: 'success', title: 'All green', next: null },
};
