import type { DecisionCode } from '../model/decision.ts';
import { author, maintainer, type NextStep, operator, RETRY_STEP, type ReaderWords } from './reader-words.ts';

/** The state of the check run for a decision code (see the table of check-run conclusions). */
export type Standing = 'in_progress' | 'success' | 'action_required' | 'neutral';

/** The texts for one decision code. */
export interface DecisionWords extends ReaderWords {
  readonly standing: Standing;
  /** Whether a retry can change anything. If not, the check run has no button for it. */
  readonly canRetry: boolean;
}

const AGENT_WORKS = 'An agent works in a sandbox. Ratchet pushes its change only if it passes validation.';
const GOES_ON = 'Ratchet then continues by itself.';
const POLICY = '`.github/ratchet.yml`';

/** The texts for every code. A missing code does not compile. */
export const DECISION_WORDS: Readonly<Record<DecisionCode, DecisionWords>> = {
  WORKING_SESSION: inProgress('Working'),
  NO_PR: atRest('neutral', 'Pull request not found'),
  PR_NOT_OPEN: atRest('neutral', 'Pull request is closed'),
  CI_RUNNING: inProgress('Waiting for CI'),
  CI_TIMEOUT: stopped('CI did not finish', maintainer('Re-run or cancel the CI runs that do not finish.')),
  CI_BLOCKED: stopped('CI is waiting for approval', maintainer(`Approve or reject the waiting CI run. ${GOES_ON}`)),
  CI_REQUIRED_MISSING: stopped(
    'A required check has not reported',
    maintainer(`Correct the name in \`ci.required\` of ${POLICY}, or make the check report on this commit.`),
  ),
  STALE_CI_RUN: inProgress('Waiting for CI to start'),
  STALE_CI_TIMEOUT: stopped(
    'CI did not start',
    maintainer(
      'Find out why CI does not run on this commit (path filters, a used-up quota, a disabled workflow), or start it by hand.',
    ),
  ),
  DISABLED: {
    ...atRest('neutral', 'Disabled'),
    next: maintainer('Comment `/ratchet enable` to let Ratchet work on this pull request.'),
  },
  FORK_NOT_SUPPORTED: held(
    'Forks are not supported',
    maintainer('If you trust the code, push the branch to this repository and open a pull request from there.'),
  ),
  PAUSED: held('Paused', maintainer('Comment `/ratchet resume`, or remove the hold label.')),
  DRAFT_HELD: held(
    'On hold · draft',
    author(`Mark the pull request as ready for review, or set \`drafts: work\` in ${POLICY}.`),
  ),
  POLICY_INVALID: held('The policy file is invalid', maintainer(`Correct ${POLICY} on the base branch.`)),
  OBSERVE_ONLY: held('Observed', author(`Fix it yourself, or allow it in ${POLICY} on the base branch.`)),
  PUSH_FORBIDDEN: held(
    'Branch rules forbid a push',
    maintainer('Allow the App to push to this branch, or push the change yourself.'),
  ),
  IN_MERGE_QUEUE: held(
    'On hold · in the merge queue',
    maintainer('Remove the pull request from the merge queue if Ratchet should push to it.'),
  ),
  AUTO_MERGE_ON: held(
    'On hold · auto-merge is on',
    maintainer('Disable auto-merge if Ratchet should push to this pull request.'),
  ),
  BRANCH_SHARED: held(
    'The branch has another pull request',
    author('Merge the base branch yourself, or close the other pull request of this branch.'),
  ),
  MERGE_UNKNOWN: inProgress('Waiting for GitHub to check for conflicts'),
  MERGE_UNKNOWN_TIMEOUT: stopped(
    'GitHub does not say whether there are conflicts',
    author('Check the pull request for conflicts. A push, or closing and reopening it, makes GitHub check again.'),
  ),
  MERGE_CONFLICT: inProgress('Resolving the conflict with the base branch', AGENT_WORKS),
  BRANCH_BEHIND: inProgress('Updating the branch to its base'),
  MERGE_QUEUE_FAILED: inProgress('Updating the branch · the merge queue failed'),
  MERGE_QUEUE_UNEXPLAINED: stopped(
    'The merge queue failed',
    maintainer(
      'Check why the merge queue failed. After a fix, or if it failed by chance, add the pull request to the queue again.',
    ),
  ),
  UPDATE_AWAITED: inProgress('Waiting for the branch to be updated'),
  CI_FAILED: inProgress('Fixing CI', AGENT_WORKS),
  QUALITY_FINDINGS: inProgress('Fixing new findings', AGENT_WORKS),
  CI_FLAKY: inProgress('Re-running failed checks'),
  RERUN_AWAITED: inProgress('Waiting for failed checks to re-run'),
  CI_NEEDS_PERSON: stopped(
    'CI fails for a reason outside the code',
    maintainer(`Resolve what the message says, then re-run the failed checks. ${GOES_ON}`),
  ),
  BASE_REPAIRED: inProgress('Updating the branch to its repaired base'),
  RED_ON_BASE: stopped(
    'The base branch fails, too',
    maintainer(`Fix the base branch and update this branch, or set \`ci.fixRedOnBase: true\` in ${POLICY}.`),
  ),
  SAME_FAILURE: stopped('The last fix did not help', author(RETRY_STEP)),
  REVIEW_COMMENTS: inProgress('Addressing review comments', AGENT_WORKS),
  REVIEW_SETTLING: inProgress('Waiting for the end of the review'),
  REVIEW_NEEDS_PERSON: held(
    'A review comment is open',
    author(
      'Answer in the thread or resolve it. A request for changes ends when its reviewer reviews again, or when it is dismissed.',
    ),
  ),
  ATTEMPTS_EXHAUSTED: stopped('All attempts are used', author(RETRY_STEP)),
  LAUNCHES_EXHAUSTED: stopped(
    'Too many attempts in one day',
    maintainer('Find out why attempts end without a result. Ratchet continues by itself when a day has passed.'),
  ),
  AGENT_UNKNOWN: held(
    'The agent is not configured',
    maintainer(`Correct \`agent\` in ${POLICY} on the base branch, or ask the operator to configure that agent.`),
  ),
  AGENT_NOT_ALLOWED: held(
    'Agents are not allowed here',
    operator('Add this repository to those in which agents may work.'),
  ),
  AGENTS_SWITCHED_OFF: held('Agents are switched off', operator(`Switch agents on again. ${GOES_ON}`)),
  BUDGET_EXHAUSTED: held(
    'The budget is used up',
    author('Fix it yourself, or ask the operator to raise the budget of the pull request.'),
  ),
  BUDGET_AWAITED: inProgress('Waiting for the next budget'),
  MODEL_AWAITED: inProgress('Waiting for the model'),
  MODEL_UNUSABLE: held(
    'The model cannot be used',
    operator(`Check the key, the credit and the URL of the model, and change its configuration. ${GOES_ON}`),
  ),
  STOPPED_SAME_CAUSE: stopped('Stopped', author(RETRY_STEP)),
  TAKEN_BACK: stopped('The fix was reverted', author(RETRY_STEP)),
  ALL_GREEN: atRest('success', 'All green'),
};

function inProgress(title: string, first: string | null = null): DecisionWords {
  return { standing: 'in_progress', title, first, next: null, canRetry: false };
}

function atRest(standing: Standing, title: string): DecisionWords {
  return { standing, title, first: null, next: null, canRetry: false };
}

function stopped(title: string, next: NextStep): DecisionWords {
  return { standing: 'action_required', title, first: null, next, canRetry: true };
}

/** What holds until something outside of Ratchet changes. */
function held(title: string, next: NextStep): DecisionWords {
  return { ...stopped(title, next), canRetry: false };
}
