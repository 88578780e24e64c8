import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explain } from '../../src/cli/explain.ts';
import { MAX_USER_SESSIONS } from '../../src/core/sessions/user-session.ts';
import { SessionResponse } from '../../src/schemas/admin-api.ts';
import { type AdminServer, startAdminServer } from '../support/admin-server.ts';

const Transitions = z.object({
  transitions: z.array(
    z.looseObject({ action: z.string(), code: z.string(), reason: z.string(), snapshot: z.unknown() }),
  ),
});

const START = { repository: 'acme/widget', number: 7, label: 'ada' };

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
});
afterEach(() => server.close());

describe('sessions of the admin API', () => {
  it('are announced once for a label, listed, kept and ended', async () => {
    const started = await server.call('POST', '/api/admin/sessions', { body: START });
    const continued = await server.call('POST', '/api/admin/sessions', { body: START });
    const [session] = server.pipeline.store.liveSessions(server.pipeline.key);
    const listed = await server.call('GET', '/api/admin/sessions?repository=ACME%2FWidget&number=7');
    const kept = await server.call('POST', `/api/admin/sessions/${session?.id ?? ''}/heartbeat`);
    const ended = await server.call('DELETE', `/api/admin/sessions/${session?.id ?? ''}`);
    const again = await server.call('DELETE', `/api/admin/sessions/${session?.id ?? ''}`);

    expect([started, continued, listed, kept, ended, again].map(({ status }) => status)).toEqual([
      ...[201, 200, 200, 200, 200, 404],
    ]);
    const { session: told } = SessionResponse.parse(started.answer);
    expect(told).toMatchObject({ id: session?.id, kind: 'user', status: 'working', label: 'ada' });
    expect(Date.parse(told.startedAt)).toBe(session?.startedAt);
    expect(Date.parse(told.heartbeatAt)).toBe(session?.heartbeatAt);
    expect(Date.parse(told.deadlineAt)).toBe(session?.deadlineAt);
    expect(listed.answer).toMatchObject({ sessions: [{ id: session?.id }] });
  });

  it('last anew from where they are announced again with minutes, and not without', async () => {
    const deadlines: string[] = [];
    for (const minutes of [{}, { minutes: 30 }, {}, { minutes: 60 }]) {
      const { answer } = await server.call('POST', '/api/admin/sessions', { body: { ...START, ...minutes } });
      deadlines.push(SessionResponse.parse(answer).session.deadlineAt);
      server.pipeline.clock.advance(60_000);
    }

    const [first = '', ...later] = deadlines.map((deadline) => Date.parse(deadline));
    expect(later.map((at) => (at - Number(first)) / 60_000)).toEqual([30 + 1 - 480, 30 + 1 - 480, 60 + 3 - 480]);
  });

  it('are announced for a repository of a managed account, whose name has an underscore', async () => {
    const repository = { installationId: 1, repositoryId: 99, owner: 'mona_acme', name: 'app' };
    server.pipeline.store.ensureWorkspace({ repository, number: 1 });
    const body = { ...START, repository: 'mona_acme/app' };

    expect(await server.call('POST', '/api/admin/sessions', { body })).toMatchObject({ status: 201 });
  });

  it('are at most so many for one pull request', async () => {
    for (let nth = 0; nth < MAX_USER_SESSIONS; nth += 1) {
      await server.call('POST', '/api/admin/sessions', { body: { ...START, label: `person ${String(nth)}` } });
    }

    expect(await server.call('POST', '/api/admin/sessions', { body: START })).toMatchObject({ status: 409 });
  });

  it('of a repository that no webhook has named are none', async () => {
    const body = { ...START, repository: 'acme/other' };

    const { status, answer: said } = await server.call('POST', '/api/admin/sessions', { body });

    expect(status).toBe(404);
    expect(JSON.stringify(said)).toContain('acme/other');
    for (const path of ['sessions', 'transitions']) {
      const answer = await server.call('GET', `/api/admin/${path}?repository=acme%2Fother&number=7`);
      expect(answer.status).toBe(404);
    }
  });

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['no label', { ...START, label: ' ' }, 'label'],
    ['a number that is text', { ...START, number: '7' }, 'number'],
    ['a number that is none', { ...START, number: 0 }, 'number'],
    ['more minutes than a day has', { ...START, minutes: 1441 }, 'minutes'],
    ['an unknown key', { ...START, force: true }, 'force'],
    ['a repository without its owner', { ...START, repository: 'widget' }, 'repository'],
  ])('are refused with the reason: %s', async (_what, body, why) => {
    const { status, answer } = await server.call('POST', '/api/admin/sessions', { body });

    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toContain(why);
    expect(server.pipeline.store.liveSessions(server.pipeline.key)).toEqual([]);
  });
});

describe('transitions of the admin API', () => {
  it('are the newest first, as many as are asked for (002.R25)', async () => {
    server.pipeline.comment('/ratchet enable');
    await server.pipeline.evaluate();

    const { status, answer } = await server.call(
      'GET',
      '/api/admin/transitions?repository=acme%2Fwidget&number=7&limit=1',
    );

    expect(status).toBe(200);
    expect(answer).toMatchObject({
      transitions: [{ action: 'FIX_CI', code: 'CI_FAILED', snapshot: { ci: { status: 'failure' } } }],
    });
  });

  it('hold each decision’s whole input as `explain decision` takes it (L19)', async () => {
    server.pipeline.comment('/ratchet enable');
    await server.pipeline.evaluate();

    const { answer } = await server.call('GET', '/api/admin/transitions?repository=acme%2Fwidget&number=7&limit=1');
    const [line] = Transitions.parse(answer).transitions;

    expect(line?.snapshot).toMatchObject({ now: '2026-01-01T00:00:00.000Z', ratchet: { staleCiSince: null } });
    const decision = { action: line?.action, code: line?.code, reason: line?.reason };
    for (const document of [line?.snapshot, line]) {
      expect(JSON.parse(explain('decision', JSON.stringify(document)).stdout)).toEqual(decision);
    }
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'before=0', 'before=x', 'page=2'])(
    'are refused for %s',
    async (query) => {
      const path = `/api/admin/transitions?repository=acme%2Fwidget&number=7&${query}`;

      expect((await server.call('GET', path)).status).toBe(400);
    },
  );
});

describe('paths of the admin API', () => {
  it.each([
    ['GET', '/api/admin/', 404],
    ['GET', '/api/admin/users', 404],
    ['GET', '/api/admin/sessions/a/b', 404],
    ['GET', '/api/admin/sessions/../transitions', 400],
    ['PUT', '/api/admin/sessions', 405],
    ['POST', '/api/admin/transitions', 405],
    ['GET', '/api/admin/sessions/id', 405],
    ['DELETE', '/api/admin/sessions/id/heartbeat', 405],
    ['POST', '/api/admin/sessions/id/heartbeat', 404],
    ['DELETE', '/api/admin/sessions/id', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    expect((await server.call(method, path)).status).toBe(status);
  });

  it('name the methods that they take', async () => {
    expect((await server.call('PUT', '/api/admin/sessions')).headers.get('allow')).toBe('GET, POST');
  });
});
