import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/core/model/errors.ts';
import {
  findLostTests,
  findOldTestsFail,
  findOnlyTests,
  findReproduction,
  judgeRuns,
  toTestCounts,
  toTestsAlone,
} from '../../../src/core/proof/judge-runs.ts';
import { joinStates, type Observation, toNotRun, toProofRun, toRunState } from '../../../src/core/proof/observation.ts';
import type { NamedFailure } from '../../../src/core/proof/proof-evidence.ts';
import { toTriedNote, toVerdictText } from '../../../src/core/proof/proof-notes.ts';
import { toProofEnd } from '../../../src/core/proof/proof-time.ts';
import { toProofParts } from '../../../src/core/proof/proof-trees.ts';
import { aChange, aValidationRun } from '../../support/builders.ts';

const NAMED: NamedFailure = {
  tool: 'vitest',
  path: 'test/a.test.ts',
  rule: null,
  testId: 'adds',
  message: '1 is not 2',
};
const OTHER: NamedFailure = { ...NAMED, testId: 'subtracts' };

function seen(state: Observation['state'], failures: readonly NamedFailure[] = [], change = {}): Observation {
  const exitCode = { green: 0, red: 1, unknown: null }[state];
  return { run: aValidationRun({ exitCode, ...change }), state, failures };
}

const [RED, GREEN, UNKNOWN] = [seen('red'), seen('green'), seen('unknown')];

describe('the state of a run', () => {
  const end = { kind: 'exited', exitCode: 0, processesLeft: 0, stdoutTail: '', stderrTail: '' } as const;

  it.each([
    ['exits with 0', {}, 'green'],
    ['exits with another code', { exitCode: 1 }, 'red'],
    ['does not end in time', { kind: 'timed_out', exitCode: null }, 'unknown'],
    ['leaves processes', { processesLeft: 1 }, 'unknown'],
    ['cannot be started', { exitCode: 127 }, 'unknown'],
    ['cannot be executed', { exitCode: 126 }, 'unknown'],
    ['runs no tests', { stdoutTail: 'No test files found, exiting with code 1', exitCode: 1 }, 'unknown'],
    ['runs no tests and is content', { stderrTail: 'no tests ran in 0.01s' }, 'unknown'],
  ] as const)('of a command that %s', (_how, change, state) => {
    expect(toRunState({ ...end, ...change }, [])).toBe(state);
  });

  it('is red for a file that cannot be loaded, although none of its tests ran', () => {
    const ending = { ...end, exitCode: 2, stdoutTail: 'collected 0 items / 1 error' };

    expect(toRunState(ending, [NAMED])).toBe('red');
  });

  it('is not known of a command for which there was no time', () => {
    expect(toNotRun('npm test')).toMatchObject({ state: 'unknown', run: { command: 'npm test', timedOut: true } });
  });

  it('of several commands is red if one is red, and green if all are', () => {
    expect(joinStates([GREEN, UNKNOWN, RED])).toBe(RED);
    expect(joinStates([GREEN, UNKNOWN])).toBe(UNKNOWN);
    expect(joinStates([GREEN, GREEN])).toBe(GREEN);
    expect(() => joinStates([])).toThrow(InvariantError);
  });

  it('is shown with the last of its output', () => {
    expect(toProofRun(seen('red', [], { tail: 'x'.repeat(5000) })).excerpt.length).toBeLessThanOrEqual(1100);
  });
});

describe('what is reproduced', () => {
  const evidence = { failures: [NAMED], commands: [] };

  it('is the first red run that shows what the evidence names', () => {
    const right = seen('red', [OTHER, NAMED]);

    expect(findReproduction(evidence, [GREEN, UNKNOWN, seen('red', [OTHER]), right])).toEqual({
      ...{ observation: right, shown: [NAMED] },
    });
  });

  it.each([
    ['the evidence names nothing', { failures: [], commands: [] }, seen('red', [OTHER])],
    ['the run shows nothing', evidence, RED],
  ])('is any red run where %s', (_why, given, run) => {
    expect(findReproduction(given, [run])).toEqual({ observation: run, shown: [] });
  });

  it('is not what is red for another reason', () => {
    expect(findReproduction(evidence, [seen('red', [OTHER]), GREEN])).toBeNull();
  });
});

describe('the verdict of the runs', () => {
  it.each([
    ['red, green, red', [RED, RED, GREEN, RED], 'proven'],
    ['red and not repeated, green, red', [RED, null, GREEN, RED], 'proven'],
    ['green at the old head', [GREEN, null, GREEN, null], 'not_reproduced'],
    ['red, and green when repeated', [RED, GREEN, GREEN, null], 'flickers'],
    ['a result without an answer', [RED, RED, UNKNOWN, null], 'unknown'],
    ['a third run without an answer', [RED, RED, GREEN, UNKNOWN], 'unknown'],
    ['no third run', [RED, RED, GREEN, null], 'unknown'],
  ] as const)('%s', (_what, [oldHead, again, result, withoutSource], verdict) => {
    expect(judgeRuns({ oldHead, again, result, withoutSource }, true)).toBe(verdict);
  });

  it('needs no third run where the change has no test files', () => {
    expect(judgeRuns({ oldHead: RED, again: RED, result: GREEN, withoutSource: null }, false)).toBe('proven');
  });

  it('says that tests pass, and never that a change is right', () => {
    const texts = (['proven', 'not_reproduced', 'flickers', 'unknown'] as const).flatMap((verdict) =>
      [true, false].map((hasTests) => toVerdictText(verdict, hasTests)),
    );

    expect(texts[0]).toContain('These tests pass');
    expect(texts[0]).toContain('red again with only the test files of the change');
    expect(texts[1]).toContain('has no test files');
    expect(texts.slice(2).every((text) => text.includes('not proven'))).toBe(true);
    expect(texts.join(' ')).not.toMatch(/\bcorrect\b|\bfixed\b/u);
  });
});

