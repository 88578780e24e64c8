import type { Decision, DecisionCode } from '../model/decision.ts';
import type { Stop } from '../model/workspace.ts';

/** The state of the check run for a decision code (see the table of check-run conclusions). */
export type Standing = 'in_progress' | 'success' | 'action_required' | 'cancelled';

/** The texts for one decision code. */
export interface DecisionWords {
  readonly standing: Standing;
  /** The verdict in a few words, at the start of the title. */
  readonly title: string;
  /** What a person should do next; null: nothing. */
  readonly next: string | null;
}

const LIFT = 'Push a fix, or comment `/ratchet retry` to let Ratchet start over with a fresh budget.';

/** The texts for every code. A missing code does not compile. */
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
  STALE_CI_RUN: { standing: 'in_progress', title: 'Waiting for CI to start on the last push', next: null },
  STALE_CI_TIMEOUT: {
    standing: 'action_required',
    title: 'Needs a person · CI did not start on the last push',
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
  PAUSED: {
    standing: 'action_required',
    title: 'Held · paused',
    next: 'Comment `/ratchet resume`, or take the hold label off, to let Ratchet go on.',
  },
  DRAFT_HELD: {
    standing: 'action_required',
    title: 'Held · the pull request is a draft',
    next: 'Mark it as ready for review, or let the policy work on drafts (`drafts: work`).',
  },
  POLICY_INVALID: {
    standing: 'action_required',
    title: 'Held · the policy file is invalid',
    next: 'Correct `.github/ratchet.yml` on the base branch.',
  },
  OBSERVE_ONLY: {
    standing: 'action_required',
    title: 'Observed · nothing is done',
    next: 'Do it yourself, or let the policy in `.github/ratchet.yml` allow it.',
  },
  PUSH_FORBIDDEN: {
    standing: 'action_required',
    title: 'Held · the rules of the branch forbid a push',
    next: 'Allow the App to push to this branch, or push the change yourself.',
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
  MERGE_CONFLICT: { standing: 'in_progress', title: 'Resolving the conflict with the base branch', next: null },
  BRANCH_BEHIND: { standing: 'in_progress', title: 'Updating the branch to its base', next: null },
  UPDATE_AWAITED: { standing: 'in_progress', title: 'Waiting for the branch to be updated', next: null },
  CI_FAILED: { standing: 'in_progress', title: 'Fixing CI', next: null },
  CI_FLAKY: { standing: 'in_progress', title: 'Running failed checks again', next: null },
  RERUN_AWAITED: { standing: 'in_progress', title: 'Waiting for failed checks to run again', next: null },
  RED_ON_BASE: {
    standing: 'action_required',
    title: 'Needs a person · red on the base branch too',
    next: 'Make the base branch green and update this branch, or let the policy fix it here (`ci.fixRedOnBase`).',
  },
  SAME_FAILURE: { standing: 'action_required', title: 'Needs a person · the last fixup changed nothing', next: LIFT },
  REVIEW_COMMENTS: { standing: 'in_progress', title: 'Addressing review comments', next: null },
  REVIEW_SETTLING: { standing: 'in_progress', title: 'Waiting for the review to settle', next: null },
  ATTEMPTS_EXHAUSTED: { standing: 'action_required', title: 'Needs a person · all attempts are used', next: LIFT },
  LAUNCHES_EXHAUSTED: {
    standing: 'action_required',
    title: 'Needs a person · too many fixups in a day',
    next: 'Find out why fixups end without a result. Ratchet goes on by itself when a day has passed.',
  },
  STOPPED_SAME_CAUSE: { standing: 'action_required', title: 'Needs a person · stopped', next: LIFT },
  ALL_GREEN: { standing: 'success', title: 'All green', next: null },
};

const STOP_WORDS: Readonly<Partial<Record<Stop['code'], Omit<DecisionWords, 'standing'>>>> = {
  SUGGESTED: {
    title: 'Needs a person · a change is suggested',
    next: 'Apply what is offered below, or let the policy push such changes (`mode: push`) and comment `/ratchet retry`.',
  },
  DECLINED: {
    title: 'Needs a person · review comments were declined',
    next: 'Read the answers below: resolve the comments, or answer them to have them looked at again.',
  },
};

/** More specific texts for a stop whose code says why it stopped; null for any other decision. */
export function findStopWords(decision: Decision, stop: Stop | null): Omit<DecisionWords, 'standing'> | null {
  if (decision.code !== 'STOPPED_SAME_CAUSE' || stop === null) return null;
  return STOP_WORDS[stop.code] ?? null;
}
