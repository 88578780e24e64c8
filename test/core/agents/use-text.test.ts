import { describe, expect, it } from 'vitest';
import { addAgentUse, toUsed } from '../../../src/core/agents/to-agent-use.ts';
import { toUseText } from '../../../src/core/agents/use-text.ts';
import { toProgressText } from '../../../src/core/render/progress-words.ts';
import { toMoneyText } from '../../../src/core/text/words.ts';
import { aModelUse, anAgentUse, aProgress } from '../../support/model-builders.ts';

describe('what an agent used', () => {
  it('is one text of calls, tokens, money and time', () => {
    expect(toUseText(anAgentUse())).toBe('3 calls, 1600 tokens, 0.01 USD, 1 min');
    expect(toUseText(anAgentUse({ calls: 1, durationMs: 4_600 }))).toBe('1 call, 1600 tokens, 0.01 USD, 5 s');
  });

  it('is only the time of an agent without a model', () => {
    expect(toUseText(anAgentUse({ model: null, ...toUsed(null) }))).toBe('1 min');
  });

  it('is all that the ledger knows, also of a run whose model is not known any more', () => {
    expect(toUseText(anAgentUse({ model: null }))).toBe('3 calls, 1600 tokens, 0.01 USD, 1 min');
  });

  it('is what the gateway counted', () => {
    const { calls, tokens, microUsd } = aModelUse();

    expect(toUsed(aModelUse())).toEqual({ calls, tokens, microUsd });
  });

  it('is the sum of all runs of a session', () => {
    const tokens = { input: 2_000, cached: 400, written: 200, output: 600 };

    expect(addAgentUse(null, anAgentUse())).toEqual(anAgentUse());
    expect(addAgentUse(anAgentUse(), anAgentUse({ version: '3' }))).toEqual(
      anAgentUse({ version: '3', calls: 6, tokens, microUsd: 25_000, durationMs: 130_000 }),
    );
  });

  it.each([
    [0, '0.00 USD'],
    [1, '0.0001 USD'],
    [4_200, '0.0042 USD'],
    [10_000, '0.01 USD'],
    [420_000, '0.42 USD'],
    [12_345_678, '12.35 USD'],
  ])('shows %d millionths of a USD as %s', (microUsd, text) => {
    expect(toMoneyText(microUsd)).toBe(text);
  });
});

describe('the progress of an agent', () => {
  it.each([
    ['running', 'npm test', 'is running `npm test`'],
    ['reading', 'src/a.ts', 'is reading `src/a.ts`'],
    ['editing', '', 'is editing'],
    ['thinking', ' \u200b', 'is thinking'],
    ['running', 'echo `x` @ann\n#1', 'is running `` echo `x` @ann #1 ``'],
  ] as const)('%s: %j', (what, detail, does) => {
    expect(toProgressText(aProgress({ doing: { what, detail } }))).toBe(
      `The agent \`claude\` ${does}; so far 3 calls, 1600 tokens, 0.01 USD of the model \`model-1\`.`,
    );
  });

  it('is that it has started, while it has said nothing', () => {
    expect(toProgressText(aProgress({ doing: null, model: null }))).toBe('The agent `claude` has started.');
  });
});
