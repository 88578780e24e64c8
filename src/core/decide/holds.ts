import type { Decision, DecisionCode, FixupAction, Means } from '../model/decision.ts';
import type { FixupKind, SupersededBy } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toCountText } from '../text/words.ts';
import { decide } from './guard.ts';

/** What people told us and GitHub does not know. */
export type SwitchFacts = Pick<Snapshot, 'causeKey'> & {
  readonly ratchet: Pick<Snapshot['ratchet'], 'enabled' | 'paused' | 'stoppedFor'>;
};

/** Everything that can change while a session works. */
export type PushFacts = SwitchFacts & Pick<Snapshot, 'pullRequest' | 'policyErrors' | 'policy'>;

/** A kind of fix and its means. */
interface Planned {
  readonly action: FixupKind;
  readonly means: Means;
}

/** One reason against a fix. */
interface Hold<Facts, Ends> {
  readonly code: DecisionCode;
  /** Default: `CLEANUP_ONLY`. */
  readonly action?: Exclude<FixupAction, FixupKind | 'WAIT'>;
  /** The means that it forbids to start; default: all. */
  readonly means?: readonly Means[];
  /** How it ends a session that wants to push. `unpushed`: the change is offered as a patch. null: only a launch is held. */
  readonly ends: Ends;
  /** A clause with a joint before it and a full stop after it; null: it does not hold. */
  readonly find: (facts: Facts, planned: Planned) => `${', but' | ', and' | ';'} ${string}` | null;
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
  find: ({ ratchet }) => (ratchet.paused ? ', but Ratchet is paused on this pull request.' : null),
};

/**
 * A person who says stop wants no re-run either (resolution S8). The stop counts before a push too: a launch clears it, so one for
 * the same cause is newer than the session. Perhaps it was given to a process that has ended since.
 */
const stopped: SwitchHold = {
  ...{ code: 'STOPPED_SAME_CAUSE', action: 'DONE', ends: 'stopped' },
  find: ({ causeKey, ratchet }) =>
    causeKey === null || causeKey !== ratchet.stoppedFor
      ? null
      : ', but Ratchet has stopped at exactly this before and nothing has changed since.',
};

const forkNotSupported: PushHold = {
  ...{ code: 'FORK_NOT_SUPPORTED', ends: 'stopped' },
  find: ({ pullRequest }) =>
    pullRequest?.fork === true ? ', but the pull request comes from a fork; Ratchet runs no code of forks.' : null,
};

const policyInvalid: PushHold = {
  ...{ code: 'POLICY_INVALID', ends: 'unpushed' },
  find: ({ policyErrors: [first, ...more] }) =>
    first === undefined
      ? null
      : `, but the policy file on the base branch has ${toCountText(more.length + 1, 'problem')}; the first: ${first}`,
};

