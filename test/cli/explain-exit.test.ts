import { describe, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';

/** The input of the contract, with nothing left out. */
const INPUT = {
  ...{ tool: 'eslint', exitCode: 1, diagnostics: 2, isFix: false, ignoreExit: [] },
  exitCodes: { success: [], diagnostic: [], toolFailure: [] },
};

describe('explain exit', () => {
  it('answers with category, adjusted code and whether it is a failure, in this order', () => {
    expect(explain('exit', JSON.stringify(INPUT))).toEqual({
      exitCode: 0,
      stdout: '{"category":"diagnostic","returnCode":1,"indicatesFailure":false}\n',
      stderr: '',
    });
  });

  it.each([
    ['needs no more than code and count', { exitCode: 0 }, ['success', 0, false]],
    ['003.R5 and R10: an unknown code', { exitCode: 9 }, ['unknown', 9, true]],
    ['003.R16: a fixer', { exitCode: 1, isFix: true }, ['success', 0, false]],
    ['003.R9: an ignored code', { exitCode: 4, ignoreExit: [4] }, ['success', 0, false]],
    ['003.R8: a tool with a convention', { tool: 'tombi', exitCode: 2 }, ['success', 0, false]],
    ['C11: pylint without messages', { tool: 'pylint', exitCode: 32 }, ['tool_failure', 32, true]],
    [
      '003.R21: a tool failure with findings',
      { exitCode: 2, diagnostics: 5, exitCodes: { toolFailure: [2] } },
      ['tool_failure', 2, true],
    ],
    ['003.R19: a success', { exitCode: 2, exitCodes: { success: [0, 2] } }, ['success', 0, false]],
    ['C10: a diagnostic without findings', { exitCode: 3, exitCodes: { diagnostic: [3] } }, ['diagnostic', 3, true]],
    ['003.R10: a code that tells of a signal, as Python has it', { exitCode: -9 }, ['unknown', -9, true]],
    ['C9: 0 as a tool failure', { exitCode: 0, exitCodes: { toolFailure: [0] } }, ['tool_failure', 0, true]],
  ] as const)('%s', (_what, input, [category, returnCode, indicatesFailure]) => {
    const { exitCode, stdout } = explain('exit', JSON.stringify({ diagnostics: 0, ...input }));

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ category, returnCode, indicatesFailure });
  });

  it.each([
    ['no exit code', { exitCode: undefined }, 'exitCode: expected a whole number'],
    ['no count', { diagnostics: undefined }, 'diagnostics: expected a whole number, 0 or more'],
    ['no number as exit code', { exitCode: null }, 'exitCode: expected a whole number'],
    ['a fraction', { exitCode: 1.5 }, 'exitCode: expected a whole number'],
    ['a negative count', { diagnostics: -1 }, 'diagnostics: expected a whole number, 0 or more'],
    ['half a finding', { diagnostics: 0.5 }, 'diagnostics: expected a whole number, 0 or more'],
    ['a negative ignored code', { ignoreExit: [1, -1] }, 'ignoreExit.1: expected a whole number, 0 or more'],
    [
      'a fraction in a list',
      { exitCodes: { success: [0.5] } },
      'exitCodes.success.0: expected a whole number, 0 or more',
    ],
    ['an unknown key', { exit: 1 }, 'the input: Unrecognized key: "exit"'],
    ['an unknown list', { exitCodes: { failure: [1] } }, 'exitCodes: Unrecognized key: "failure"'],
    ['text instead of a truth', { isFix: 'yes' }, 'isFix: Invalid input: expected boolean, received string'],
    [
      'C9: a code in two lists',
      { exitCodes: { success: [1], toolFailure: [2, 1] } },
      'exitCodes: exit code 1 stands in toolFailure and in success',
    ],
  ])('refuses %s and says where', (_what, change, problem) => {
    expect(explain('exit', JSON.stringify({ ...INPUT, ...change }))).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ratchet: explain exit: ${problem}\n`,
    });
  });

  it('refuses what is no JSON', () => {
    expect(explain('exit', 'exitCode=1')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