describe('a change of tests', () => {
  const source = aChange({ path: 'src/a.ts' });
  const test = aChange({ path: 'test/a.test.ts' });
  const added = aChange({ path: 'test/b.test.ts', kind: 'added' });
  const snapshot = aChange({ path: 'src/__snapshots__/a.ts.snap' });

  it('is told apart from the rest, snapshots with it', () => {
    expect(toProofParts([source, test, added, snapshot])).toEqual({
      tests: ['test/a.test.ts', 'test/b.test.ts', 'src/__snapshots__/a.ts.snap'],
      oldTests: ['test/a.test.ts', 'src/__snapshots__/a.ts.snap'],
      hasSource: true,
    });
  });

  it('alone is for a person: no test can prove it', () => {
    expect(findOnlyTests(toProofParts([test]))).toMatchObject([{ code: 'ONLY_TESTS' }]);
    expect(findOnlyTests(toProofParts([source, test]))).toEqual([]);
  });

  it('that made it green by itself is for a person', () => {
    expect(toTestsAlone(GREEN)).toMatchObject({ code: 'TESTS_ALONE' });
  });

  it('is for a person where the tests as they were are red over the result', () => {
    const [fact, ...others] = findOldTestsFail(
      [GREEN, UNKNOWN, seen('red', [{ ...NAMED, path: '/workspace/test/a.test.ts' }])],
      ['test/a.test.ts'],
    );

    expect(others).toEqual([]);
    expect(fact).toMatchObject({ code: 'OLD_TESTS_FAIL', path: 'test/a.test.ts' });
    expect(fact?.message).toBe(
      'With the tests as they were, `npm test` ends with exit code 1: `adds`. The change passes only its own tests.',
    );
  });

  it('is told without names where the output has none', () => {
    const failures = [{ ...NAMED, testId: null, path: null }];

    expect(findOldTestsFail([seen('red', failures)], ['test/a.test.ts'])).toMatchObject([
      {
        path: null,
        message: 'With the tests as they were, `npm test` ends with exit code 1. The change passes only its own tests.',
      },
    ]);
  });
});

describe('the number of tests that ran', () => {
  const counts = (before: number | undefined, after: number | undefined, command = 'npm test') =>
    toTestCounts(
      [seen('red', [], before === undefined ? {} : { tests: before })],
      [aValidationRun({ command, ...(after === undefined ? {} : { tests: after }) })],
    );

  it('that falls is for a person, with the numbers', () => {
    expect(findLostTests(counts(12, 11))).toMatchObject([
      { code: 'TESTS_NOT_RUN', message: '`npm test` ran 12 tests before the change and 11 with it.' },
    ]);
  });

  it('that is not said any more is for a person: a process that ends before its runner sums up is green, too', () => {
    expect(findLostTests(counts(12, undefined))).toMatchObject([
      {
        code: 'TESTS_NOT_RUN',
        message: '`npm test` ran 12 tests before the change. With it, the output does not say how many.',
      },
    ]);
  });

  it.each([
    ['stays', 12, 12],
    ['grows', 12, 13],
    ['is not known before', undefined, 3],
    ['is never known', undefined, undefined],
    ['was none before', 0, undefined],
  ])('is no news where it %s', (_how, before, after) => {
    expect(findLostTests(counts(before, after))).toEqual([]);
  });

  it('is compared by command', () => {
    expect(counts(12, 1, 'make test')).toEqual([{ command: 'make test', before: null, after: 1 }]);
  });
});

describe('what was tried at the old head', () => {
  it.each([
    [GREEN, '`npm test` at the old head: exit code 0.'],
    [RED, '`npm test` at the old head: exit code 1, but for another reason.'],
    [UNKNOWN, '`npm test` at the old head: ended by a signal, and nothing ran.'],
    [toNotRun('npm test'), '`npm test` at the old head: did not end in time.'],
  ])('is told', (observation, text) => {
    expect(toTriedNote(observation)).toBe(text);
  });
});

describe('the time of a proof', () => {
  it('is that of a validation, and ends a minute before the session', () => {
    expect(toProofEnd(1_000, 100 * 60_000, 10)).toBe(1_000 + 10 * 60_000);
    expect(toProofEnd(1_000, 5 * 60_000, 10)).toBe(4 * 60_000);
  });
});
