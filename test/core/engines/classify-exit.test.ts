import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CLASSIFIER_VERSION,
  classifyExit,
  type ExitFacts,
  indicatesFailure,
} from '../../../src/core/engines/classify-exit.ts';
import { NO_EXIT_CODES } from '../../../src/core/engines/exit-codes.ts';
import type { ExitCodes } from '../../../src/core/model/engine.ts';

function classify(change: Partial<ExitFacts>): ReturnType<typeof classifyExit> {
  return classifyExit({
    ...{ tool: 'any', exitCode: 0, diagnostics: 0, isFix: false, ignoreExit: [] },
    exitCodes: NO_EXIT_CODES,
    ...change,
  });
}

function listed(change: Partial<ExitCodes>): ExitCodes {
  return { ...NO_EXIT_CODES, ...change };
}

/** Whether the exit counts as a failure of the tool. */
function fails(change: Partial<ExitFacts>): boolean {
  return indicatesFailure({ ...classify(change), diagnostics: change.diagnostics ?? 0 });
}

const SUCCESS = { category: 'success', returnCode: 0 };

const anyCode = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.maxSafeInteger());
const anyFacts: fc.Arbitrary<ExitFacts> = fc.record({
  tool: fc.constantFrom('pylint', 'tombi', 'eslint', ''),
  exitCode: anyCode,
  diagnostics: fc.nat(3),
  isFix: fc.boolean(),
  ignoreExit: fc.array(fc.nat(40), { maxLength: 3 }),
  exitCodes: fc.record({
    success: fc.array(fc.nat(40), { maxLength: 3 }),
    diagnostic: fc.array(fc.nat(40), { maxLength: 3 }),
    toolFailure: fc.array(fc.nat(40), { maxLength: 3 }),
  }),
});

