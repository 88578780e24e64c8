import type { Decision, DecisionCode } from '../model/decision.ts';
import type { Stop } from '../model/workspace.ts';

/** The state of the check run for a decision code (see the table of check-run conclusions). */
export type Standing = 'in_progress' | 'success' | 'action_required' | 'neutral';

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
  WORKING_SESSION: inProgress('Working'),
  NO_PR: { standing: 'neutral', title: 'No pull request', next: null },
  PR_NOT_OPEN: { standing: 'neutral', title: 'Pull request is closed', next: null },
  CI_RUNNING: inProgress('Waiting for CI'),
  CI_TIMEOUT: needsPerson(
    'CI does not finish',
    'Look at the checks that do not finish: run them again, or cancel them.',
  ),
  CI_BLOCKED: needsPerson(
    'CI waits for approval',
    'Approve the waiting CI run, or reject it. Ratchet goes on by itself after that.',
  ),
  CI_REQUIRED_MISSING: needsPerson(
    'a required check never reported',
    'Correct the name in `ci.required` of `.github/ratchet.yml`, or have the check report on this head.',
  ),
  STALE_CI_RUN: inProgress('Waiting for CI to start on the last push'),
  STALE_CI_TIMEOUT: needsPerson(
    'CI did not start on the last push',
    'Find out why CI does not run on this head (path filters, a spent quota, a disabled workflow), or start it by hand.',
  ),
  DISABLED: {
    standing: 'neutral',
    title: 'Disabled',
    next: 'Comment `/ratchet enable` to let Ratchet work on this pull request.',
  },
  FORK_NOT_SUPPORTED: held(
    'the pull request comes from a fork',
    'Ratchet runs no code of forks. Push the branch to this repository if you trust it.',
  ),
  PAUSED: held('paused', 'Comment `/ratchet resume`, or take the hold label off, to let Ratchet go on.'),
  DRAFT_HELD: held(
    'the pull request is a draft',
    'Mark it as ready for review, or let the policy work on drafts (`drafts: work`).',
  ),
  POLICY_INVALID: held('the policy file is invalid', 'Correct `.github/ratchet.yml` on the base branch.'),
  OBSERVE_ONLY: {
    standing: 'action_required',
    title: 'Observed · nothing is done',
    next: 'Do it yourself, or let the policy in `.github/ratchet.yml` allow it.',
  },
  PUSH_FORBIDDEN: held(
    'the rules of the branch forbid a push',
    'Allow the App to push to this branch, or push the change yourself.',
  ),
  IN_MERGE_QUEUE: held('in a merge queue', 'Take the pull request out of the queue if Ratchet shall push to it.'),
  AUTO_MERGE_ON: held('auto-merge is on', 'Turn auto-merge off if Ratchet shall push to this pull request.'),
  BRANCH_SHARED: held(
    'the branch has another pull request',
    'Merge the base yourself, or close the other pull request of this branch.',
  ),
  MERGE_UNKNOWN: inProgress('Waiting for GitHub to compute mergeability'),
  MERGE_UNKNOWN_TIMEOUT: needsPerson(
    'mergeability is unknown',
    'Look whether GitHub shows a conflict; a push or a reopened pull request makes it compute again.',
  ),
  MERGE_CONFLICT: inProgress('Resolving the conflict with the base branch'),
  BRANCH_BEHIND: inProgress('Updating the branch to its base'),
  MERGE_QUEUE_FAILED: inProgress('Updating the branch · the merge queue failed'),
  MERGE_QUEUE_UNEXPLAINED: needsPerson(
    'the merge queue failed',
    'Look at the checks of the merge queue. After a fix, or if they failed by chance, add the pull request to the queue again.',
  ),
  UPDATE_AWAITED: inProgress('Waiting for the branch to be updated'),
  CI_FAILED: inProgress('Fixing CI'),
  QUALITY_FINDINGS: inProgress('Fixing new findings'),
  CI_FLAKY: inProgress('Running failed checks again'),
  RERUN_AWAITED: inProgress('Waiting for failed checks to run again'),
  CI_NEEDS_PERSON: needsPerson(
    'no code can mend the failing checks',
    'Put in order what the message names, then run the failed checks again. Ratchet goes on by itself after that.',
  ),
  BASE_REPAIRED: inProgress('Updating the branch to its repaired base'),
  RED_ON_BASE: needsPerson(
    'red on the base branch too',
    'Make the base branch green and update this branch, or let the policy fix it here (`ci.fixRedOnBase`).',
  ),
  SAME_FAILURE: needsPerson('the last fixup changed nothing', LIFT),
  REVIEW_COMMENTS: inProgress('Addressing review comments'),
  REVIEW_SETTLING: inProgress('Waiting for the review to settle'),
  REVIEW_NEEDS_PERSON: needsPerson(
    'a review comment is open',
    'Answer in the thread or resolve it. A request for changes ends with another review of its author, or when it is dismissed.',
  ),
  ATTEMPTS_EXHAUSTED: needsPerson('all attempts are used', LIFT),
  LAUNCHES_EXHAUSTED: needsPerson(
    'too many fixups in a day',
    'Find out why fixups end without a result. Ratchet goes on by itself when a day has passed.',
  ),
  AGENT_UNKNOWN: held(
    'the agent is not configured',
    'Correct `agent` in `.github/ratchet.yml` on the base branch, or have the operator configure that agent.',
  ),
  AGENT_NOT_ALLOWED: held(
    'no agent may spend money here',
    'Have the operator add this repository to those in which agents may work.',
  ),
  AGENTS_SWITCHED_OFF: held(
    'agents are switched off',
    'The operator switches them on again. Ratchet goes on by itself after that.',
  ),
  BUDGET_EXHAUSTED: needsPerson(
    'the budget of the pull request is used up',
    'Fix it yourself, or have the budget of the pull request raised. Ratchet goes on by itself after that.',
  ),
  BUDGET_AWAITED: inProgress('Waiting for the next budget'),
  MODEL_AWAITED: inProgress('Waiting for the model'),
  MODEL_UNUSABLE: needsPerson(
    'the model cannot be used',
    'The operator has to look at the key, the credit and the URL of the model. Ratchet goes on by itself after a change.',
  ),
  STOPPED_SAME_CAUSE: needsPerson('stopped', LIFT),
  TAKEN_BACK: needsPerson(
    'its fix was reverted',
    'Fix it yourself, or comment `/ratchet retry` to let Ratchet try again with a fresh budget.',
  ),
  ALL_GREEN: { standing: 'success', title: 'All green', next: null },
};

function inProgress(title: string): DecisionWords {
  return { standing: 'in_progress', title, next: null };
}

function needsPerson(why: string, next: string): DecisionWords {
  return { standing: 'action_required', title: `Needs a person · ${why}`, next };
}

function held(why: string, next: string): DecisionWords {
  return { standing: 'action_required', title: `Held · ${why}`, next };
}

const STOP_WORDS: Readonly<Partial<Record<Stop['code'], Omit<DecisionWords, 'standing'>>>> = {
  SUGGESTED: {
    title: 'Needs a person · a change is suggested',
    next: 'Apply what is offered below, or let the policy push such changes (`mode: push`) and comment `/ratchet retry`.',
  },
  HELD: {
    title: 'Needs a person · a change waits to be accepted',
    next: 'Look at the change below and at what was found. To take it, press **Accept** or comment `/ratchet accept`: it is validated again and pushed. To leave it, fix it yourself, or comment `/ratchet retry` for another attempt.',
  },
  QUESTION: {
    title: 'Needs a person · the agent asks a question',
    next: 'Read the question below, and answer it with a button or a comment `/ratchet answer TEXT`. The agent starts again with the answer. Or fix it yourself.',
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
