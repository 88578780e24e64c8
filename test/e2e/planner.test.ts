import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Models } from '../../world/models/start-models.ts';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { makeDataDir, type Ratchet, removeDataDir } from '../support/ratchet-process.ts';
import { BROKEN_SUM, ownPushes, QUICK_POLICY, TEST_COMMAND } from '../support/red-repository.ts';
import { openStory, type Story } from '../support/story.ts';

const PRICE = { input: 1, cached: 0.1, written: 1.25, output: 5 };
const KEY = 'sk-canary-of-a-planner';
const FIX = {
  ...{ step_id: 'fix', action_type: 'modify_file' },
  params: { path: 'sum.mjs', old: 'left - right', new: 'left + right' },
};
const CHECK = {
  ...{ step_id: 'check', action_type: 'run_command', depends_on: ['fix'] },
  params: { argv: TEST_COMMAND.split(' ') },
};
const FAILS = { ...CHECK, step_id: 'fails', params: { argv: ['false'] }, rollback_on_fail: true };
const HOOK = {
  ...{ step_id: 'hook', action_type: 'create_file', depends_on: ['fix'] },
  params: { path: '.git/hooks/pre-commit', content: 'x' },
};
const OUT = { ...HOOK, step_id: 'out', params: { path: '../x', content: 'x' } };

/** The plans that do not come to an end, and what the check run says. */
const BAD: Readonly<Record<string, readonly [plan: unknown, why: RegExp]>> = {
  invalid: [{ steps: [{ ...FIX, depends_on: ['fix'] }] }, /PLAN_INVALID/u],
  hooks: [{ steps: [FIX, HOOK] }, /The plan was undone/u],
  outside: [{ steps: [FIX, OUT] }, /The plan was undone/u],
  'over-budget': [
    { steps: [FIX, { ...CHECK, estimate_usd: 0.5 }], budget_usd: 0.1 },
    /The plan was undone.*\(BUDGET\)/su,
  ],
  'half-way': [{ steps: [FIX, CHECK, { ...FAILS, depends_on: ['check'] }] }, /The plan was undone/u],
};
const GOOD = { anthropic: 'plan-messages', openai: 'plan-responses', gemini: 'plan-generate' } as const;

describe.concurrent('a planner (004.R33)', AT_ONCE, () => {
  let stage: Stage;
  let models: Models;
  let ratchet: Ratchet;
  let folder: string;

  beforeAll(async () => {
    [stage, folder] = await Promise.all([setStage(), makeDataDir()]);
    models = await stage.world.startModels({
      key: KEY,
      script: ({ model }) => ({
        steps: [],
        end: JSON.stringify(BAD[model]?.[0] ?? { steps: [FIX, CHECK], summary: 'The function adds now.' }),
      }),
    });
    const [keyFile, file] = [join(folder, 'key'), join(folder, 'agents.json')];
    await writeFile(keyFile, `${KEY}\n`);
    await chmod(keyFile, 0o400);
    const named = [
      ...Object.entries(GOOD).map(([api, name]) => [api, name] as const),
      ...Object.keys(BAD).map((name) => ['anthropic', name] as const),
    ];
    const agents = named.map(([api, name]) => ({
      ...{ name, kind: 'planner', api, url: models.url, keyFile, models: [name], prices: { [name]: PRICE } },
    }));
    await writeFile(file, JSON.stringify({ agents }));
    const env = {
      ...{ ...MANY_SLOTS, RATCHET_AGENT: '', RATCHET_FAKE_AGENT_SCRIPT: '', RATCHET_AGENTS_FILE: file },
      RATCHET_AGENT_REPOSITORIES: agents.map(({ name }) => name).join(' '),
    };
    ratchet = await stage.start({ script: {}, env });
  });
  afterAll(async () => {
    await stage.close();
    await removeDataDir(folder);
  });

  async function startStory(name: string): Promise<Story> {
    const policy = `${QUICK_POLICY}agent: { name: ${name} }\n`;
    const story = await openStory({ world: stage.world, ratchet }, { name, policy });
    story.enable();
    return story;
  }

  it.each(Object.entries(GOOD))('takes a pull request from red to green: %s', async (_, name) => {
    const story = await startStory(name);
    expect(await story.untilLine('fixup completed')).toMatchObject({ pushed: true, agent: name });
    expect(await stage.world.fileAt(story.repo, story.number, 'sum.mjs')).toContain('left + right');
    const shown = await story.untilConcluded('success');
    expect(shown).toContain("Steps of the agent's plan");
    expect(shown).toMatch(/^\| fix modify\\_file \| completed \| /mu);
    expect(shown).toMatch(/^\| check run\\_command \| completed \| /mu);
  });

  it.each(Object.keys(BAD))('ends with its reason and pushes nothing: %s', async (name) => {
    const story = await startStory(name);
    const ended = await story.untilLine('fixup completed');
    expect(ended).toMatchObject({ pushed: false, exitReason: 'AGENT_FAILED' });
    expect(String(ended['detail'])).toMatch(BAD[name]?.[1] ?? /^$/u);
    expect(await stage.world.fileAt(story.repo, story.number, 'sum.mjs')).toBe(BROKEN_SUM);
    expect(ownPushes(stage.world, story.repo)).toEqual([]);
  });
});
