import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behavior } from '../../world/models/behavior.ts';
import { type AgentStage, setAgentStage } from '../support/agent-stage.ts';
import { HOSTILE_AGENT_CONFIG } from '../support/hostile-agent-config.ts';
import { ownPushes, QUICK_POLICY, untilConcluded, WRITER } from '../support/red-repository.ts';
import { REAL_CLIS, toRealCli } from './real-clis.ts';

/** How the model behaves, and how a fixup ends then. */
interface ModelClass {
  readonly behavior: Behavior;
  readonly exitReason: string;
  readonly policy?: string;
}

const failing = (as: Extract<Behavior, { readonly kind: 'fail' }>['as']): Behavior => ({ kind: 'fail', as });

const CLASSES: Readonly<Record<string, ModelClass>> = {
  '401': { behavior: failing('401'), exitReason: 'MODEL_AUTH' },
  '403': { behavior: failing('403'), exitReason: 'MODEL_AUTH' },
  'no-credit': { behavior: failing('no_credit'), exitReason: 'MODEL_NO_CREDIT' },
  '429': { behavior: failing('429'), exitReason: 'MODEL_RATE_LIMITED' },
  '500': { behavior: failing('500'), exitReason: 'MODEL_UNAVAILABLE' },
  '529': { behavior: failing('529'), exitReason: 'MODEL_UNAVAILABLE' },
  'too-long': { behavior: failing('too_long'), exitReason: 'CONTEXT_TOO_LONG' },
  hang: { behavior: { kind: 'hang' }, exitReason: 'MODEL_UNAVAILABLE' },
  cut: { behavior: { kind: 'cut' }, exitReason: 'MODEL_UNAVAILABLE' },
  endless: {
    behavior: { kind: 'endless' },
    exitReason: 'BUDGET_EXHAUSTED',
    policy: `${QUICK_POLICY}agent:\n  budget:\n    calls: 8\n`,
  },
};

/** Lists of names; all by default. */
const listOf = (variable: string, all: readonly string[]): readonly string[] =>
  process.env[variable]?.split(',') ?? all;

const CLIS = REAL_CLIS.filter((name) => listOf('RATCHET_REAL_CLIS', REAL_CLIS).includes(name));
const NAMES = listOf('RATCHET_REAL_CLASSES', Object.keys(CLASSES));
/** A model that Codex knows: it gets one tool then, which runs programs that call the others. */
const KNOWN_TO_CODEX = 'gpt-6-sol';
/** A file in which an agent that searched everywhere found the key. */
const LEAK = /LEAK \/\w+[^\\"]*/gu;

describe.each(CLIS)('the real %s', (kind) => {
  let stage: AgentStage;

  beforeAll(async () => {
    const path = toRealCli(kind);
    const failing = NAMES.flatMap((name) => {
      const behavior = CLASSES[name]?.behavior;
      return behavior === undefined ? [] : [{ name: `${kind}-${name}`, kind, path, behavior }];
    });
    const acp = kind === 'gemini' ? [{ name: 'gemini-acp', kind, path, acp: ['--skip-trust', '--acp'] }] : [];
    const known = kind === 'codex' ? [{ name: 'codex-known', kind, path, model: KNOWN_TO_CODEX }] : [];
    const agents = [{ name: kind, kind, path }, ...acp, ...known, ...failing];
    stage = await setAgentStage(agents, { RATCHET_MODEL_SILENCE_SECONDS: '5' });
  });

  afterAll(() => stage.close());

  it('takes a pull request from red to green, sees no key, and runs nothing that the repository brings', async () => {
    const { world, models } = stage;
    const red = await stage.enable(kind, { files: HOSTILE_AGENT_CONFIG });

    await untilConcluded(world, red, 'success');

    expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
    expect(await world.fileAt(red.repo, red.number, 'hooked.txt')).toBeNull();
    expect(ownPushes(world, red.repo)).toHaveLength(1);
    const bodies = models.calls().flatMap(({ call, body }) => (call?.model === kind ? [body] : []));
    const [first = '', second = '', last = ''] = [bodies[0], bodies[1], bodies.at(-1)];
    // What its tools gave it: the file of evidence (its text is in the prompt, too), the code, and the end of its search.
    expect(second.split('adds: -1 !== 5').length).toBeGreaterThan(first.split('adds: -1 !== 5').length);
    expect(last).toContain('return left - right');
    expect(last).toMatch(/(?<!echo )looked everywhere/u);
    expect(bodies.flatMap((body) => body.match(LEAK) ?? [])).toEqual([]);
  });

  if (kind === 'gemini') {
    it('works by the Agent Client Protocol, too', async () => {
      const { world, models } = stage;
      const red = await stage.enable('gemini-acp');

      const summary = await untilConcluded(world, red, 'success');

      expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
      expect(summary).toContain('gemini-acp');
      const [last] = models
        .calls()
        .flatMap(({ call, body }) => (call?.model === 'gemini-acp' ? [body] : []))
        .slice(-1);
      expect(last).toMatch(/(?<!echo )looked everywhere/u);
    });
  }

  if (kind === 'codex') {
    it('works with a model that it knows, too', async () => {
      const { world, models } = stage;
      const red = await stage.enable('codex-known');

      await untilConcluded(world, red, 'success');

      expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
      const bodies = models.calls().flatMap(({ call, body }) => (call?.model === KNOWN_TO_CODEX ? [body] : []));
      expect(bodies[0]).toContain('additional_tools');
      expect(bodies.at(-1)).toMatch(/(?<!echo )looked everywhere/u);
      expect(bodies.flatMap((body) => body.match(LEAK) ?? [])).toEqual([]);
    });
  }

  it.each(NAMES)('ends in its class where the model does: %s', async (name) => {
    const { exitReason, policy } = CLASSES[name] ?? {};
    const agent = `${kind}-${name}`;
    const red = await stage.enable(agent, policy === undefined ? {} : { policy });

    const completed = await stage.untilCompleted(agent);
    // Some are tried again, and the next one would wait for them.
    stage.world.comment({ ...red, login: WRITER, body: '/ratchet disable' });

    expect(completed).toMatchObject({ pushed: false, exitReason });
    expect(ownPushes(stage.world, red.repo)).toEqual([]);
  });

  it('leaves the key nowhere', async () => {
    expect(await stage.ratchet.stop()).toBe(0);

    expect(await stage.findKey()).toEqual([]);
  });
});
