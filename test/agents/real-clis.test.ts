import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behavior } from '../../world/models/behavior.ts';
import { type AgentStage, setAgentStage } from '../support/agent-stage.ts';
import { AT_ONCE } from '../support/e2e.ts';
import { ownPushes, QUICK_POLICY, untilConcluded } from '../support/red-repository.ts';
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
const CASES = CLIS.flatMap((kind) => NAMES.map((name) => ({ kind, name, agent: `${kind}-${name}` })));

/** A file in which an agent that searched everywhere found the key. */
const LEAK = /LEAK \/\w+[^\\"]*/gu;

describe.concurrent('real command lines of agents', AT_ONCE, () => {
  let stage: AgentStage;

  beforeAll(async () => {
    const green = CLIS.map((kind) => ({ name: kind, kind, path: toRealCli(kind) }));
    const failed = CASES.flatMap(({ kind, name, agent }) => {
      const behavior = CLASSES[name]?.behavior;
      return behavior === undefined ? [] : [{ name: agent, kind, path: toRealCli(kind), behavior }];
    });
    stage = await setAgentStage([...green, ...failed], { RATCHET_MODEL_SILENCE_SECONDS: '5' });
  });

  afterAll(() => stage.close());

  it.each(CLIS)('%s takes a pull request from red to green, and sees no key', async (name) => {
    const { world, models } = stage;
    const red = await stage.enable(name);

    await untilConcluded(world, red, 'success');

    expect(await world.fileAt(red.repo, red.number, 'sum.mjs')).toContain('left + right');
    expect(ownPushes(world, red.repo)).toHaveLength(1);
    const bodies = models.calls().flatMap(({ call, body }) => (call?.model === name ? [body] : []));
    const last = bodies.at(-1) ?? '';
    // What its tools gave it: the evidence, the file, the edit, and the end of its search.
    expect(last).toContain('adds: -1 !== 5');
    expect(last).toContain('return left - right');
    expect(last).toMatch(/\\nlooked everywhere|looked everywhere\\n/u);
    expect(bodies.flatMap((body) => body.match(LEAK) ?? [])).toEqual([]);
    expect(await stage.findKey([red])).toEqual([]);
  });

  it.each(CASES)('$kind ends in its class where the model does: $name', async ({ name, agent }) => {
    const { exitReason, policy } = CLASSES[name] ?? {};
    const red = await stage.enable(agent, policy === undefined ? {} : { policy });

    const completed = await stage.untilCompleted(agent);

    expect(completed).toMatchObject({ pushed: false, exitReason });
    expect(ownPushes(stage.world, red.repo)).toEqual([]);
    expect(await stage.findKey([red])).toEqual([]);
  });
});