/** A draft ends a session as a pause does: no stop remains, so that Ratchet continues when the draft is ready (resolution S9). */
const labelAndDraft: readonly PushHold[] = [
  {
    ...{ code: 'PAUSED', ends: 'paused' },
    find: ({ pullRequest }) =>
      pullRequest?.holdLabel === true ? ', but a label holds Ratchet on this pull request.' : null,
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
 * Budgets hold a launch and no push. The running session already has its attempt, and no other is counted while it works. It is
 * itself one of the launches of the day, so the last one that the day has room for would hold itself. Re-runs and updates of the
 * branch are free (resolution S7).
 */
const budgets: readonly Hold<Snapshot, null>[] = [
  {
    ...{ code: 'ATTEMPTS_EXHAUSTED', action: 'TERMINAL_FAILED', means: ['agent'], ends: null },
    find: ({ ratchet: { consecutiveAttempts: used }, policy: { maxAttempts: most } }) =>
      used < most ? null : `, and ${used} of ${most} attempts are used; a person has to take over.`,
  },
  {
    ...{ code: 'LAUNCHES_EXHAUSTED', action: 'TERMINAL_FAILED', means: ['agent'], ends: null },
    find: ({ ratchet: { launchesToday: count }, policy: { maxLaunchesPerDay: most } }) =>
      count < most
        ? null
        : `, and ${count} fixups were launched within a day (at most ${most}); a person has to take over.`,
  },
];

/** What forbids a push (resolution S16). A re-run pushes nothing, and a branch in a merge queue is never updated by us. */
const pushRules: readonly PushHold[] = [
  {
    ...{ code: 'IN_MERGE_QUEUE', means: ['agent'], ends: 'stopped' },
    find: ({ pullRequest }) =>
      pullRequest?.inMergeQueue === true
        ? ', but the pull request is in a merge queue; Ratchet never pushes there.'
        : null,
  },
  {
    // A push that dismisses the approvals is safe. So is one where Ratchet turns auto-merge off: at the launch and before the push.
    ...{ code: 'AUTO_MERGE_ON', means: PUSHING, ends: 'stopped' },
    find: ({ pullRequest, policy }) =>
      pullRequest?.autoMerge === true && pullRequest.approvalsSurvive && !policy.disarmAutoMerge
        ? ', but auto-merge is on: what Ratchet pushes could be merged without a review.'
        : null,
  },
  {
    ...{ code: 'PUSH_FORBIDDEN', means: PUSHING, ends: 'stopped' },
    find: ({ pullRequest }) => {
      const why = pullRequest?.pushForbidden ?? null;
      return why === null ? null : `, but the branch takes no push of Ratchet's: ${why}`;
    },
  },
];

/** In the mode `suggest` a fixup starts and ends as a patch. An update of the branch without a push would be nothing. */
const policyRules: readonly PushHold[] = [
  {
    ...{ code: 'OBSERVE_ONLY', ends: 'unpushed' },
    find: ({ policy }, planned) =>
      policy.mode === 'observe' ? `; Ratchet would ${toWords(planned)}, but its policy is to observe.` : null,
  },
  {
    ...{ code: 'OBSERVE_ONLY', means: ['agent'], ends: 'unpushed' },
    find: ({ policy }, { action }) =>
      (action === 'FIX_MERGE_CONFLICT' && !policy.resolveConflicts) || (action === 'FIX_REVIEW' && !policy.fixReviews)
        ? '; the policy leaves that to a person.'
        : null,
  },
  {
    ...{ code: 'OBSERVE_ONLY', means: ['update-branch'], ends: 'unpushed' },
    find: ({ policy }, planned) =>
      policy.mode === 'suggest' ? `; Ratchet would ${toWords(planned)}, but its policy is to push nothing.` : null,
  },
];

/** Every hold, the strongest first. An exhausted budget comes before the mode. */
const HOLDS: readonly (PushHold | Hold<Snapshot, null>)[] = [
  ...[disabled, forkNotSupported, policyInvalid, paused, ...labelAndDraft, ...budgets],
  ...[...pushRules, ...policyRules, stopped],
];

/** Guards of the decision: these holds count even if there is nothing to fix. */
export const findDisabled = toGuard(disabled);
export const findFork = toGuard(forkNotSupported);
export const findPolicyInvalid = toGuard(policyInvalid);

function toGuard({ code, find }: PushHold): (facts: PushFacts) => Decision | null {
  return (facts) => {
    const clause = find(facts, { action: 'FIX_CI', means: 'agent' });
    return clause === null ? null : decide('CLEANUP_ONLY', code, toSentence(clause));
  };
}

/** The hold that keeps this fix from starting, or null. Its reason begins with `what` there is to fix. */
export function findLaunchHold(snapshot: Snapshot, planned: Planned & { readonly what: string }): Decision | null {
  for (const { code, action = 'CLEANUP_ONLY', means, find } of HOLDS) {
    const clause = means?.includes(planned.means) === false ? null : find(snapshot, planned);
    if (clause !== null) return decide(action, code, `${planned.what}${clause}`);
  }
  return null;
}

/** Why a session pushes nothing, and how it ends. */
interface Refusal<Ends> {
  readonly ends: Ends;
  readonly detail: string;
}

/** The hold against a push of an agent's fix, or null. A hold that ends the session comes before one that leaves a patch. */
export function findPushHold(facts: PushFacts, action: FixupKind): Refusal<SupersededBy | 'unpushed'> | null {
  const found = HOLDS.flatMap((hold) => (hold.ends === null ? [] : toRefusals(hold, facts, action)));
  return found.find(({ ends }) => ends !== 'unpushed') ?? found[0] ?? null;
}

/** As `findPushHold`, of the facts that need no call of GitHub. */
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

/** The clause without its joint. */
function toSentence(clause: string): string {
  const words = clause.replace(/^(?:, but|, and|;) /u, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const FIX_WORDS = { FIX_MERGE_CONFLICT: 'resolve the conflict', FIX_CI: 'start a fixup', FIX_REVIEW: 'address them' };

function toWords({ action, means }: Planned): string {
  if (means === 'rerun') return 'run the failed checks again';
  return means === 'update-branch' ? 'update the branch' : FIX_WORDS[action];
}
