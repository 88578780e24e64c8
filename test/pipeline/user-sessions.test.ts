import { describe, expect, it } from 'vitest';
import { parseSessionId, type SessionId } from '../../src/core/model/ids.ts';
import type { Session } from '../../src/core/model/session.ts';
import { MAX_USER_SESSIONS } from '../../src/core/sessions/user-session.ts';
import {
  announceUserSession,
  endUserSession,
  keepUserSession,
  settleUserSessions,
} from '../../src/pipeline/sessions/user-sessions.ts';
import { aPerson, aPullRequest, aRepository, fakeSha } from '../support/builders.ts';
import {
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startLaunched,
  startPipeline,
  USER_SESSION_IDLE_MS,
} from '../support/pipeline-fixture.ts';

const REF = { repository: aRepository(), number: aPullRequest().number };

async function announce(pipeline: Pipeline, label = 'ada', minutes: number | null = 60): Promise<Session> {
  const announced = await announceUserSession(pipeline.deps, REF, { label, minutes });
  if (announced.kind === 'too_many') throw new Error('too many');
  return announced.session;
}

function statusOf(pipeline: Pipeline, id: SessionId): string | undefined {
  return pipeline.store.session(id)?.status;
}

/** Announced before anybody enables it, on red CI. */
async function startBeside(minutes = 60): Promise<{ readonly pipeline: Pipeline; readonly session: Session }> {
  const pipeline = startPipeline();
  const session = await announce(pipeline, 'ada', minutes);
  pipeline.comment('/ratchet enable');
  await pipeline.evaluate();
  return { pipeline, session };
}

