import { assertNever, CodedError } from '../model/errors.ts';
import type { SessionOutcome, SupersededBy } from '../model/session.ts';
import { describeHeld } from '../sessions/describe-held.ts';
import { type GitHubRefusal, isOutage, isRefusal } from './github-trouble.ts';
import type { Interruption } from './interruption.ts';

const STOPS: Readonly<Record<SupersededBy, string>> = {
  head_moved: 'Somebody pushed to the branch while the fixup ran.',
  closed: 'The pull request was closed while the fixup ran.',
  disabled: 'Ratchet was disabled while the fixup ran.',
  permission: 'Permission was withdrawn while the fixup ran.',
  stopped: 'The fixup was stopped.',
  paused: 'Ratchet was paused while the fixup ran.',
  cause_gone: 'CI is not red any more.',
  base_changed: 'The base branch or its policy changed while the fixup ran.',
  shutdown: 'The service was shut down while the fixup ran; it will be taken up again.',
};

/** The outcome of a fixup that was interrupted `ranMs` after its launch; null if it goes on when GitHub works again. */
export function toFixupOutcome(interruption: Interruption, ranMs: number): SessionOutcome | null {
  switch (interruption.kind) {
    case 'crashed':
      return { kind: 'died', detail: 'The process that ran it ended in the middle.' };
    case 'stopped':
      return { kind: 'superseded', why: interruption.why, detail: STOPS[interruption.why] };
    case 'timed_out':
      return { kind: 'timed_out', afterMs: ranMs };
    case 'failed':
      return toFailedOutcome(interruption.error);
    default:
      return assertNever(interruption);
  }
}

function toFailedOutcome(error: unknown): SessionOutcome | null {
  if (isOutage(error)) return null;
  return isRefusal(error) ? toRefusedOutcome(error) : { kind: 'died', detail: describeError(error) };
}

/** Only a person can give the App its access back, or find out why GitHub refuses. */
export function toRefusedOutcome({ message }: GitHubRefusal, detail = ''): SessionOutcome {
  return { kind: 'superseded', why: 'permission', detail: `GitHub refuses Ratchet: ${message}.${detail}` };
}

/** Whether the next look may follow immediately, because the situation differs from the one at the launch. */
export function leavesNewSituation(outcome: SessionOutcome): boolean {
  if (outcome.kind === 'superseded') return outcome.why === 'permission' || outcome.why === 'base_changed';
  return outcome.kind !== 'died';
}

/** One sentence for the transition log and the operator. */
export function describeOutcome(outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case 'pushed':
      return `Pushed ${outcome.commitSha}.`;
    case 'timed_out':
      return `Ended at its time limit after ${String(Math.round(outcome.afterMs / 1000))} s; counted as one attempt.`;
    case 'suggested':
      return `Passed the gate and was offered as a patch (${String(outcome.diff.files)} files); nothing was pushed.`;
    case 'held':
      return describeHeld(outcome.facts);
    case 'declined':
      return `Every review item was declined or left to a person (${String(outcome.answers.length)}); nothing was pushed.`;
    case 'rejected':
    case 'superseded':
    case 'died':
      return outcome.detail;
    default:
      return assertNever(outcome);
  }
}

/** Why an accepted change was not pushed, as part of a sentence. */
export function describeUnaccepted(outcome: SessionOutcome): string {
  return `the change still waits, and nothing of it was pushed. ${describeOutcome(outcome)}`.replace(/\.$/u, '');
}

/** The part of an error that people may see: its name and code. The message could contain a secret or a path. */
function describeError(error: unknown): string {
  if (error instanceof CodedError) return `${error.name} (${error.code}).`;
  return 'An unexpected error of Ratchet itself; the log has it.';
}
