import { describe, expect, it } from 'vitest';
import { WorkspaceError } from '../../src/core/model/errors.ts';
import type { SessionOutcome } from '../../src/core/model/session.ts';
import { createRunningSessions } from '../../src/pipeline/run/running-sessions.ts';
import { waitForCompletion } from '../../src/pipeline/run/wait-for-completion.ts';
import { aFixup, aSession } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { recordingLog } from '../support/store.ts';

const DONE: SessionOutcome = { kind: 'rejected', code: 'NO_CHANGE', detail: 'Nothing.', diff: null, validation: [] };
const HOUR_MS = 3_600_000;

function start() {
  const clock = createFakeClock();
  const fixup = aFixup();
  const session = { ...aSession(null, { startedAt: clock.now(), deadlineAt: clock.now() + HOUR_MS }), fixup };
  const running = createRunningSessions();
  const deps = { clock, log: recordingLog().log, newDeadline: clock.deadline, running };
  const shutdown = new AbortController();
  return { clock, session, running, deps, shutdown };
}

/** An attempt that never ends by itself, and takes its end from its signal as everything that it starts does. */
async function hang(signal: AbortSignal): Promise<null> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  return null;
}

describe('waitForCompletion', () => {
  it.each([[DONE], [null]])('resolves with what the session ended with when it ends (002.R26): %o', async (outcome) => {
    const { deps, session, shutdown, running } = start();

    const got = await waitForCompletion(deps, session, shutdown.signal, async () => outcome);

    expect(got).toEqual(outcome);
    expect(running.isRunning(session.id)).toBe(false);
  });

  it('resolves as timed out at the deadline when the session hangs, having told it to end (002.R26, R28)', async () => {
    const { deps, session, shutdown, clock, running } = start();
    let told: AbortSignal | null = null;
    const waiting = waitForCompletion(deps, session, shutdown.signal, async (signal) => {
      told = signal;
      return hang(signal);
    });
    clock.advance(HOUR_MS - 1);
    const before = { told, isRunning: running.isRunning(session.id) };
    expect(before).toMatchObject({ told: { aborted: false }, isRunning: true });

    clock.advance(1);

    expect(await waiting).toEqual({ kind: 'timed_out', afterMs: HOUR_MS });
    expect(running.isRunning(session.id)).toBe(false);
  });

  it('says who ended it early, also where the time was over as well', async () => {
    const { deps, session, shutdown, running, clock } = start();
    const waiting = waitForCompletion(deps, session, shutdown.signal, hang);
    running.stop(session.id, 'stopped');
    clock.advance(2 * HOUR_MS);
    shutdown.abort();

    expect(await waiting).toMatchObject({ kind: 'superseded', why: 'stopped' });
  });

  it('says that the process was stopped', async () => {
    const { deps, session, shutdown } = start();
    const waiting = waitForCompletion(deps, session, shutdown.signal, hang);
    shutdown.abort();

    expect(await waiting).toMatchObject({ kind: 'superseded', why: 'shutdown' });
  });

  it('keeps a planned push, though it was told to end while that was written', async () => {
    const { deps, session, shutdown, running } = start();

    const got = await waitForCompletion(deps, session, shutdown.signal, async () => {
      running.stop(session.id, 'stopped');
      return null;
    });

    expect(got).toBeNull();
  });

  it.each([
    [
      new WorkspaceError('FETCH_FAILED', 'no route to /var/secret', { retry: 'later' }),
      'WorkspaceError (FETCH_FAILED).',
    ],
    [new Error('cannot open /var/secret'), 'An unexpected error of Ratchet itself; the log has it.'],
  ])('takes an error for a death and tells nothing of it but its code', async (error, detail) => {
    const { deps, session, shutdown } = start();

    expect(await waitForCompletion(deps, session, shutdown.signal, () => Promise.reject(error))).toEqual({
      kind: 'died',
      detail,
    });
  });
});
