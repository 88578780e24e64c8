import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../src/core/model/ids.ts';
import { type AdminServer, startAdminServer } from '../support/admin-server.ts';

const AGENTS = '/api/admin/agents';

let server: AdminServer;
beforeEach(async () => {
  server = await startAdminServer();
});
afterEach(() => server.close());

const now = (): number => server.pipeline.clock.now();
const iso = (at: number): string => new Date(at).toISOString();
const repositoryId = (): number => server.pipeline.store.findRepository('acme', 'widget')?.repositoryId ?? 0;

describe('the kill switch of the admin API', () => {
  it('turns the agents of one repository, or of all, off and on', async () => {
    const { store } = server.pipeline;
    const one = await server.call('PUT', AGENTS, {
      body: { repository: 'ACME/widget', enabled: false, by: 'ada', reason: 'costs' },
    });
    expect(one).toMatchObject({
      status: 200,
      answer: { switches: [{ repository: 'acme/widget', offSince: iso(now()), by: 'ada', reason: 'costs' }] },
    });
    expect(store.agentSwitch(repositoryId())).toMatchObject({ repositoryId: repositoryId(), by: 'ada' });
    expect(store.agentSwitch(repositoryId() + 1)).toBeNull();

    const all = await server.call('PUT', AGENTS, { body: { enabled: false } });
    expect(all.answer).toMatchObject({
      switches: [
        { repository: null, by: 'the admin API', reason: '' },
        { repository: 'acme/widget', by: 'ada' },
      ],
    });
    expect(store.agentSwitch(repositoryId() + 1)).toMatchObject({ repositoryId: null });

    await server.call('PUT', AGENTS, { body: { enabled: true } });
    expect(store.agentSwitch(repositoryId())).toMatchObject({ by: 'ada' });
    const on = await server.call('PUT', AGENTS, { body: { repository: 'acme/widget', enabled: true } });
    expect(on.answer).toEqual({ switches: [], circuits: [] });
    expect(store.agentSwitches()).toEqual([]);
  });

  it.each([
    ['no JSON', '{', 400, 'not JSON'],
    ['neither on nor off', {}, 400, 'enabled'],
    ['a text for a switch', { enabled: 'false' }, 400, 'enabled'],
    ['an unknown key', { enabled: false, repo: 'acme/widget' }, 400, 'repo'],
    ['an owner alone', { enabled: false, repository: 'acme' }, 400, 'repository'],
    ['an unknown repository', { enabled: false, repository: 'acme/other' }, 404, 'acme/other'],
  ])('is not turned by %s', async (_what, body, status, why) => {
    const refused = await server.call('PUT', AGENTS, { body });
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.answer)).toContain(why);
    expect(server.pipeline.store.agentSwitches()).toEqual([]);
  });
});

describe('agents of the admin API', () => {
  it('show the circuits that are open', async () => {
    const circuit = { fingerprint: 'f', agent: 'claude', fault: 'rate_limited', failures: 2, openedAt: now() } as const;
    server.pipeline.store.saveCircuit({ ...circuit, until: now() + 1 });
    server.pipeline.store.saveCircuit({ ...circuit, fingerprint: 'g', fault: 'auth', until: null });
    server.pipeline.store.saveCircuit({ ...circuit, fingerprint: 'h', until: now() });

    expect((await server.call('GET', AGENTS)).answer).toEqual({
      switches: [],
      circuits: [
        { agent: 'claude', fault: 'rate_limited', failures: 2, openedAt: iso(now()), until: iso(now() + 1) },
        { agent: 'claude', fault: 'auth', failures: 2, openedAt: iso(now()), until: null },
      ],
    });
  });
});

describe('spend of the admin API', () => {
  it('shows what a repository, its installation and a pull request have spent', async () => {
    const { store } = server.pipeline;
    const reserved = { input: 10, cached: 0, written: 0, output: 5 };
    const call = { agent: 'claude', model: 'm', startedAt: now(), reservedMicroUsd: 1_250_000, reserved };
    const { installationId } = store.findRepository('acme', 'widget') ?? { installationId: 0 };
    const place = { repositoryId: repositoryId(), installationId };
    store.reserveCall({ ...call, ...place, sessionId: parseSessionId('a'), key: server.pipeline.key }, {});
    const run = { agent: 'claude', startedAt: now(), wantedMs: 150_000 };
    store.reserveTime({ ...run, ...place, sessionId: parseSessionId('a'), key: server.pipeline.key }, {});
    const other = toPullRequestKey(repositoryId(), 8);
    store.reserveCall({ ...call, ...place, sessionId: parseSessionId('b'), key: other }, {});

    const { status, answer } = await server.call('GET', '/api/admin/spend?repository=acme%2Fwidget&number=7');
    expect(status).toBe(200);
    expect(answer).toEqual({
      spent: [
        {
          scope: 'pull_request',
          usd: 1.25,
          maxUsd: null,
          calls: 1,
          maxCalls: null,
          tokens: reserved,
          maxTokens: null,
          minutes: 2.5,
          maxMinutes: null,
        },
        {
          ...{ scope: 'day', usd: 2.5, maxUsd: 2, calls: 2, maxCalls: null },
          tokens: { input: 20, cached: 0, written: 0, output: 10 },
          ...{ maxTokens: null, minutes: 2.5, maxMinutes: null },
        },
        expect.objectContaining({ scope: 'month', usd: 2.5, calls: 2 }),
      ],
    });
    const whole = await server.call('GET', '/api/admin/spend?repository=acme%2Fwidget');
    expect(whole.answer).toMatchObject({ spent: [{ scope: 'day' }, { scope: 'month' }] });
    expect(await server.call('GET', '/api/admin/spend?repository=acme%2Fother')).toMatchObject({ status: 404 });
    expect(await server.call('GET', '/api/admin/spend?number=7')).toMatchObject({ status: 400 });
  });
});