describe('an announced person', () => {
  it('is waited for while at work, and the fixup follows at once when they end it (002.R7, S6, trap 115)', async () => {
    const { pipeline, session } = await startBeside();
    const beside = pipeline.lastCode();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    const later = { code: pipeline.lastCode(), isDue: pipeline.isDue('fixup') };

    expect(await endUserSession(pipeline.deps, session.id)).toBe(true);
    const wasWoken = pipeline.isDue('evaluate');
    await pipeline.evaluate();

    expect({ beside, later }).toEqual({ beside: 'WORKING_SESSION', later: { code: 'WORKING_SESSION', isDue: false } });
    expect(wasWoken).toBe(true);
    expect(pipeline.liveSession()).toMatchObject({ kind: 'ratchet' });
  });

  it('is idle after a silence, which is found without anybody waking it, and blocks nothing then (002.R7, S6)', async () => {
    const { pipeline, session } = await startBeside();
    pipeline.clock.advance(USER_SESSION_IDLE_MS + 1);
    const isDue = pipeline.isDue('evaluate');

    await pipeline.settle();

    expect(isDue).toBe(true);
    expect(statusOf(pipeline, session.id)).toBe('idle');
    expect(pipeline.endedSessions()).toHaveLength(1);
  });

  it('stays at work for as long as heartbeats come', async () => {
    const { pipeline, session } = await startBeside();
    for (let beat = 0; beat < 5; beat += 1) {
      pipeline.clock.advance(USER_SESSION_IDLE_MS);
      expect(await keepUserSession(pipeline.deps, session.id)).toBe(true);
      await pipeline.evaluate();
    }

    expect(pipeline.lastCode()).toBe('WORKING_SESSION');
  });

  it.each(['a heartbeat', 'the same announcement'])(
    'is at work again by %s, and the pull request is woken',
    async (by) => {
      const { pipeline, session } = await startBeside();
      pipeline.store.idleUserSessions(pipeline.key, pipeline.clock.now() + 1);
      pipeline.clock.advance(1);

      if (by === 'a heartbeat') await keepUserSession(pipeline.deps, session.id);
      else expect((await announce(pipeline)).id).toBe(session.id);

      expect(statusOf(pipeline, session.id)).toBe('working');
      expect(pipeline.isDue('evaluate')).toBe(true);
    },
  );

  it('is over at the deadline, whatever is heard, and the next announcement is another session (S4)', async () => {
    const { pipeline, session } = await startBeside(2);
    pipeline.clock.advance(2 * MINUTE_MS);

    expect(pipeline.isDue('evaluate')).toBe(true);
    expect(await keepUserSession(pipeline.deps, session.id)).toBe(false);
    const next = await announce(pipeline);

    expect(next.id).not.toBe(session.id);
    expect(statusOf(pipeline, session.id)).toBe('ended');
  });

  it.each<readonly [string, number | null, number]>([
    ['longer, from now on', 90, 90],
    ['shorter, from now on', 5, 5],
    ['no longer where nothing is said of it', null, 30],
  ])('that is announced again lasts %s (S6)', async (_what, minutes, leftMinutes) => {
    const { pipeline, session } = await startBeside(60);
    pipeline.clock.advance(30 * MINUTE_MS);

    const again = await announce(pipeline, 'ada', minutes);

    expect(again).toMatchObject({ id: session.id, startedAt: session.startedAt });
    expect(again.deadlineAt - pipeline.clock.now()).toBe(leftMinutes * MINUTE_MS);
  });

  it('that is cut short is over in time, though nobody wakes the pull request then (S4)', async () => {
    const { pipeline, session } = await startBeside(60);
    await announce(pipeline, 'ada', 2);
    await pipeline.evaluate();

    pipeline.clock.advance(2 * MINUTE_MS);
    expect(pipeline.isDue('evaluate')).toBe(true);
    await pipeline.evaluate();

    expect(statusOf(pipeline, session.id)).toBe('ended');
    expect(pipeline.liveSession()).toMatchObject({ kind: 'ratchet' });
  });

  it('lasts eight hours where nobody says how long', async () => {
    const session = await announce(startPipeline(), 'ada', null);

    expect(session.deadlineAt - session.startedAt).toBe(8 * 60 * MINUTE_MS);
  });

  it('is over with its pull request (S9)', async () => {
    const { pipeline, session } = await startBeside();
    pipeline.github.change({ state: 'closed' });

    await pipeline.evaluate();

    expect(statusOf(pipeline, session.id)).toBe('ended');
    expect(pipeline.lastCode()).toBe('PR_NOT_OPEN');
  });

  it('is not ended by a push or by a disable: only what Ratchet runs is', async () => {
    const { pipeline, session } = await startBeside();
    pipeline.pushFromOutside(fakeSha('their own work'));
    pipeline.comment('/ratchet disable\n/ratchet stop');

    await pipeline.evaluate();

    expect(statusOf(pipeline, session.id)).toBe('working');
  });

  it('beside a fixup that is at work already lets it end', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.during('agent', async () => {
      await announce(pipeline);
    });

    await pipeline.runFixup();
    await pipeline.evaluate();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.lastCode()).toBe('WORKING_SESSION');
  });

  it('is told by status, and comes and goes in the reasons', async () => {
    const { pipeline, session } = await startBeside();
    pipeline.comment('/ratchet status', { author: aPerson({ id: 301, login: 'stan' }) });
    await pipeline.evaluate();
    await endUserSession(pipeline.deps, session.id);

    expect(pipeline.replies()).toEqual([expect.stringContaining('Working: ada')]);
    expect(pipeline.transitions().map(({ code }) => code)).toEqual(
      expect.arrayContaining(['USER_SESSION_STARTED', 'USER_SESSION_ENDED']),
    );
  });

  it('is one of a bounded number', async () => {
    const pipeline = await startEnabled();
    for (let nth = 0; nth < MAX_USER_SESSIONS; nth += 1) await announce(pipeline, `person ${String(nth)}`);

    const announced = await announceUserSession(pipeline.deps, REF, { label: 'one more', minutes: 1 });
    const known = await announceUserSession(pipeline.deps, REF, { label: 'person 3', minutes: 1 });

    expect(announced).toEqual({ kind: 'too_many', max: MAX_USER_SESSIONS });
    expect(known.kind).toBe('continued');
  });
});

describe('a session that is none of a person', () => {
  it('is neither kept nor ended as one', async () => {
    const pipeline = await startLaunched();
    const fixup = pipeline.liveSession();
    const unknown = parseSessionId('nobody');

    for (const id of [fixup?.id ?? unknown, unknown]) {
      expect(await keepUserSession(pipeline.deps, id)).toBe(false);
      expect(await endUserSession(pipeline.deps, id)).toBe(false);
    }
    pipeline.clock.advance(24 * 60 * MINUTE_MS);
    settleUserSessions(pipeline.deps, pipeline.key);

    expect(pipeline.liveSession()).toEqual(fixup);
  });
});
