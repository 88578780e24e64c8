import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behavior, BehaviorScope } from '../../world/models/behavior.ts';
import type { Models } from '../../world/models/start-models.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { type FakeCliHabit, writeFakeCli } from '../support/fake-cli.ts';
import { makeDataDir, type Ratchet, removeDataDir } from '../support/ratchet-process.ts';
import { QUICK_POLICY, REPAIR } from '../support/red-repository.ts';
import { openStory, type Story } from '../support/story.ts';

const PRICE = { input: 1, cached: 0.1, written: 1.25, output: 5 };
const KEY = 'sk-canary-of-the-whole-app';

/** One class of the table: what goes wrong, and what comes of it. */
interface Case {
  readonly behavior?: readonly [Behavior, BehaviorScope?];
  readonly habit?: FakeCliHabit;
  readonly policy?: string;
  /** How the first fixup ends. */
  readonly ends: string;
  /** What is decided next. */
  readonly decided: string;
  /** Attempts that count then. */
  readonly attempts: number;
}

const fail = (as: Extract<Behavior, { readonly kind: 'fail' }>['as']): readonly [Behavior] => [{ kind: 'fail', as }];

const CASES: Readonly<Record<string, Case>> = {
  calls: {
    policy: 'agent: { budget: { calls: 1 } }',
    ends: 'BUDGET_EXHAUSTED',
    decided: 'STOPPED_SAME_CAUSE',
    attempts: 1,
  },
  'wrong-key': { behavior: fail('401'), ends: 'MODEL_AUTH', decided: 'MODEL_UNUSABLE', attempts: 0 },
  forbidden: { behavior: fail('403'), ends: 'MODEL_AUTH', decided: 'MODEL_UNUSABLE', attempts: 0 },
  'no-credit': { behavior: fail('no_credit'), ends: 'MODEL_NO_CREDIT', decided: 'MODEL_UNUSABLE', attempts: 0 },
  limited: { behavior: fail('429'), ends: 'MODEL_RATE_LIMITED', decided: 'MODEL_AWAITED', attempts: 0 },
  broken: { behavior: fail('500'), ends: 'MODEL_UNAVAILABLE', decided: 'MODEL_AWAITED', attempts: 0 },
  // The agent claims success and exits with 0.
  overloaded: {
    behavior: fail('529'),
    habit: 'lies',
    ends: 'MODEL_UNAVAILABLE',
    decided: 'MODEL_AWAITED',
    attempts: 0,
  },
  hangs: { behavior: [{ kind: 'hang' }], ends: 'MODEL_UNAVAILABLE', decided: 'MODEL_AWAITED', attempts: 0 },
  // Its time is up before the gateway takes the model for silent.
  'out-of-time': {
    behavior: [{ kind: 'hang' }],
    policy: 'agent: {}\nsessionTimeoutMinutes: 0.05',
    ends: 'timed_out',
    decided: 'ATTEMPTS_EXHAUSTED',
    attempts: 3,
  },
  cut: { behavior: [{ kind: 'cut' }], ends: 'MODEL_UNAVAILABLE', decided: 'MODEL_AWAITED', attempts: 0 },
  html: { behavior: [{ kind: 'html' }], ends: 'MODEL_UNAVAILABLE', decided: 'MODEL_AWAITED', attempts: 0 },
  'too-long': { behavior: fail('too_long'), ends: 'CONTEXT_TOO_LONG', decided: 'STOPPED_SAME_CAUSE', attempts: 2 },
  hosted: { habit: 'hosted', ends: 'MODEL_REFUSED', decided: 'STOPPED_SAME_CAUSE', attempts: 1 },
  silent: { habit: 'silent', ends: 'NO_MODEL_CALL', decided: 'STOPPED_SAME_CAUSE', attempts: 0 },
  crashes: { habit: 'crashes', ends: 'AGENT_CRASHED', decided: 'STOPPED_SAME_CAUSE', attempts: 0 },
};
/** Its first calls are refused with a short `retry-after`. */
const WAITS = 'waits';

