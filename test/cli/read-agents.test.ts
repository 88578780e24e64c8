import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEntry } from '../../src/config/agent-entry.ts';
import { readAgents } from '../../src/config/read-agents.ts';
import { ConfigError } from '../../src/core/model/errors.ts';
import { MODEL_PRICES } from '../../src/core/models/model-prices.ts';
import { temporaryFolder } from '../support/store.ts';

const none = { maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs: null };
const NO_LIMITS = { fixup: none, pull_request: none, day: none, month: none };
const LIMITS = { ...NO_LIMITS, month: { maxMicroUsd: 1, maxCalls: null, maxTokens: null, maxTimeMs: null } };
const PRICE = { input: 1, cached: 0.1, written: 1.25, output: 5 };
const [KNOWN = ''] = Object.keys(MODEL_PRICES);

const claude = (fields: Partial<AgentEntry>): { readonly kind: 'one'; readonly entry: AgentEntry } => ({
  kind: 'one',
  entry: { name: 'claude', kind: 'claude', keyFile: '/key', models: [KNOWN], ...fields },
});

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function write(name: string, content: unknown): string {
  const path = join(folder.path, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

async function problemsOf(reading: Promise<unknown>): Promise<readonly string[]> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readAgents', () => {
  it('knows the URL of each API and the prices of its models', async () => {
    const [agent] = await readAgents({ agents: claude({}), modelPrices: null, spendLimits: LIMITS });
    expect(agent).toEqual({
      ...{ name: 'claude', kind: 'claude', path: null },
      endpoint: {
        ...{ name: 'claude', dialect: 'anthropic', url: 'https://api.anthropic.com', keyFile: '/key', models: [KNOWN] },
        ...{ prices: { [KNOWN]: MODEL_PRICES[KNOWN] }, maxOutputTokens: 32_000 },
      },
    });
  });

  it.each([
    ['codex', { path: '/codex' }, 'openai', 'https://api.openai.com'],
    ['gemini', { path: '/gemini' }, 'gemini', 'https://generativelanguage.googleapis.com'],
    ['opencode', { api: 'openai' }, 'openai', 'https://api.openai.com'],
    ['acp', { api: 'anthropic', command: ['acp-agent', '--x'] }, 'anthropic', 'https://api.anthropic.com'],
    ['command', { api: 'gemini', command: ['own'], url: 'https://g.test' }, 'gemini', 'https://g.test'],
  ] as const)('reads an agent of the kind %s', async (kind, fields, dialect, url) => {
    const agents = claude({ name: kind, kind, ...fields });
    const [agent] = await readAgents({ agents, modelPrices: null, spendLimits: LIMITS });
    expect(agent).toMatchObject({ name: kind, kind, endpoint: { name: kind, dialect, url } });
    if ('command' in fields) expect(agent).toMatchObject({ argv: fields.command });
    if ('path' in fields) expect(agent).toMatchObject({ path: fields.path });
  });

  it.each([
    ['command', { command: ['own'] }, { argv: ['own'] }],
    ['fake', { script: '/steps.json' }, { script: '/steps.json' }],
  ] as const)('reads an agent of the kind %s that calls no model', async (kind, fields, expected) => {
    const entry: AgentEntry = { name: kind, kind, ...fields };
    const [agent] = await readAgents({ agents: { kind: 'one', entry }, modelPrices: null, spendLimits: LIMITS });
    expect(agent).toEqual({ name: kind, kind, endpoint: null, ...expected });
  });

  it("prefers an agent's prices to the operator's, and those to the built-in ones", async () => {
    const agents = [
      { name: 'first', kind: 'claude', keyFile: '/key', models: ['m', KNOWN] },
      { name: 'second', kind: 'claude', keyFile: '/key', models: ['m'], prices: { m: { ...PRICE, input: 2 } } },
    ];
    const [first, second] = await readAgents({
      agents: { kind: 'file', path: write('agents.json', { agents }) },
      modelPrices: write('prices.json', { m: PRICE, [KNOWN]: PRICE, other: PRICE }),
      spendLimits: LIMITS,
    });
    expect(first?.endpoint?.prices).toEqual({ m: PRICE, [KNOWN]: PRICE });
    expect(second?.endpoint?.prices).toEqual({ m: { ...PRICE, input: 2 } });
  });

  it('refuses a model without a price where a budget is in USD, and says what to write', async () => {
    const agents = claude({ models: [KNOWN, `${KNOWN}x`, 'constructor'] });
    const problems = await problemsOf(readAgents({ agents, modelPrices: null, spendLimits: LIMITS }));
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain(`the price of the model ${KNOWN}x is not known (did you mean ${KNOWN}?)`);
    expect(problems[1]).toContain('RATCHET_MODEL_PRICES, in USD per million tokens: `constructor: { input: …,');
    await expect(readAgents({ agents, modelPrices: null, spendLimits: NO_LIMITS })).resolves.toHaveLength(1);
  });

  it.each([
    ['RATCHET_AGENTS_FILE', { agents: { kind: 'file', path: '/nowhere/agents.yml' }, modelPrices: null }],
    ['RATCHET_MODEL_PRICES', { agents: claude({}), modelPrices: '/nowhere/prices.yml' }],
  ] as const)('says that the file of %s is missing', async (variable, input) => {
    const [problem] = await problemsOf(readAgents({ ...input, spendLimits: LIMITS }));
    expect(problem).toContain(`${variable}: there is no file`);
  });
});
