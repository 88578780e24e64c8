import type { Decision, DecisionCode, FixupAction, Means } from '../model/decision.ts';
import type { FixupKind, SupersededBy } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toCountText, toNumbersText } from '../text/words.ts';
import { toAgentHold, toAgentReady } from './agent-hold.ts';
import { type Clause, toSentence } from './clause.ts';
import { decide } from './guard.ts';

/** Facts from commands of people, which GitHub does not know. */
export type SwitchFacts = Pick<Snapshot, 'causeKey'> & {
  readonly ratchet: Pick<Snapshot['ratchet'], 'enabled' | 'paused' | 'pausedBeside' | 'stoppedFor'>;
};

/** All facts for holds against a push; they can change while a session works. */
export type PushFacts = SwitchFacts & Pick<Snapshot, 'pullRequest' | 'policyErrors' | 'policy'>;

interface Planned {
  readonly action: FixupKind;
  readonly means: Means;
}

/** One reason against a fix. */
interface Hold<Facts, Ends> {
  readonly code: DecisionCode;
  /** Default: `CLEANUP_ONLY`. */
  readonly action?: Exclude<FixupAction, FixupKind>;
  /** Means that it forbids; default: all. */
  readonly means?: readonly Means[];
  /** How it ends a session that wants to push. `unpushed`: the change is offered as a patch. null: it only forbids a launch. */
  readonly ends: Ends;
  /** null: it does not hold. */
  readonly find: (facts: Facts, planned: Planned) => Clause | null;
}
type PushHold = Hold<PushFacts, SupersededBy | 'unpushed'>;
type SwitchHold = Hold<SwitchFacts, SupersededBy>;

const PUSHING: readonly Means[] = ['update-branch', 'agent'];

const disabled: SwitchHold = {
  ...{ code: 'DISABLED', ends: 'disabled' },
  find: ({ ratchet }) => (ratchet.enabled ? null : ', but Ratchet is disabled on this pull request.'),
};

const paused: SwitchHold = {
  ...{ code: 'PAUSED', ends: 'paused' },
  find: ({ ratchet: { paused: isPaused, pausedBeside } }) => {
    if (isPaused) return ', but Ratchet is paused on this pull request.';
    return pausedBeside === null ? null : `, but Ratchet is paused on #${pausedBeside}, which has the same branch.`;
  },
};

/**
 * A stop forbids re-runs too (resolution S8). It also forbids a push: a launch clears the stop, so a stop for the same cause is
 * newer than the session. The process that received it may have ended before it could stop the session.
 */
const stopped: SwitchHold = {
  ...{ code: 'STOPPED_SAME_CAUSE', action: 'DONE', ends: 'stopped' },
  find: ({ causeKey, ratchet }) =>
    causeKey === null || causeKey !== ratchet.stoppedFor
      ? null
      : ', but Ratchet has stopped for this before, and nothing has changed since.',
};

const forkNotSupported: PushHold = {
  ...{ code: 'FORK_NOT_SUPPORTED', ends: 'stopped' },
  find: ({ pullRequest }) =>
    pullRequest?.fork === true ? ', but the pull request is from a fork, and Ratchet runs no code of forks.' : null,
};

const policyInvalid: PushHold = {
  ...{ code: 'POLICY_INVALID', ends: 'unpushed' },
  find: ({ policyErrors: [first, ...more] }) =>
    first === undefined
      ? null
      : `, but the policy file on the base branch has ${toCountText(more.length + 1, 'problem')}; the first: ${first}`,
};

/** A draft ends a session like a pause: without a stop, so that Ratchet continues when the draft is ready (resolution S9). */
const labelAndDraft: readonly PushHold[] = [
  {
    ...{ code: 'PAUSED', ends: 'paused' },
    find: ({ pullRequest }) => (pullRequest?.holdLabel === true ? ', but the pull request has the hold label.' : null),
  },
  {
    ...{ code: 'DRAFT_HELD', ends: 'paused' },
    find: ({ pullRequest, policy }) =>
      pullRequest?.draft === true && policy.holdDrafts
        ? ', but the pull request is a draft, and the policy leaves drafts alone.'
        : null,
  },
];

/**
 * A person's revert is a decision: no agent tries again, whatever it would come with (resolution S19). A comment that was written
 * after it is a new request. It only forbids a launch, since a revert moves the head and so ends a running session.
 */
