import type { Decision, DecisionCode, FixupAction, Means } from '../model/decision.ts';
import type { Fixup, FixupKind, SupersededBy } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toCountText } from '../text/words.ts';
import { decide } from './guard.ts';

/** What people told us, and GitHub does not know. */
export type SwitchFacts = Pick<Snapshot, 'causeKey'> & {
  readonly ratchet: Pick<Snapshot['ratchet'], 'enabled' | 'paused' | 'stoppedFor'>;
};

/** Everything that can come up while a session works. */
export type PushFacts = SwitchFacts & Pick<Snapshot, 'pullRequest' | 'policyErrors' | 'policy'>;

/** A kind of fix, and its means. */
interface Planned {
  readonly action: FixupKind;
  readonly means: Means;
}

/** One reason against a fix. */
interface Hold<Facts> {
  readonly code: DecisionCode;
  readonly action: Exclude<FixupAction, FixupKind | 'WAIT'>;
  /** The means that it keeps from being started. */
  readonly means: readonly Means[];
  /** What joins the clause to what there is to fix. */
  readonly joint: ', but' | ', and' | ';';
  /** A clause with its full stop; null: it does not hold. */
  readonly find: (facts: Facts, planned: Planned) => string | null;
}

/** It is looked at again before a push. */
interface PushHold<Facts, Ends = SupersededBy | 'unpushed'> extends Hold<Facts> {
  /** How the session ends. `unpushed`: the policy lets nothing be pushed, and the change is offered as a patch. */
  readonly ends: Ends;
}

type SwitchHold = PushHold<SwitchFacts, SupersededBy>;

/** It is looked at where a fixup is launched, and not again. */
interface LaunchHold extends Hold<Snapshot> {
  readonly ends: null;
}

const RESTING = { action: 'CLEANUP_ONLY', means: ['rerun', 'update-branch', 'agent'], joint: ', but' } as const;
/** Of holds against a push: a re-run pushes nothing. */
const NOT_PUSHING = { ...RESTING, means: ['update-branch', 'agent'] } as const;
/** The free means are bound by no budget (resolution S7). */
const EXHAUSTED = { action: 'TERMINAL_FAILED', means: ['agent'], joint: ', and' } as const;

const disabled: SwitchHold = {
  ...{ ...RESTING, code: 'DISABLED', ends: 'disabled' },
  find: ({ ratchet }) => (ratchet.enabled ? null : 'Ratchet is disabled on this pull request.'),
};

const paused: SwitchHold = {
  ...{ ...RESTING, code: 'PAUSED', ends: 'paused' },
  find: ({ ratchet }) => (ratchet.paused ? 'Ratchet is paused on this pull request.' : null),
};

/**
 * A person who says stop wants no re-run either (resolution S8). It counts before a push too: the launch cleared the stop, so one
 * for the same cause was made since, perhaps by a process that is gone.
 */
const stoppedSameCause: SwitchHold = {
  ...{ ...RESTING, code: 'STOPPED_SAME_CAUSE', action: 'DONE', ends: 'stopped' },
  find: ({ causeKey, ratchet }) =>
    causeKey === null || causeKey !== ratchet.stoppedFor
      ? null
      : 'Ratchet has stopped at exactly this before and nothing has changed since.',
};

const forkNotSupported: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'FORK_NOT_SUPPORTED', ends: 'stopped' },
  find: ({ pullRequest }) =>
    pullRequest?.fork === true ? 'the pull request comes from a fork; Ratchet runs no code of forks.' : null,
};

const policyInvalid: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'POLICY_INVALID', ends: 'unpushed' },
  find: ({ policyErrors: [first, ...more] }) =>
    first === undefined
      ? null
      : `the policy file on the base branch has ${toCountText(more.length + 1, 'problem')}; the first: ${first}`,
};

const labelled: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'PAUSED', ends: 'paused' },
  find: ({ pullRequest }) => (pullRequest?.holdLabel === true ? 'a label holds Ratchet on this pull request.' : null),
};

/** A draft by itself changes nothing (resolution S9). It ends a session as a pause does: no stop is left when it is ready. */
const draftHeld: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'DRAFT_HELD', ends: 'paused' },
  find: ({ pullRequest, policy }) =>
    pullRequest?.draft === true && policy.holdDrafts
      ? 'the pull request is a draft, and the policy leaves drafts alone.'
      : null,
};

/** The running session was granted its attempt, and no other one is counted while it works. */
const attemptsExhausted: LaunchHold = {
  ...{ ...EXHAUSTED, code: 'ATTEMPTS_EXHAUSTED', ends: null },
  find: ({ ratchet: { consecutiveAttempts }, policy: { maxAttempts } }) =>
    consecutiveAttempts < maxAttempts
      ? null
      : `${consecutiveAttempts} of ${maxAttempts} attempts are used; a person has to take over.`,
};

/** The running session is counted itself: the last one that the day has room for would be held by its own launch. */
const launchesExhausted: LaunchHold = {
  ...{ ...EXHAUSTED, code: 'LAUNCHES_EXHAUSTED', ends: null },
  find: ({ ratchet: { launchesToday }, policy: { maxLaunchesPerDay } }) =>
    launchesToday < maxLaunchesPerDay
      ? null
      : `${launchesToday} fixups were launched within a day (at most ${maxLaunchesPerDay}); a person has to take over.`,
};

