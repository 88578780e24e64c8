import { CodedError, toError } from '../../core/model/errors.ts';
import type { FixupSession, SessionOutcome, SupersededBy } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';

/**
 * Runs `attempt` and waits for it to complete, with the session's deadline (002.R26, R28): its outcome, or null where a push is
 * planned. The attempt's signal fires at the deadline, when the session is asked to end early, and when the process stops
 * (`signal`); all that the attempt started is ended by it, and what fired says how the session ended. Never rejects.
 */
export async function waitForCompletion(
  deps: Pick<Deps, 'clock' | 'log' | 'newDeadline' | 'running'>,
  session: FixupSession,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<SessionOutcome | null>,
): Promise<SessionOutcome | null> {
  const running = deps.running.open(session.id);
  // From now on, not from the launch: the time in the queue is not the fixup's.
  const deadline = deps.newDeadline(session.deadlineAt - session.startedAt);
  const ended = AbortSignal.any([signal, running.signal, deadline]);
  try {
    const outcome = await attempt(ended);
    return ended.aborted && outcome !== null ? toInterrupted(outcome) : outcome;
  } catch (error) {
    deps.log.warn({ sessionId: session.id, error: toError(error) }, 'fixup interrupted');
    return toInterrupted({ kind: 'died', detail: toDetail(error) });
  } finally {
    running.close();
  }

  function toInterrupted(otherwise: SessionOutcome): SessionOutcome {
    const stoppedBy = running.stoppedBy();
    if (stoppedBy !== null) return { kind: 'superseded', why: stoppedBy, detail: describeStop(stoppedBy) };
    if (signal.aborted) return { kind: 'superseded', why: 'shutdown', detail: describeStop('shutdown') };
    if (deadline.aborted) return { kind: 'timed_out', afterMs: deps.clock.now() - session.startedAt };
    return otherwise;
  }
}

function describeStop(why: SupersededBy): string {
  switch (why) {
    case 'head_moved':
      return 'Somebody pushed to the branch while the fixup ran.';
    case 'closed':
      return 'The pull request was closed while the fixup ran.';
    case 'disabled':
      return 'Ratchet was disabled while the fixup ran.';
    case 'permission':
      return 'Permission was withdrawn while the fixup ran.';
    case 'stopped':
      return 'The fixup was stopped.';
    case 'paused':
      return 'Ratchet was paused while the fixup ran.';
    case 'cause_gone':
      return 'CI is not red any more.';
    case 'shutdown':
      return 'The service was shut down while the fixup ran; it will be taken up again.';
  }
}

/** What may be told of an error: its code and nothing that could hold a secret or a path. */
function toDetail(error: unknown): string {
  if (error instanceof CodedError) return `${error.name} (${error.code}).`;
  return 'An unexpected error of Ratchet itself; the log has it.';
}
