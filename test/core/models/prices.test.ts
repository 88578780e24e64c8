import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toErrorBody, toModelList } from '../../../src/core/models/error-body.ts';
import { toCallCharge } from '../../../src/core/models/to-call-charge.ts';
import { addTokens, toCost, toHighestCost } from '../../../src/core/models/token-price.ts';

const NOTHING = { input: 0, cached: 0, written: 0, output: 0 };
const PRICE = { input: 3, cached: 0.3, written: 3.75, output: 15 };

describe('toCost', () => {
  it.each([
    [{ ...NOTHING }, 0],
    [{ ...NOTHING, input: 1_000_000 }, 3_000_000],
    [{ input: 100, cached: 10, written: 4, output: 2 }, 348],
    // Rounded up, and not because of 0.1 + 0.2.
    [{ ...NOTHING, cached: 1 }, 1],
    [{ ...NOTHING, cached: 10 }, 3],
  ])('of %j is %i millionths of a USD', (tokens, cost) => {
    expect(toCost(tokens, PRICE)).toBe(cost);
    expect(toCost(tokens, null)).toBe(0);
  });

  it('adds no hair', () => {
    expect(toCost({ ...NOTHING, input: 3, cached: 3 }, { input: 0.1, cached: 0.9, written: 0, output: 0 })).toBe(3);
  });
});

describe('a price for long calls', () => {
  const price = { ...PRICE, long: { above: 100, input: 6, cached: 0.6, written: 7.5, output: 20 } };

  it.each([
    [{ ...NOTHING, input: 100, output: 1 }, 315],
    [{ ...NOTHING, input: 101, output: 1 }, 626],
    // All input counts, wherever the provider found it.
    [{ input: 50, cached: 30, written: 21, output: 0 }, Math.ceil(50 * 6 + 30 * 0.6 + 21 * 7.5)],
    [{ ...NOTHING, output: 1000 }, 15_000],
  ])('holds for the whole of %j', (tokens, cost) => {
    expect(toCost(tokens, price)).toBe(cost);
  });

  it('may be lower than the usual one', () => {
    const cheaper = { ...PRICE, long: { above: 100, input: 1, cached: 1, written: 1, output: 1 } };
    expect(toHighestCost({ ...NOTHING, input: 1000, output: 10 }, cheaper)).toBe(1000 * 3.75 + 150);
  });
});

describe('toHighestCost', () => {
  it('is never below the cost, however the input is divided, and however little of it there is', () => {
    const count = fc.nat(1_000_000);
    const rate = fc.double({ min: 0, max: 100, noNaN: true });
    const prices = { input: rate, cached: rate, written: rate, output: rate };
    const long = fc.record({ ...prices, above: fc.nat(2_000_000) });
    fc.assert(
      fc.property(
        fc.record({ input: count, cached: count, written: count, output: count }),
        fc.record({ ...prices, long }, { requiredKeys: ['input', 'cached', 'written', 'output'] }),
        fc.nat(1_000_000),
        (tokens, price, more) => {
          const input = tokens.input + tokens.cached + tokens.written + more;
          const bound = { ...NOTHING, input, output: tokens.output };
          expect(toHighestCost(bound, price)).toBeGreaterThanOrEqual(toCost(tokens, price));
        },
      ),
    );
  });

  it('is nothing without a price', () => {
    expect(toHighestCost({ ...NOTHING, input: 5 }, null)).toBe(0);
    expect(toHighestCost({ ...NOTHING, input: 100 }, PRICE)).toBe(375);
  });
});

describe('addTokens', () => {
  it('adds each count', () => {
    const tokens = { input: 1, cached: 2, written: 3, output: 4 };
    expect(addTokens(tokens, tokens)).toEqual({ input: 2, cached: 4, written: 6, output: 8 });
  });
});

describe('toCallCharge', () => {
  const bound = { ...NOTHING, input: 1000, output: 500 };
  const metered = (tokens: object, flags: object) => ({
    ...{ isSeen: true, isComplete: true, isReadable: true, error: null },
    tokens: { ...NOTHING, ...tokens },
    ...flags,
  });

  it.each([
    [
      'of a complete answer is what it says',
      metered({ input: 10, output: 5 }, {}),
      'settled',
      { input: 10, output: 5 },
    ],
    [
      'of more than the bound is charged in full',
      metered({ input: 10, output: 9000 }, {}),
      'settled',
      { input: 10, output: 9000 },
    ],
    ['of an answer without its use is the bound', metered({}, { isSeen: false }), 'estimated', bound],
    [
      'of an answer that was cut has the input that was seen',
      metered({ input: 7, cached: 3, output: 1 }, { isComplete: false }),
      'estimated',
      { input: 7, cached: 3, output: 500 },
    ],
    [
      'of an answer that was cut beyond its bound has the output that was seen',
      metered({ written: 7, output: 900 }, { isComplete: false }),
      'estimated',
      { written: 7, output: 900 },
    ],
    [
      'of an answer that began without a use is the bound',
      metered({}, { isComplete: false, isSeen: false }),
      'estimated',
      bound,
    ],
    [
      'of output alone has the input of the bound',
      metered({ output: 900 }, { isComplete: false }),
      'estimated',
      { input: 1000, output: 900 },
    ],
  ] as const)('%s', (_, given, state, tokens) => {
    const all = { ...NOTHING, ...tokens };
    const isBound = all.input === 1000;
    const microUsd = isBound ? toHighestCost(all, PRICE) : toCost(all, PRICE);
    expect(toCallCharge(bound, PRICE, given)).toEqual({ state, tokens: all, microUsd });
    expect(toCallCharge(bound, null, given)).toEqual({ state, tokens: all, microUsd: 0 });
  });
});

describe('toErrorBody', () => {
  const error = { status: 402, code: 'budget_usd', message: 'the budget is used up' };

  it('has the form of each dialect', () => {
    const { message } = error;
    expect(toErrorBody('anthropic', error)).toEqual({ type: 'error', error: { type: 'billing_error', message } });
    expect(toErrorBody('openai', error)).toEqual({
      error: { message, type: 'billing_error', param: null, code: 'budget_usd' },
    });
    expect(toErrorBody('gemini', error)).toEqual({ error: { code: 402, message, status: 'FAILED_PRECONDITION' } });
  });

  it.each([
    [400, 'invalid_request_error', 'INVALID_ARGUMENT'],
    [401, 'authentication_error', 'UNAUTHENTICATED'],
    [403, 'permission_error', 'PERMISSION_DENIED'],
    [404, 'not_found_error', 'NOT_FOUND'],
    [413, 'request_too_large', 'INVALID_ARGUMENT'],
    [429, 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
    [502, 'api_error', 'INTERNAL'],
  ])('names %i %s and %s', (status, type, name) => {
    expect(toErrorBody('anthropic', { ...error, status })).toMatchObject({ error: { type } });
    expect(toErrorBody('gemini', { ...error, status })).toMatchObject({ error: { status: name, code: status } });
  });
});

describe('toModelList', () => {
  it('has one model', () => {
    expect(toModelList('anthropic', 'm')).toMatchObject({ data: [{ type: 'model', id: 'm' }], has_more: false });
    expect(toModelList('openai', 'm')).toMatchObject({ object: 'list', data: [{ id: 'm', object: 'model' }] });
    expect(toModelList('gemini', 'm')).toMatchObject({ models: [{ name: 'models/m' }] });
  });
});