const takenBack: Hold<Snapshot, null> = {
  ...{ code: 'TAKEN_BACK', action: 'DONE', means: PUSHING, ends: null },
  find: ({ ratchet, review }, { action }) => {
    const reverted = ratchet.takenBack;
    if (reverted?.action !== action) return null;
    if (action === 'FIX_REVIEW' && review.newestAt !== null && review.newestAt > reverted.at) return null;
    const who = reverted.by === null ? 'somebody' : `@${reverted.by}`;
    return `, but ${who} reverted Ratchet's fix (\`${reverted.commitSha}\`).`;
  },
};

/**
 * Budgets forbid a launch but not a push: the running session is already counted, so the last allowed session would forbid its
 * own push. Re-runs and branch updates are free (resolution S7).
 */
const budgets: readonly Hold<Snapshot, null>[] = [
  {
    ...{ code: 'ATTEMPTS_EXHAUSTED', action: 'TERMINAL_FAILED', means: ['agent'], ends: null },
    find: ({ ratchet: { consecutiveAttempts: used }, policy: { maxAttempts: most } }) =>
      used < most ? null : `, and ${used} of ${most} attempts are used.`,
  },
  {
    ...{ code: 'LAUNCHES_EXHAUSTED', action: 'TERMINAL_FAILED', means: ['agent'], ends: null },
    find: ({ ratchet: { launchesToday: count }, policy: { maxLaunchesPerDay: most } }) =>
      count < most ? null : `, and ${count} attempts started within one day (at most ${most}).`,
  },
];

/** Why no agent may be launched. A merge may need none: only a fixup can tell. */
function byAgent(code: DecisionCode, action: Hold<Snapshot, null>['action'] = 'CLEANUP_ONLY'): Hold<Snapshot, null> {
  return {
    ...{ code, action, means: ['agent'], ends: null },
    find: ({ agent, mergeNeedsAgent, now }, planned) => {
      if (planned.action === 'FIX_MERGE_CONFLICT' && !mergeNeedsAgent) return null;
      const readyAt = toAgentReady(agent);
      if (readyAt !== null && readyAt <= now) return null;
      const hold = toAgentHold(agent);
      return hold?.code === code ? hold.clause : null;
    },
  };
}

/** Holds against a push (resolution S16). A re-run pushes nothing, and Ratchet never updates a branch in a merge queue. */
const pushRules: readonly PushHold[] = [
  {
    ...{ code: 'IN_MERGE_QUEUE', means: ['agent'], ends: 'stopped' },
    find: ({ pullRequest }) =>
      pullRequest?.inMergeQueue === true
        ? ', but the pull request is in the merge queue, where Ratchet never pushes.'
        : null,
  },
  {
    // Safe if the push dismisses approvals, or if Ratchet turns auto-merge off: it does so at the launch and before the push.
    ...{ code: 'AUTO_MERGE_ON', means: PUSHING, ends: 'stopped' },
    find: ({ pullRequest, policy }) =>
      pullRequest?.autoMerge === true && pullRequest.approvalsSurvive && !policy.disarmAutoMerge
        ? ', but auto-merge is on, so that a push of Ratchet could be merged without a review.'
        : null,
  },
  {
    // The merge would bring the commits of this base into the pull requests with other bases.
    ...{ code: 'BRANCH_SHARED', means: PUSHING, ends: 'stopped' },
    find: ({ pullRequest }, { action, means }) =>
      (action !== 'FIX_MERGE_CONFLICT' && means !== 'update-branch') ||
      pullRequest === null ||
      pullRequest.beside.length === 0
        ? null
        : `, but the branch also belongs to ${toNumbersText(pullRequest.beside)}: a merge of this base would change what is merged there.`,
  },
  {
    ...{ code: 'PUSH_FORBIDDEN', means: PUSHING, ends: 'stopped' },
    find: ({ pullRequest }) => {
      const why = pullRequest?.pushForbidden ?? null;
      return why === null ? null : `, but Ratchet may not push to the branch: ${why}`;
    },
  },
];