describe('classifyExit', () => {
  it.each([
    ['003.R6: toolFailure', { exitCode: 2, exitCodes: listed({ toolFailure: [2] }) }, 'tool_failure', 2],
    ['003.R6: success', { exitCode: 2, exitCodes: listed({ success: [2] }) }, 'success', 0],
    ['003.R6: diagnostic', { exitCode: 2, exitCodes: listed({ diagnostic: [2] }) }, 'diagnostic', 2],
    ['C9: toolFailure for 0, too', { exitCode: 0, exitCodes: listed({ toolFailure: [0] }) }, 'tool_failure', 0],
    ['C9: success for 0, too', { exitCode: 0, exitCodes: listed({ success: [0] }) }, 'success', 0],
    ['C9: diagnostic for 0, too', { exitCode: 0, exitCodes: listed({ diagnostic: [0] }) }, 'diagnostic', 0],
  ])('takes what is listed before all else: %s', (_rule, facts, category, returnCode) => {
    expect(classify(facts)).toEqual({ category, returnCode });
    expect(classify({ ...facts, diagnostics: 3, isFix: true, ignoreExit: [0, 2], tool: 'tombi' })).toEqual({
      category,
      returnCode,
    });
  });

  it('003.R6: takes toolFailure before success, and success before diagnostic', () => {
    expect(classify({ exitCode: 1, exitCodes: { success: [1], diagnostic: [1], toolFailure: [1] } }).category).toBe(
      'tool_failure',
    );
    expect(classify({ exitCode: 1, exitCodes: listed({ success: [1], diagnostic: [1] }) }).category).toBe('success');
  });

  it.each([0, 1, 500])('003.R2: takes 0 with %i findings as success', (diagnostics) => {
    expect(classify({ exitCode: 0, diagnostics })).toEqual(SUCCESS);
  });

  it.each([1, 2, 127, 139, 255])(
    '003.R3, R7, R14 and R20: takes %i with findings as diagnostic, and keeps the code',
    (exitCode) => {
      expect(classify({ exitCode, diagnostics: 1 })).toEqual({ category: 'diagnostic', returnCode: exitCode });
      expect(classify({ exitCode, diagnostics: 1, isFix: true, ignoreExit: [exitCode] }).category).toBe('diagnostic');
    },
  );

  it.each([
    ['32 is a usage error', 32, 0, 'tool_failure'],
    ['32 is one beside findings, too: they cannot be its own', 32, 4, 'tool_failure'],
    ['33 has its bit', 33, 4, 'tool_failure'],
    ['63 has it', 63, 0, 'tool_failure'],
    ['64 is no mask', 64, 0, 'unknown'],
    ['97 is no mask, whatever its bits', 97, 0, 'unknown'],
    ['160 is no mask, whatever its bits', 160, 1, 'diagnostic'],
    ['1 is a fatal message', 1, 0, 'tool_failure'],
    ['21 has its bit', 21, 0, 'tool_failure'],
    ['1 with messages is told by them', 1, 2, 'diagnostic'],
    ['31 with messages is told by them', 31, 2, 'diagnostic'],
    ['2 without messages is explained by nothing', 2, 0, 'unknown'],
    ['30 without messages is explained by nothing', 30, 0, 'unknown'],
    ['16 without messages is explained by nothing', 16, 0, 'unknown'],
    ['a negative code has no bits', -1, 0, 'unknown'],
    ['0 is clean', 0, 0, 'success'],
  ])('003.R8 and C11: knows the bits of pylint: %s', (_what, exitCode, diagnostics, category) => {
    expect(classify({ tool: 'pylint', exitCode, diagnostics }).category).toBe(category);
  });

  it.each([1, 32])('C11: sees no bits in the code %i of other tools', (exitCode) => {
    expect(classify({ tool: 'flake8', exitCode }).category).toBe('unknown');
  });

  it('003.R6 and R8: lets a list speak against a convention', () => {
    expect(classify({ tool: 'pylint', exitCode: 32, exitCodes: listed({ success: [32] }) })).toEqual(SUCCESS);
    expect(classify({ tool: 'tombi', exitCode: 2, exitCodes: listed({ toolFailure: [2] }) }).category).toBe(
      'tool_failure',
    );
  });

  it.each([
    ['tombi', 2, 0, 'success'],
    ['tombi', 2, 1, 'diagnostic'],
    ['tombi', 1, 0, 'unknown'],
    ['taplo', 2, 0, 'unknown'],
  ])('003.R8: knows the 2 of tombi: %s, %i, %i findings', (tool, exitCode, diagnostics, category) => {
    expect(classify({ tool, exitCode, diagnostics }).category).toBe(category);
  });

  it.each([
    ['a lone 1 of a fixer', { exitCode: 1, isFix: true }, 'success'],
    ['1 beside findings', { exitCode: 1, isFix: true, diagnostics: 1 }, 'diagnostic'],
    ['another code', { exitCode: 2, isFix: true }, 'unknown'],
    ['1 of no fixer', { exitCode: 1 }, 'unknown'],
    ['1 that is a tool failure', { exitCode: 1, isFix: true, exitCodes: listed({ toolFailure: [1] }) }, 'tool_failure'],
  ])('003.R16 and C12: knows fixers: %s', (_what, facts, category) => {
    expect(classify(facts).category).toBe(category);
  });

  it.each([
    ['without findings', { exitCode: 5 }, 'success'],
    ['the second of them', { exitCode: 6 }, 'success'],
    ['beside findings', { exitCode: 5, diagnostics: 1 }, 'diagnostic'],
    ['another code', { exitCode: 4 }, 'unknown'],
    ['one that is a tool failure', { exitCode: 5, exitCodes: listed({ toolFailure: [5] }) }, 'tool_failure'],
    ['one that is listed as diagnostic', { exitCode: 5, exitCodes: listed({ diagnostic: [5] }) }, 'diagnostic'],
  ])('003.R9 and C12: ignores codes: %s', (_what, facts, category) => {
    expect(classify({ ignoreExit: [5, 6], ...facts }).category).toBe(category);
  });

  it('003.R8 and R9: takes a convention before an ignored code', () => {
    expect(classify({ tool: 'pylint', exitCode: 1, ignoreExit: [1] }).category).toBe('tool_failure');
  });

  it.each([1, 2, 5, 101, 255, -3])(
    '003.R5 and R10: takes %i without findings as unknown, and keeps the code',
    (exitCode) => {
      expect(classify({ exitCode })).toEqual({ category: 'unknown', returnCode: exitCode });
    },
  );

  it('003.R4: takes an end without exit code as a tool failure', () => {
    expect(classify({ exitCode: null })).toEqual({ category: 'tool_failure', returnCode: null });
    expect(classify({ exitCode: null, diagnostics: 3, isFix: true }).category).toBe('tool_failure');
  });

  it.each([
    ['listed', { exitCode: 7, exitCodes: listed({ success: [7] }) }],
    ['by the convention of fixers', { exitCode: 1, isFix: true }],
    ['ignored', { exitCode: 7, ignoreExit: [7] }],
  ])('003.R11 and R19: adjusts a success to 0: %s', (_how, facts) => {
    expect(classify(facts)).toEqual(SUCCESS);
  });

  it('003.R17: lets success be widened', () => {
    expect(classify({ exitCode: 3, isFix: true, exitCodes: listed({ success: [3] }) })).toEqual(SUCCESS);
  });

  it('003.R1: has a category for every integer, and never a changed code but 0', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { category, returnCode } = classifyExit(facts);

        expect(['success', 'diagnostic', 'tool_failure', 'unknown']).toContain(category);
        expect(returnCode).toBe(category === 'success' ? 0 : facts.exitCode);
      }),
    );
  });

  it('003.R19: adjusts an adjusted code to itself', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { returnCode } = classifyExit(facts);

        expect(classifyExit({ ...facts, exitCode: returnCode }).returnCode).toBe(returnCode);
      }),
    );
  });

  it('003.R13 and R21: makes a code of toolFailure a failure, whatever else is said', () => {
    fc.assert(
      fc.property(anyFacts, anyCode, (facts, exitCode) => {
        const exitCodes = { ...facts.exitCodes, toolFailure: [...facts.exitCodes.toolFailure, exitCode] };
        const verdict = classifyExit({ ...facts, exitCode, exitCodes });

        expect(verdict).toEqual({ category: 'tool_failure', returnCode: exitCode });
        expect(indicatesFailure({ ...verdict, diagnostics: facts.diagnostics })).toBe(true);
      }),
    );
  });

  it('says by which version of the rules', () => {
    expect(CLASSIFIER_VERSION).toBe(3);
  });
});

