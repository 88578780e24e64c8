import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/adapters/metrics/create-metrics.ts';
import { countSessions } from '../../../src/compose/count-sessions.ts';
import { parsePullRequestKey, parseSessionId } from '../../../src/core/model/ids.ts';
import { aDelivery, aSession, memoryStore, pullRequestChanged } from '../../support/store.ts';

const KEY = parsePullRequestKey('100#7');
const NOW = Date.UTC(2026, 2, 4, 12);
const clock = { now: () => NOW };

function setUp() {
  const opened = memoryStore({ now: () => NOW - 90_000 });
  opened.ingest([aDelivery('first', pullRequestChanged())]);
  const metrics = createMetrics({ store: opened, clock, version: '1.2.3' });
  return { store: countSessions(opened, metrics), metrics };
}

async function read(metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> {
  return (await metrics.render()).text.split('\n').filter((line) => line.startsWith('ratchet_'));
}

const transition = {
  key: KEY,
  action: 'WAIT',
  code: 'CI_RUNNING',
  reason: '',
  snapshot: null,
  createdAt: NOW,
} as const;
const wake = { queue: 'evaluate', key: KEY, notBefore: null };

describe('the metrics', () => {
  it('show what waits in the queues, and for how long', async () => {
    const { store, metrics } = setUp();
    store.markWakeup('fixup', '100#9', NOW + 1_000);

    const lines = await read(metrics);

    expect(lines).toContain('ratchet_queue_depth{queue="evaluate"} 1');
    expect(lines).toContain('ratchet_queue_oldest_seconds{queue="evaluate"} 90');
    expect(lines.filter((line) => line.includes('queue="fixup"'))).toEqual([]);

    store.claimWakeup('evaluate', KEY, NOW, 60_000);
    expect((await read(metrics)).filter((line) => line.startsWith('ratchet_queue_depth'))).toEqual([]);
  });

  it('count the lines of the transition log since the start, each once', async () => {
    const { store } = setUp();
    store.appendTransition(transition);
    const metrics = createMetrics({ store, clock, version: '1.2.3' });
    const decisions = async () => (await read(metrics)).filter((line) => line.startsWith('ratchet_decisions_total{'));

    expect(await decisions()).toEqual([]);
    store.appendTransition(transition);
    store.appendTransition(transition);
    store.appendTransition({ ...transition, action: 'DONE', code: 'ALL_GREEN' });

    const counted = [
      'ratchet_decisions_total{action="DONE",code="ALL_GREEN"} 1',
      'ratchet_decisions_total{action="WAIT",code="CI_RUNNING"} 2',
    ];
    expect(await decisions()).toEqual(counted);
    expect(await decisions()).toEqual(counted);
  });

  it('count fixups when they are launched and when they end, and an end once', async () => {
    const { store, metrics } = setUp();
    const session = aSession('s1', { key: KEY, startedAt: NOW - 40_000 });
    store.launchSession({ session, transition, patch: {}, wake });
    expect(await read(metrics)).toContain('ratchet_sessions{kind="ratchet"} 1');
    const outcome = { kind: 'rejected', code: 'VALIDATION_FAILED', detail: '', diff: null, validation: [] } as const;
    const end = { outcome, at: NOW, patch: {}, transition, wake };

    store.endSession(parseSessionId('s1'), end);
    store.endSession(parseSessionId('s1'), end);

    const lines = await read(metrics);
    expect(lines).toContain('ratchet_attempts_total{kind="FIX_CI",agent="claude"} 1');
    expect(lines).toContain(
      'ratchet_runs_total{kind="FIX_CI",outcome="rejected",code="VALIDATION_FAILED",agent="claude"} 1',
    );
    expect(lines).toContain('ratchet_run_duration_seconds_sum{kind="FIX_CI",outcome="rejected"} 40');
  });

  it('read what agents cost from the ledger, so that a restart forgets nothing', async () => {
    const { store } = setUp();
    const tokens = { input: 10, cached: 1, written: 2, output: 5 };
    const call = { sessionId: parseSessionId('s1'), key: KEY, repositoryId: 100, agent: 'claude', model: 'm' };
    for (const installationId of [1, 2]) {
      const limits = { ...call, installationId, startedAt: NOW, reservedMicroUsd: 500_000, reserved: tokens };
      const made = store.reserveCall(limits, {});
      if (made.kind !== 'reserved') throw new Error('the ledger refuses');
      store.endCall(made.callId, {
        state: 'settled',
        endedAt: NOW,
        status: 200,
        fault: null,
        microUsd: 250_000,
        tokens,
      });
    }

    const lines = await read(createMetrics({ store, clock, version: '1.2.3' }));

    expect(lines).toContain('ratchet_agent_cost_usd_total{month="2026-03"} 0.5');
    expect(lines).toContain('ratchet_agent_calls_total{month="2026-03"} 2');
    expect(lines).toContain('ratchet_agent_tokens_total{month="2026-03",type="output"} 10');
  });

  it('count requests to GitHub, and show the lowest of what is left', async () => {
    const { metrics } = setUp();
    metrics.countRequest({ api: 'rest', result: 'ok', installationId: 1, remaining: 4_000 });
    metrics.countRequest({ api: 'rest', result: 'ok', installationId: 2, remaining: 12 });
    metrics.countRequest({ api: 'rest', result: 'ok', installationId: 2, remaining: 11 });
    metrics.countRequest({ api: 'graphql', result: 'RATE_LIMITED', installationId: 2, remaining: 0 });
    metrics.countRequest({ api: 'app', result: 'UNAVAILABLE', installationId: 0, remaining: null });

    const lines = await read(metrics);

    expect(lines).toContain('ratchet_github_requests_total{api="rest",result="ok"} 3');
    expect(lines).toContain('ratchet_github_rate_remaining{api="rest"} 11');
    expect(lines).toContain('ratchet_github_rate_remaining{api="graphql"} 0');
    expect(lines.filter((line) => line.startsWith('ratchet_github_rate_remaining{api="app"'))).toEqual([]);
  });

  it('count deliveries, and take no name that this version does not know for a label', async () => {
    const { metrics } = setUp();
    metrics.countDelivery('pull_request', 'accepted');
    metrics.countDelivery(null, 'SIGNATURE_WRONG');

    const lines = await read(metrics);

    expect(lines).toContain('ratchet_webhooks_total{event="pull_request",result="accepted"} 1');
    expect(lines).toContain('ratchet_webhooks_total{event="other",result="SIGNATURE_WRONG"} 1');
    expect(lines).toContain('ratchet_build_info{version="1.2.3"} 1');
  });
});