/** In mode `suggest` a fixup starts and ends as a patch. A branch update does not start, because it is nothing but a push. */
const policyRules: readonly PushHold[] = [
  {
    ...{ code: 'OBSERVE_ONLY', ends: 'unpushed' },
    find: ({ policy }, planned) =>
      policy.mode === 'observe' ? `; Ratchet would ${toWords(planned)}, but the policy lets it only observe.` : null,
  },
  {
    ...{ code: 'OBSERVE_ONLY', means: ['agent'], ends: 'unpushed' },
    find: ({ policy }, { action }) =>
      (action === 'FIX_MERGE_CONFLICT' && !policy.resolveConflicts) || (action === 'FIX_REVIEW' && !policy.fixReviews)
        ? '; the policy leaves that to people.'
        : null,
  },
  {
    ...{ code: 'OBSERVE_ONLY', means: ['update-branch'], ends: 'unpushed' },
    find: ({ policy }, planned) =>
      policy.mode === 'suggest' ? `; Ratchet would ${toWords(planned)}, but the policy lets it push nothing.` : null,
  },
];

/**
 * Every hold, strongest first. What only a person can end, an exhausted budget above all (002.R13), comes before a pause and a
 * draft: it is still there when they are over.
 */
const HOLDS: readonly (PushHold | Hold<Snapshot, null>)[] = [
  ...[disabled, forkNotSupported, policyInvalid, takenBack, ...budgets, byAgent('BUDGET_EXHAUSTED', 'TERMINAL_FAILED')],
  ...[paused, ...labelAndDraft, ...pushRules, ...policyRules, stopped],
  ...[byAgent('AGENT_UNKNOWN'), byAgent('AGENT_NOT_ALLOWED'), byAgent('AGENTS_SWITCHED_OFF')],
  ...[byAgent('MODEL_UNUSABLE', 'DONE'), byAgent('BUDGET_AWAITED', 'WAIT'), byAgent('MODEL_AWAITED', 'WAIT')],
];

/** What `findLaunchHold` may answer, strongest first, with what it holds; null: every means. */
export const LAUNCH_HOLDS: readonly { readonly code: DecisionCode; readonly means: readonly Means[] | null }[] =
  HOLDS.map(({ code, means = null }) => ({ code, means }));

/** Holds that are also guards: they apply even if there is nothing to fix. */
export const findDisabled = toGuard(disabled);
export const findFork = toGuard(forkNotSupported);
export const findPolicyInvalid = toGuard(policyInvalid);

function toGuard({ code, find }: PushHold): (facts: PushFacts) => Decision | null {
  return (facts) => {
    const clause = find(facts, { action: 'FIX_CI', means: 'agent' });
    return clause === null ? null : decide('CLEANUP_ONLY', code, toSentence(clause));
  };
}

/** The decision of the first hold that forbids this fix, or null. Its reason begins with `what`. */
export function findLaunchHold(snapshot: Snapshot, planned: Planned & { readonly what: string }): Decision | null {
  for (const { code, action = 'CLEANUP_ONLY', means, find } of HOLDS) {
    const clause = means?.includes(planned.means) === false ? null : find(snapshot, planned);
    if (clause !== null) return decide(action, code, `${planned.what}${clause}`);
  }
  return null;
}

interface Refusal<Ends> {
  readonly ends: Ends;
  readonly detail: string;
}

/** How a hold ends a session that wants to push; null without a hold. `unpushed` counts only if no other hold applies. */
export function findPushHold(facts: PushFacts, action: FixupKind): Refusal<SupersededBy | 'unpushed'> | null {
  const found = HOLDS.flatMap((hold) => (hold.ends === null ? [] : toRefusals(hold, facts, action)));
  return found.find(({ ends }) => ends !== 'unpushed') ?? found[0] ?? null;
}

/** Like `findPushHold`, but checks only facts that need no call to GitHub. */
export function findSwitchHold(facts: SwitchFacts, action: FixupKind): Refusal<SupersededBy> | null {
  return [disabled, paused, stopped].flatMap((hold) => toRefusals(hold, facts, action))[0] ?? null;
}

function toRefusals<Facts, Ends>(
  { ends, find }: Hold<Facts, Ends>,
  facts: Facts,
  action: FixupKind,
): readonly Refusal<Ends>[] {
  const clause = find(facts, { action, means: 'agent' });
  return clause === null ? [] : [{ ends, detail: toSentence(clause) }];
}

const FIX_WORDS = { FIX_MERGE_CONFLICT: 'resolve the conflict', FIX_CI: 'start a fixup', FIX_REVIEW: 'address them' };

function toWords({ action, means }: Planned): string {
  if (means === 'rerun') return 're-run the failed checks';
  return means === 'update-branch' ? 'update the branch' : FIX_WORDS[action];
}