/** A merge queue brings its pull requests up to date by itself: no update is decided there. */
const inMergeQueue: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'IN_MERGE_QUEUE', means: ['agent'], ends: 'stopped' },
  find: ({ pullRequest }) =>
    pullRequest?.inMergeQueue === true ? 'the pull request is in a merge queue; Ratchet never pushes there.' : null,
};

/** Not where a push dismisses the approvals, or where policy has auto-merge turned off: at the launch, and before the push (S16). */
const autoMergeOn: PushHold<PushFacts> = {
  ...{ ...NOT_PUSHING, code: 'AUTO_MERGE_ON', ends: 'stopped' },
  find: ({ pullRequest, policy }) =>
    pullRequest?.autoMerge === true && pullRequest.approvalsSurvive && !policy.disarmAutoMerge
      ? 'auto-merge is on: what Ratchet pushes could be merged without a review.'
      : null,
};

const pushForbidden: PushHold<PushFacts> = {
  ...{ ...NOT_PUSHING, code: 'PUSH_FORBIDDEN', ends: 'stopped' },
  find: ({ pullRequest }) => {
    const why = pullRequest?.pushForbidden ?? null;
    return why === null ? null : `the branch takes no push of Ratchet's: ${why}`;
  },
};

const observeOnly: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'OBSERVE_ONLY', joint: ';', ends: 'unpushed' },
  find: ({ policy }, planned) =>
    policy.mode === 'observe' ? `Ratchet would ${toWords(planned)}, but its policy is to observe.` : null,
};

const leftToPeople: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'OBSERVE_ONLY', means: ['agent'], joint: ';', ends: 'unpushed' },
  find: ({ policy }, { action }) =>
    (action === 'FIX_MERGE_CONFLICT' && !policy.resolveConflicts) || (action === 'FIX_REVIEW' && !policy.fixReviews)
      ? 'the policy leaves that to a person.'
      : null,
};

/** A fixup is launched in this mode, and ends as a patch; of an update nothing is left without its push. */
const suggestOnly: PushHold<PushFacts> = {
  ...{ ...RESTING, code: 'OBSERVE_ONLY', means: ['update-branch'], joint: ';', ends: 'unpushed' },
  find: ({ policy }, planned) =>
    policy.mode === 'suggest' ? `Ratchet would ${toWords(planned)}, but its policy is to push nothing.` : null,
};

/** The strongest first: an exhausted budget is told even where the mode would hold too. */
const HOLDS: readonly (PushHold<PushFacts> | LaunchHold)[] = [
  ...[disabled, forkNotSupported, policyInvalid, paused, labelled, draftHeld, attemptsExhausted, launchesExhausted],
  ...[inMergeQueue, autoMergeOn, pushForbidden, observeOnly, leftToPeople, suggestOnly, stoppedSameCause],
];

/** Holds that are told even where there is nothing to fix. */
export const findDisabled = toGuard(disabled);
export const findFork = toGuard(forkNotSupported);
export const findPolicyInvalid = toGuard(policyInvalid);

function toGuard({ action, code, find }: PushHold<PushFacts>): (facts: PushFacts) => Decision | null {
  return (facts) => {
    const clause = find(facts, { action: 'FIX_CI', means: 'agent' });
    return clause === null ? null : decide(action, code, toSentence(clause));
  };
}

/** What keeps this from being started now; null: nothing. The reason begins with `what` there is to fix. */
export function findLaunchHold(snapshot: Snapshot, planned: Planned & { readonly what: string }): Decision | null {
  for (const { code, action, means, joint, find } of HOLDS) {
    const clause = means.includes(planned.means) ? find(snapshot, planned) : null;
    if (clause !== null) return decide(action, code, `${planned.what}${joint} ${clause}`);
  }
  return null;
}

/** Why a session pushes nothing. */
interface Refusal<Ends> {
  readonly ends: Ends;
  readonly detail: string;
}

/** What has come up since the launch against a push of this fixup; null: nothing. What ends the session comes first. */
export function findPushHold(
  facts: PushFacts,
  fixup: Pick<Fixup, 'action'>,
): Refusal<SupersededBy | 'unpushed'> | null {
  const found = HOLDS.flatMap((hold) => (hold.ends === null ? [] : toRefusals(hold, facts, fixup)));
  return found.find(({ ends }) => ends !== 'unpushed') ?? found[0] ?? null;
}

/** The same of what people told us alone, which costs no call. */
export function findSwitchHold(facts: SwitchFacts, fixup: Pick<Fixup, 'action'>): Refusal<SupersededBy> | null {
  return [disabled, paused, stoppedSameCause].flatMap((hold) => toRefusals(hold, facts, fixup))[0] ?? null;
}

function toRefusals<Facts, Ends>(
  { ends, find }: PushHold<Facts, Ends>,
  facts: Facts,
  { action }: Pick<Fixup, 'action'>,
): readonly Refusal<Ends>[] {
  const clause = find(facts, { action, means: 'agent' });
  return clause === null ? [] : [{ ends, detail: toSentence(clause) }];
}

function toSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
}

const WOULD: Readonly<Record<FixupKind, string>> = {
  FIX_MERGE_CONFLICT: 'resolve the conflict',
  FIX_CI: 'start a fixup',
  FIX_REVIEW: 'address them',
};

function toWords({ action, means }: Planned): string {
  if (means === 'rerun') return 'run the failed checks again';
  return means === 'update-branch' ? 'update the branch' : WOULD[action];
}