describe('indicatesFailure', () => {
  it.each([
    [
      '003.R13: a tool failure with findings',
      { exitCode: 2, diagnostics: 3, exitCodes: listed({ toolFailure: [2] }) },
      true,
    ],
    ['003.R13: a tool failure by 0', { exitCode: 0, exitCodes: listed({ toolFailure: [0] }) }, true],
    ['003.R13: an end without exit code', { exitCode: null, diagnostics: 1 }, true],
    ['003.R25: an unknown code', { exitCode: 1 }, true],
    [
      '003.R25 and C10: a code of diagnostic without findings',
      { exitCode: 1, exitCodes: listed({ diagnostic: [1] }) },
      true,
    ],
    ['C10: 0 as a code of diagnostic, without findings', { exitCode: 0, exitCodes: listed({ diagnostic: [0] }) }, true],
    ['003.R14: findings', { exitCode: 1, diagnostics: 1 }, false],
    [
      '003.R3: findings by a code of diagnostic',
      { exitCode: 1, diagnostics: 1, exitCodes: listed({ diagnostic: [1] }) },
      false,
    ],
    ['003.R19: a listed success', { exitCode: 7, exitCodes: listed({ success: [7] }) }, false],
    ['003.R2: 0', { exitCode: 0 }, false],
    ['003.R2: 0 with warnings', { exitCode: 0, diagnostics: 2 }, false],
  ])('%s', (_what, facts, expected) => {
    expect(fails(facts)).toBe(expected);
  });
});
