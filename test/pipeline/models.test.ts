import { describe, expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../src/core/model/ids.ts';
import type { ModelUse } from '../../src/core/model/model-use.ts';
import type { RejectCode } from '../../src/core/model/session.ts';
import { MAX_FREE_RUNS } from '../../src/core/sessions/settle-session.ts';
import { fakeSha } from '../support/builders.ts';
import { startWithModel } from '../support/decision-stories.ts';
import { aStop } from '../support/model-builders.ts';
import { LIVE_SECRET, MINUTE_MS, type Pipeline } from '../support/pipeline-fixture.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** Enabled, red, and its agent calls a model: the first fixup has run, and the pull request was looked at. */
async function startRun(use: Partial<ModelUse> = {}): Promise<Pipeline> {
  const pipeline = startWithModel();
  pipeline.gateway.willSee(use);
  pipeline.comment('/ratchet enable');
  await pipeline.settle();
  return pipeline;
}

function endOf(pipeline: Pipeline): string | undefined {
  const [last] = pipeline.endedSessions();
  return last?.outcome?.kind === 'rejected' ? last.outcome.code : last?.outcome?.kind;
}

function fieldsOf({ log }: Pipeline, message: string): unknown {
  return log.findLast((line) => line.message === message)?.fields;
}

/** Takes every look that is due within the next `ms`, as the queue would. */
async function letPass(pipeline: Pipeline, ms: number): Promise<void> {
  const endsAt = pipeline.clock.now() + ms;
  await pipeline.settle();
  for (;;) {
    const next = pipeline.store.nextWakeupAt('evaluate', pipeline.clock.now());
    if (next === null || next > endsAt) break;
    pipeline.clock.advance(next - pipeline.clock.now());
    await pipeline.settle();
  }
  pipeline.clock.advance(endsAt - pipeline.clock.now());
}

describe('an agent with a model', () => {
  it('gets the address, the token of its session and the model, and reaches nothing else', async () => {
    const pipeline = await startRun();
    const [session] = pipeline.gateway.opened;
    const [command] = pipeline.sites.commands.filter(({ argv }) => argv[0] === 'agent');

    expect(endOf(pipeline)).toBe('pushed');
    expect(session).toMatchObject({ key: pipeline.key, model: 'model-1', maxMicroUsd: null, maxCalls: null });
    expect(pipeline.agent.models).toEqual([
      {
        address: 'http://127.0.0.1:4880',
        maxUsd: null,
        token: `token-of-${session?.sessionId ?? ''}`,
        model: 'model-1',
      },
    ]);
    expect(command).toMatchObject({ network: 'relays' });
    expect(command?.site).toMatchObject({
      network: 'relays',
      relays: [{ name: 'model', socketPath: `/run/gateway/${session?.sessionId ?? ''}.sock`, port: 4880 }],
    });
    expect(pipeline.gateway.openNow()).toBe(0);
  });

  it('is the only one with a socket: setup, validation and regeneration have no network', async () => {
    const pipeline = startWithModel();
    pipeline.github.change({ policyText: 'setup: [npm ci]\nvalidate: [npm test]\n' });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();
    const others = pipeline.sites.opened.filter(({ name }) => name !== 'agent');

    expect(others.length).toBeGreaterThan(1);
    for (const { network, relays } of others) expect({ network, relays }).toEqual({ network: 'none', relays: [] });
  });

  it('works within the lower budget of operator and policy, with the model of the policy', async () => {
    const pipeline = startWithModel({ fixup: { maxMicroUsd: null, maxCalls: 50, maxTokens: null, maxTimeMs: null } });
    pipeline.github.change({ policyText: 'agent: { model: model-2, budget: { calls: 20 } }\n' });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();

    expect(pipeline.gateway.opened).toMatchObject([{ model: 'model-2', maxCalls: 20 }]);
  });

  it('leaves no gateway open if its site breaks', async () => {
    const pipeline = startWithModel();
    pipeline.sites.during('agent', () => {
      throw new Error('the site broke');
    });
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(endOf(pipeline)).toBe('died');
    expect(pipeline.gateway.opened).toHaveLength(1);
    expect(pipeline.gateway.openNow()).toBe(0);
  });

  it('is stored with what it used, by the count of the gateway, even if its session ends by force', async () => {
    const pipeline = startWithModel();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    const { begun } = pipeline.sites.hang('agent');
    const run = pipeline.runFixup();
    await begun;
    pipeline.clock.advance(3 * HOUR_MS);
    await run;
    const used = { calls: 3, tokens: { input: 1_000, cached: 200, written: 100, output: 300 }, microUsd: 12_500 };

    expect(endOf(pipeline)).toBe('timed_out');
    expect(pipeline.endedSessions()[0]?.agentUse).toEqual({
      ...{ agent: 'fake', version: '2.1.332', model: 'model-1', ...used },
      durationMs: 1_000,
    });
    expect(fieldsOf(pipeline, 'fixup completed')).toMatchObject({
      agent: 'fake',
      calls: 3,
      usd: 0.0125,
      agentMs: 1_000,
    });
  });
});

describe('a fixup whose process dies', () => {
  it('is stored with what the ledger knows of its calls', async () => {
    const pipeline = startWithModel();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    const session = pipeline.liveSession();
    spendCalls(pipeline, 2);
    const [launch] = pipeline.store.openIntents(session?.id ?? parseSessionId('none'));
    pipeline.store.settleIntent(launch?.id ?? 0, 'started', pipeline.clock.now());
    await pipeline.runFixup();

    expect(endOf(pipeline)).toBe('died');
    expect(pipeline.endedSessions()[0]?.agentUse).toMatchObject({ agent: 'fake', model: null, calls: 2, microUsd: 2 });
  });
});

/** What follows a run. `at`: when the next fixup is launched, in minutes after the first; null: not by itself. */
interface Follows {
  readonly code: RejectCode;
  readonly attempts: number;
  readonly decided: string;
  readonly at: number | null;
}

const CLASSES: readonly (readonly [string, Partial<ModelUse>, Follows])[] = [
  [
    'the budget of the fixup',
    { stoppedBy: aStop('budget_usd', 'fixup') },
    { code: 'BUDGET_EXHAUSTED', attempts: 1, decided: 'STOPPED_SAME_CAUSE', at: null },
  ],
  [
    'the budget of the pull request',
    { stoppedBy: aStop('budget_calls', 'pull_request') },
    { code: 'BUDGET_EXHAUSTED', attempts: 1, decided: 'STOPPED_SAME_CAUSE', at: null },
  ],
  ['401', { lastCall: 'auth' }, { code: 'MODEL_AUTH', attempts: 0, decided: 'MODEL_UNUSABLE', at: null }],
  [
    'no credit',
    { lastCall: 'no_credit' },
    { code: 'MODEL_NO_CREDIT', attempts: 0, decided: 'MODEL_UNUSABLE', at: null },
  ],
  ['429', { lastCall: 'rate_limited' }, { code: 'MODEL_RATE_LIMITED', attempts: 0, decided: 'MODEL_AWAITED', at: 1 }],
  ['529', { lastCall: 'overloaded' }, { code: 'MODEL_UNAVAILABLE', attempts: 0, decided: 'MODEL_AWAITED', at: 0.5 }],
  ['silence', { lastCall: 'silent' }, { code: 'MODEL_UNAVAILABLE', attempts: 0, decided: 'MODEL_AWAITED', at: 0.5 }],
  ['a cut stream', { lastCall: 'cut' }, { code: 'MODEL_UNAVAILABLE', attempts: 0, decided: 'MODEL_AWAITED', at: 0.5 }],
  [
    'a refused tool',
    { stoppedBy: aStop('hosted_tool') },
    { code: 'MODEL_REFUSED', attempts: 1, decided: 'STOPPED_SAME_CAUSE', at: null },
  ],
  [
    'no call',
    { calls: 0, lastCall: null },
    { code: 'NO_MODEL_CALL', attempts: 0, decided: 'STOPPED_SAME_CAUSE', at: null },
  ],
];

describe('after a run that ended with', () => {
  it.each(CLASSES)('%s, attempts and the next launch are as the table says', async (_what, use, follows) => {
    const pipeline = await startRun(use);
    const launchedAt = pipeline.clock.now();

    expect({ code: endOf(pipeline), attempts: pipeline.workspace().consecutiveAttempts }).toEqual({
      ...{ code: follows.code, attempts: follows.attempts },
    });
    expect(pipeline.lastCode()).toBe(follows.decided);
    pipeline.gateway.willSee({});
    await letPass(pipeline, 2 * HOUR_MS);
    const [, next] = pipeline.endedSessions().toReversed();
    expect(next === undefined ? null : (next.startedAt - launchedAt) / MINUTE_MS).toBe(follows.at);
  });

  it('a context that is too long, it runs once more with less evidence, and then a person is asked', async () => {
    const pipeline = startWithModel();
    pipeline.github.setJobLog(
      Array.from({ length: 10_000 }, (_, line) => `error in line ${String(line)} of a log that is too long`).join('\n'),
    );
    pipeline.gateway.willSee({ lastCall: 'too_long' });
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    await pipeline.runFixup();
    const bytes = (): number => pipeline.sites.opened.at(-1)?.inputs['check-1.txt']?.length ?? 0;
    const before = bytes();
    await pipeline.settle();

    expect(pipeline.endedSessions()).toHaveLength(2);
    expect(pipeline.workspace().consecutiveAttempts).toBe(2);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(bytes()).toBeGreaterThan(1_000);
    expect(bytes()).toBeLessThan(before / 2);
  });

  it('the budget of the day, it waits for the next UTC day', async () => {
    const pipeline = startWithModel({ day: { maxMicroUsd: null, maxCalls: 5, maxTokens: null, maxTimeMs: null } });
    pipeline.gateway.willSee({ stoppedBy: aStop('budget_calls', 'day') });
    pipeline.sites.during('agent', () => spendCalls(pipeline, 5));
    pipeline.comment('/ratchet enable');
    await pipeline.settle();
    pipeline.gateway.willSee({});

    expect([endOf(pipeline), pipeline.lastCode()]).toEqual(['BUDGET_PERIOD_EXHAUSTED', 'BUDGET_AWAITED']);
    await letPass(pipeline, 23 * HOUR_MS);
    expect(pipeline.endedSessions()).toHaveLength(1);
    await letPass(pipeline, 2 * HOUR_MS);
    expect(pipeline.endedSessions()).toHaveLength(2);
  });
});

describe('a budget of time', () => {
  const timed = (minutes: number) => ({
    ...{ maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs: minutes * MINUTE_MS },
  });
  const timeOf = ({ store, key }: Pipeline): number => store.spent({ scope: 'pull_request', key }).timeMs;
  const limitOf = ({ sites }: Pipeline): number | undefined =>
    sites.commands.findLast(({ argv }) => argv[0] === 'agent')?.timeoutMs;

  it('counts how long the agent worked, by a clock that nobody sets', async () => {
    const pipeline = startWithModel();
    pipeline.sites.endIn('agent', 'agent', { durationMs: 3 * MINUTE_MS });
    // The wall clock of the machine jumps back by a day meanwhile.
    pipeline.sites.during('agent', () => {
      expect(timeOf(pipeline)).toBe(30 * MINUTE_MS);
      pipeline.clock.advance(-24 * HOUR_MS);
    });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();

    expect(endOf(pipeline)).toBe('pushed');
    expect(timeOf(pipeline)).toBe(3 * MINUTE_MS);
    expect(pipeline.endedSessions()[0]?.agentUse?.durationMs).toBe(3 * MINUTE_MS);
  });

  it('leaves an agent no more than what is left, and ends the fixup with the budget if that is too little', async () => {
    const pipeline = startWithModel({ pull_request: timed(20) });
    pipeline.sites.endIn('agent', 'agent', { kind: 'timed_out', exitCode: null, durationMs: 20 * MINUTE_MS });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();

    expect(limitOf(pipeline)).toBe(20 * MINUTE_MS);
    expect(endOf(pipeline)).toBe('BUDGET_EXHAUSTED');
    expect(JSON.stringify(pipeline.endedSessions()[0]?.outcome)).toContain('of the budget per pull request');
    // As with USD, calls and tokens, a fresh start renews the attempts, and no budget of the pull request.
    pipeline.comment('/ratchet retry');
    await pipeline.settle();
    expect(pipeline.lastCode()).toBe('BUDGET_EXHAUSTED');
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(JSON.stringify(pipeline.github.checkRuns().at(-1))).toContain('has less than a minute left');
  });

  it('of a fixup is the time limit of its agent, the lower one of operator and policy, and whole after a retry', async () => {
    const pipeline = startWithModel({ fixup: timed(20) });
    pipeline.github.change({ policyText: 'agent: { budget: { minutes: 5 } }\n' });
    pipeline.sites.endIn('agent', 'agent', { kind: 'timed_out', exitCode: null, durationMs: 5 * MINUTE_MS });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();
    expect([limitOf(pipeline), endOf(pipeline)]).toEqual([5 * MINUTE_MS, 'BUDGET_EXHAUSTED']);

    pipeline.sites.endIn('agent', 'agent', { durationMs: MINUTE_MS });
    pipeline.comment('/ratchet retry');
    await pipeline.settle();
    expect([limitOf(pipeline), endOf(pipeline)]).toEqual([5 * MINUTE_MS, 'pushed']);
    expect(timeOf(pipeline)).toBe(6 * MINUTE_MS);
  });

  it('of the day is awaited, until the next UTC day', async () => {
    const pipeline = startWithModel({ day: timed(10) });
    pipeline.sites.endIn('agent', 'agent', { kind: 'timed_out', exitCode: null, durationMs: 10 * MINUTE_MS }, {});
    pipeline.comment('/ratchet enable');
    await pipeline.settle();

    expect([endOf(pipeline), pipeline.lastCode()]).toEqual(['BUDGET_PERIOD_EXHAUSTED', 'BUDGET_AWAITED']);
    await letPass(pipeline, 25 * HOUR_MS);
    expect(endOf(pipeline)).toBe('pushed');
  });

  it('that agents at work reserve is awaited until the first of them must have ended', async () => {
    const pipeline = startWithModel({ day: timed(30) });
    const { repository } = pipeline.workspace();
    const at = { repositoryId: repository.repositoryId, installationId: repository.installationId };
    const sessionId = parseSessionId('other');
    const run = { sessionId, key: toPullRequestKey(1, 99), agent: 'a', startedAt: pipeline.clock.now() };
    const other = pipeline.store.reserveTime({ ...run, ...at, wantedMs: 30 * MINUTE_MS }, {});
    pipeline.comment('/ratchet enable');
    await pipeline.settle();
    expect([pipeline.endedSessions().length, pipeline.lastCode()]).toEqual([0, 'BUDGET_AWAITED']);

    if (other.kind === 'reserved')
      pipeline.store.endAgentRun(other.runId, { endedAt: pipeline.clock.now(), timeMs: MINUTE_MS }, {});
    await letPass(pipeline, 31 * MINUTE_MS);
    expect(endOf(pipeline)).toBe('pushed');
  });
});

describe('the circuit of a model', () => {
  it('closes when the key changes, and not before', async () => {
    const pipeline = await startRun({ lastCall: 'auth' });
    pipeline.gateway.willSee({});
    await letPass(pipeline, 2 * HOUR_MS);
    expect(pipeline.endedSessions()).toHaveLength(1);

    pipeline.gateway.setKey('key-2');
    await letPass(pipeline, 10 * MINUTE_MS);

    expect(pipeline.endedSessions()).toHaveLength(2);
    expect(endOf(pipeline)).toBe('pushed');
  });

  it('waits as long as the provider asks, and longer and longer where it says nothing', async () => {
    const pipeline = await startRun({ lastCall: 'rate_limited', retryAt: null });
    await letPass(pipeline, 2 * HOUR_MS);
    const starts = pipeline
      .endedSessions()
      .toReversed()
      .map(({ startedAt }) => startedAt);

    expect(starts.map((at) => (at - (starts[0] ?? 0)) / MINUTE_MS)).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  });

  it('is closed by a success, also in the middle of a run', async () => {
    const pipeline = await startRun({ lastCall: 'overloaded' });
    pipeline.gateway.willSee({});
    pipeline.clock.advance(MINUTE_MS);
    const { begun, end } = pipeline.sites.hang('agent');
    await pipeline.evaluate();
    const run = pipeline.runFixup();
    await begun;
    expect(pipeline.store.circuits()).toHaveLength(1);
    pipeline.gateway.report({});

    expect(pipeline.store.circuits()).toEqual([]);
    end();
    await run;
  });

  it('says on the check run, in the log and in the status what is wrong and until when', async () => {
    const pipeline = await startRun({ lastCall: 'rate_limited' });
    pipeline.comment('/ratchet status');
    await pipeline.evaluate();
    const why =
      'the model of the agent "fake" accepts no more calls for now. No agent starts until 2026-01-01 00:01 UTC.';

    expect(pipeline.transitions()[0]?.reason).toBe(`CI failed, but ${why}`);
    expect(pipeline.github.checkRuns().at(-1)?.content).toMatchObject({
      title: 'Waiting for the model',
      status: 'in_progress',
    });
    expect(pipeline.replies().at(-1)).toContain('accepts no more calls for now');
    expect(fieldsOf(pipeline, 'model is not called for a while')).toMatchObject({ fault: 'rate_limited', failures: 1 });
  });

  it('bounds the launches that cost nothing', async () => {
    const pipeline = await startRun({ lastCall: 'rate_limited' });
    await letPass(pipeline, 2 * 24 * HOUR_MS);

    const starts = pipeline.endedSessions().map(({ startedAt }) => startedAt);
    const inADay = starts.map((from) => starts.filter((at) => at >= from && at < from + 24 * HOUR_MS).length);
    expect(Math.max(...inADay)).toBeLessThanOrEqual(20);
    expect(starts).toHaveLength(MAX_FREE_RUNS);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });
});

describe('the kill switch', () => {
  it('starts nothing, says who switched it off, and goes on when agents are switched on', async () => {
    const pipeline = startWithModel();
    pipeline.store.switchAgentsOff({ repositoryId: null, offSince: 0, by: 'ada', reason: 'too expensive' });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();
    expect(pipeline.transitions()[0]?.reason).toBe(
      'CI failed, but ada switched agents off at 1970-01-01 00:00 UTC: too expensive.',
    );
    expect(pipeline.gateway.opened).toEqual([]);

    pipeline.store.switchAgentsOn(null);
    await letPass(pipeline, 10 * MINUTE_MS);

    expect(endOf(pipeline)).toBe('pushed');
  });

  it('starts nothing of what was launched before, and counts no attempt', async () => {
    const pipeline = startWithModel();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    pipeline.store.switchAgentsOff({ repositoryId: 10, offSince: 0, by: 'ada', reason: '' });
    await pipeline.settle();

    expect(endOf(pipeline)).toBe('AGENT_HELD');
    expect(pipeline.lastCode()).toBe('AGENTS_SWITCHED_OFF');
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });
});

describe('a conflict', () => {
  it('that git can merge needs no agent, whatever stands in its way', async () => {
    const pipeline = startWithModel();
    pipeline.gateway.setKey(null);
    pipeline.github.change({ merge: 'conflict' });
    pipeline.comment('/ratchet enable');
    await pipeline.settle();

    expect(endOf(pipeline)).toBe('pushed');
    expect(pipeline.gateway.opened).toEqual([]);
  });

  it('that needs an agent waits for it after one launch', async () => {
    const pipeline = startWithModel();
    pipeline.gateway.setKey(null);
    const [baseBlob, ourBlob, theirBlob] = [fakeSha('base'), fakeSha('ours'), fakeSha('theirs')];
    const file = { path: 'src/sum.ts', baseBlob, ourBlob, theirBlob, isText: true };
    pipeline.git.blobs({ [baseBlob]: 'base\n', [ourBlob]: 'ours\n', [theirBlob]: 'theirs\n' });
    const treeSha = fakeSha('merged');
    const merge = { kind: 'conflicted', treeSha, files: [file], named: [file.path], messages: '' } as const;
    pipeline.git.mergesTo(merge, { [file.path]: '<<<<<<< ours\n' });
    pipeline.github.change({ merge: 'conflict' });
    pipeline.comment('/ratchet enable');
    await letPass(pipeline, HOUR_MS);

    expect(pipeline.endedSessions()).toHaveLength(1);
    expect([endOf(pipeline), pipeline.lastCode()]).toEqual(['AGENT_HELD', 'MODEL_UNUSABLE']);
  });
});

/** The agent has made calls, as the ledger knows them. */
function spendCalls({ store, clock, liveSession, key }: Pipeline, count: number): void {
  const session = liveSession();
  if (session === null) throw new Error('no session works');
  const tokens = { input: 1, cached: 0, written: 0, output: 1 };
  for (let call = 0; call < count; call += 1) {
    const of = { sessionId: session.id, key, repositoryId: 10, installationId: 1, agent: 'fake', model: 'model-1' };
    store.reserveCall({ ...of, startedAt: clock.now(), reservedMicroUsd: 1, reserved: tokens }, {});
  }
}

describe('the progress of an agent', () => {
  /** A fixup whose agent works, and the check run as it is now. */
  async function startWorking(): Promise<{ readonly pipeline: Pipeline; readonly end: () => Promise<void> }> {
    const pipeline = startWithModel();
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    const doing = { kind: 'doing', what: 'running', detail: `npm test ${LIVE_SECRET} @ann` } as const;
    pipeline.agent.print(doing, { kind: 'final', isError: false, detail: '' });
    const hanging = pipeline.sites.hang('agent');
    const run = pipeline.runFixup();
    await hanging.begun;
    const end = async (): Promise<void> => {
      hanging.end();
      await run;
    };
    return { pipeline, end };
  }
  const summaryOf = ({ github }: Pipeline): string => github.checkRuns().at(-1)?.content.summary ?? '';
  const reads = ({ github }: Pipeline): number => github.calls.filter((call) => call.startsWith('read')).length;

  it('is on the check run, redacted, without another look at GitHub, and every 30 seconds at most', async () => {
    const { pipeline, end } = await startWorking();
    await pipeline.settleLooks();
    expect(pipeline.lastCode()).toBe('WORKING_SESSION');
    expect(summaryOf(pipeline)).toContain('The agent `fake` is running `npm test [redacted] @ann`');
    const [before, updates] = [reads(pipeline), pipeline.github.calls.length];

    pipeline.gateway.report({ calls: 7 });
    await pipeline.settleLooks();
    expect(pipeline.github.calls).toHaveLength(updates);
    pipeline.clock.advance(30_000);
    await pipeline.settleLooks();
    expect(summaryOf(pipeline)).toContain('so far 7 calls');
    pipeline.clock.advance(29_000);
    pipeline.gateway.report({ calls: 8 });
    await pipeline.settleLooks();
    expect(summaryOf(pipeline)).toContain('so far 7 calls');
    pipeline.clock.advance(1_000);
    await pipeline.settleLooks();

    expect(summaryOf(pipeline)).toContain('so far 8 calls');
    expect(pipeline.github.calls).toHaveLength(updates + 2);
    expect(reads(pipeline)).toBe(before);
    await end();
  });

  it('ends with the agent: the next look reports what came of it', async () => {
    const { pipeline, end } = await startWorking();
    await pipeline.settleLooks();
    await end();
    await pipeline.settle();

    expect(summaryOf(pipeline)).not.toContain('The agent `fake` is');
    expect(summaryOf(pipeline)).toContain('Agent: `fake` `2.1.332` with the model `model-1` (3 calls');
    expect(pipeline.deps.running.toldOf(pipeline.key)).toBeNull();
  });

  it('is not told from an old look: when that is due, GitHub is read again', async () => {
    const { pipeline, end } = await startWorking();
    await pipeline.settleLooks();
    const before = reads(pipeline);
    pipeline.clock.advance(10 * MINUTE_MS);
    pipeline.gateway.report({ calls: 9 });
    await pipeline.settleLooks();

    expect(reads(pipeline)).toBeGreaterThan(before);
    expect(summaryOf(pipeline)).toContain('so far 9 calls');
    await end();
  });
});