describe.concurrent('agents and their models', AT_ONCE, () => {
  let stage: Stage;
  let models: Models;
  let ratchet: Ratchet;
  let folder: string;

  beforeAll(async () => {
    [stage, folder] = await Promise.all([setStage(), makeDataDir()]);
    models = await stage.world.startModels({
      key: KEY,
      script: { steps: [{ do: 'read', file: 'sum.mjs' }, REPAIR_STEP] },
    });
    const agents = await Promise.all([...Object.keys(CASES), WAITS].map(toAgent));
    const [keyFile, agentsFile] = [join(folder, 'key'), join(folder, 'agents.yml')];
    await writeFile(keyFile, `${KEY}\n`);
    await chmod(keyFile, 0o400);
    await writeFile(agentsFile, JSON.stringify({ agents: agents.map((agent) => ({ ...agent, keyFile })) }));
    for (const [model, { behavior }] of Object.entries(CASES)) {
      if (behavior !== undefined) models.behave(behavior[0], { model, ...behavior[1] });
    }
    models.behave({ kind: 'fail', as: '429', headers: { 'retry-after': '20' } }, { model: WAITS, times: 3 });
    const env = {
      ...MANY_SLOTS,
      RATCHET_AGENTS_FILE: agentsFile,
      RATCHET_AGENT_REPOSITORIES: [...Object.keys(CASES), WAITS].join(' '),
      RATCHET_MODEL_SILENCE_SECONDS: '5',
    };
    ratchet = await stage.start({ script: { steps: [REPAIR] }, env });
  });
  afterAll(async () => {
    await stage.close();
    await removeDataDir(folder);
  });

  /** An agent with a model of its own, so that each has its own circuit. */
  async function toAgent(name: string): Promise<Readonly<Record<string, unknown>>> {
    const path = await writeFakeCli(join(folder, name), 'claude', { habit: CASES[name]?.habit ?? 'usual' });
    return { name, kind: 'claude', path, url: models.url, models: [name], prices: { [name]: PRICE } };
  }

  async function startStory(name: string): Promise<Story> {
    const budget = CASES[name]?.policy ?? 'agent: {}';
    const policy = `${QUICK_POLICY}${budget.replace('{', `{ name: ${name},`)}\n`;
    const story = await openStory({ world: stage.world, ratchet }, { name, policy });
    story.enable();
    return story;
  }

  it.each(Object.entries(CASES))('%s: class, attempts and what follows', async (name, { ends, decided, attempts }) => {
    const story = await startStory(name);
    const ended = await story.untilLine('fixup completed');
    expect(ended).toMatchObject({ exitReason: ends, pushed: false, agent: name, version: '2.1.332' });
    const decision = await story.untilLine('action determined', { code: decided });

    expect(decision).toMatchObject({ attempts });
    expect(story.pushes()).toEqual([]);
    const counted = story.lines('fixup completed').reduce((sum, line) => sum + Number(line['calls']), 0);
    expect(counted).toBe(models.calls().filter(({ call }) => call?.model === name).length);
  });

  it('a limit that is over after a while: Ratchet waits as long as asked, and repairs it', async () => {
    const story = await startStory(WAITS);
    const first = await story.untilLine('fixup completed');
    const summary = await story.untilConcluded('success');
    const [fix] = await stage.world.log(story.repo, story.number, 1);

    expect(first).toMatchObject({ exitReason: 'MODEL_RATE_LIMITED' });
    expect(story.codes()).toEqual(expect.arrayContaining(['MODEL_AWAITED', 'ALL_GREEN']));
    expect(summary).toContain('Agent: `waits` `2.1.332` with the model `waits` (3 calls');
    expect(story.pushes()).toHaveLength(1);
    expect(fix?.message).toMatch(
      /\nRatchet-Agent: waits, 2\.1\.332, model waits \(3 calls, \d+ tokens, \d\.\d+ USD, \d+ s\)\n?$/u,
    );
    expect(JSON.stringify(ratchet.lines)).not.toContain(KEY);
  });
});

const REPAIR_STEP = { do: 'edit', file: 'sum.mjs', find: 'left - right', replace: 'left + right' } as const;
