import { describe, expect, it } from 'vitest';
import type { SuccessCriteria } from '../../../src/core/model/agent-contract.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { ParsedFinding, TestResult } from '../../../src/core/model/finding.ts';
import type { PlannedTask } from '../../../src/core/model/task.ts';
import { judgeValidation } from '../../../src/core/tasks/judge-validation.ts';
import { anEngineError } from '../../support/engine-stories.ts';
import { aGap } from '../findings/parsed-findings.ts';
import { aLint, aRunOf, aTest } from './task-stories.ts';

const FILE = 'tests/test_a.py';
const criteria: SuccessCriteria = { require_exit_code_0: false, max_new_findings: 0, min_coverage_delta: null };
const none = { files: [], testIds: [], modules: [] };

/** A task about findings of a run. */
function aTaskOf(before: EngineRun, change: Partial<PlannedTask> = {}, set: Partial<SuccessCriteria> = {}) {
  const paths = [...new Set(before.findings.flatMap(({ path }) => path ?? []))];
  return {
    taskType: 'fix',
    worker: 'agent',
    targets: { ...none, files: paths },
    findings: before.findings.map(({ fingerprint }) => fingerprint),
    validation: {
      commands: [],
      check: { engine: before.engine, project: '.', paths },
      successCriteria: { ...criteria, ...set },
    },
    ...change,
  } as const;
}
const test = (name: string, outcome: TestResult['outcome'], path = FILE): TestResult => ({
  id: `${path}::${name}`,
  outcome,
  path,
});
const lint = (...findings: readonly ParsedFinding[]) => aRunOf('eslint', findings);
const judgeLint = (
  before: EngineRun,
  after: EngineRun,
  change: Partial<PlannedTask> = {},
  set: Partial<SuccessCriteria> = {},
) => judgeValidation(aTaskOf(before, change, set), { exitCodes: [0], check: after }, before);
const met = { kind: 'met' };
const missed = (cause: string, detail: string) => ({ kind: 'missed', cause, detail });

describe('tests of one name in several files', () => {
  const adds = (path: string, outcome: TestResult['outcome']): TestResult => ({ id: 'test::adds', outcome, path });
  const before = aRunOf('own', [aTest('a.test.js', 'adds', { testId: 'test::adds' })], {
    kind: 'test',
    tests: [adds('a.test.js', 'failed'), adds('b.test.js', 'passed')],
  });
  const task = aTaskOf(before, { targets: { ...none, files: ['a.test.js'], testIds: ['test::adds'] } });
  const judge = (...tests: readonly TestResult[]) => {
    const check = aRunOf('own', [], { kind: 'test', tests });
    return judgeValidation(task, { exitCodes: [0], check }, before);
  };

  it('are told apart: the one of the task must have passed, whatever the others do (001.R39)', () => {
    expect(judge(adds('a.test.js', 'passed'), adds('b.test.js', 'passed'))).toEqual(met);
    expect(judge(adds('b.test.js', 'skipped'), adds('a.test.js', 'passed'))).toEqual(met);
    expect(judge(adds('a.test.js', 'skipped'), adds('b.test.js', 'passed'))).toEqual(
      missed('VALIDATION_FAILED', 'Not passed: "test::adds (skipped)".'),
    );
    expect(judge(adds('b.test.js', 'passed'))).toEqual(
      missed('VALIDATION_FAILED', 'Not passed: "test::adds (it did not run)".'),
    );
  });
});

describe('the findings of a validation', () => {
  it('must be gone (001.R39)', () => {
    const before = lint(aLint('a.js', 1), aLint('a.js', 2));

    expect(judgeLint(before, lint())).toEqual(met);
    expect(judgeLint(before, lint(aLint('a.js', 2)))).toEqual(
      missed('VALIDATION_FAILED', 'Still there: "a.js:2 no-var".'),
    );
  });

  it('must be gone although their line moved', () => {
    const before = lint(aLint('a.js', 1, { message: 'm' }));

    expect(judgeLint(before, lint(aLint('a.js', 40, { message: 'm' })))).toMatchObject({ cause: 'VALIDATION_FAILED' });
  });

  it('are not taken for others of the file that are alike and may stay', () => {
    const before = lint(aLint('a.js', 1, { message: 'm' }), aLint('a.js', 9, { message: 'm' }));
    const own = { findings: [before.findings[0]?.fingerprint ?? ''] };

    expect(judgeLint(before, lint(aLint('a.js', 8, { message: 'm' })), own)).toEqual(met);
    expect(judgeLint(before, before, own)).toMatchObject({ cause: 'VALIDATION_FAILED' });
  });

  it('may not be replaced by new ones; null asks nothing, and 0 allows none (001.R18)', () => {
    const before = lint(aLint('a.js', 1));
    const after = lint(aLint('a.js', 2), aLint('b.js', 3, { path: null, line: null, rule: null }));
    const text = 'New, and at most 0 may be: "line 3 is wrong", "a.js:2 no-var".';

    expect(judgeLint(before, after)).toEqual(missed('CRITERIA_NOT_MET', text));
    expect(judgeLint(before, after, {}, { max_new_findings: 1 })).toMatchObject({ cause: 'CRITERIA_NOT_MET' });
    expect(judgeLint(before, after, {}, { max_new_findings: 2 })).toEqual(met);
    expect(judgeLint(before, after, {}, { max_new_findings: null })).toEqual(met);
  });

  it('do not count where the tool itself calls them no problem', () => {
    expect(judgeLint(lint(aLint('a.js', 1)), lint(aLint('a.js', 2, { native: 'none' })))).toEqual(met);
  });

  it('may be left by a fixer, which must not make new ones (001.R53)', () => {
    const before = lint(aLint('a.js', 1), aLint('a.js', 2));

    expect(judgeLint(before, lint(aLint('a.js', 2)), { worker: 'fixer' })).toEqual(met);
    expect(judgeLint(before, lint(aLint('a.js', 3)), { worker: 'fixer' })).toMatchObject({ cause: 'CRITERIA_NOT_MET' });
  });

  it('are all new if nothing is known of before', () => {
    const before = lint(aLint('a.js', 1));
    const judged = judgeValidation(aTaskOf(before), { exitCodes: [0], check: before }, null);

    expect(judged).toMatchObject({ cause: 'CRITERIA_NOT_MET' });
  });

  it('show nothing if the engine gave no answer, or did not check everything', () => {
    const task = aTaskOf(lint(aLint('a.js')));
    const judge = (check: Parameters<typeof judgeValidation>[1]['check']) =>
      judgeValidation(task, { exitCodes: [], check }, null);

    expect(judge(null)).toEqual(missed('VALIDATION_FAILED', 'The validation shows nothing: the engine did not run.'));
    expect(judge(lint(aLint('a.js', 1, { line: null, rule: null })))).toMatchObject({
      detail: 'New, and at most 0 may be: "a.js line 1 is wrong".',
    });
    expect(judge(anEngineError({ message: 'no tool' }))).toEqual(
      missed('VALIDATION_FAILED', 'The validation shows nothing: no tool.'),
    );
    expect(judge(anEngineError({ kind: 'TIMEOUT' }))).toMatchObject({ cause: 'VALIDATION_TIMEOUT' });
    expect(judge({ ...lint(), complete: false, incompleteWhy: 'a file does not parse' })).toEqual(
      missed('VALIDATION_FAILED', 'The validation shows nothing: a file does not parse.'),
    );
    expect(judge({ ...lint(), complete: false })).toMatchObject({
      detail: 'The validation shows nothing: its answer cannot be trusted.',
    });
  });
});

describe('the exit codes of a validation', () => {
  const task = (check: PlannedTask['validation']['check']) => {
    const base = aTaskOf(lint(), {}, { require_exit_code_0: true });
    return { ...base, validation: { ...base.validation, check } };
  };
  const judge = (exitCodes: readonly (number | null)[]) =>
    judgeValidation(task(null), { exitCodes, check: null }, null);

  it('must all be 0 where nothing else judges (001.R42)', () => {
    expect(judge([0, 0])).toEqual(met);
    expect(judge([0, 3])).toEqual(missed('VALIDATION_FAILED', 'Command 2 of the validation ended with exit code 3.'));
    expect(judge([null])).toEqual(missed('VALIDATION_FAILED', 'Command 1 of the validation did not end by itself.'));
  });

  it('are no success if no command ran', () => {
    expect(judge([])).toEqual(missed('VALIDATION_FAILED', 'The validation shows nothing: no command ran.'));
  });

  it('count beside the findings of an engine only where the criteria ask for it', () => {
    const before = lint(aLint('a.js'));
    const wanted = aTaskOf(before, {}, { require_exit_code_0: true });

    expect(judgeValidation(wanted, { exitCodes: [1], check: lint() }, before)).toMatchObject({
      cause: 'VALIDATION_FAILED',
    });
    expect(judgeValidation(wanted, { exitCodes: [0], check: lint() }, before)).toEqual(met);
    expect(judgeValidation(aTaskOf(before), { exitCodes: [1], check: lint() }, before)).toEqual(met);
  });
});

describe('the tests of a validation', () => {
  const before = aRunOf('pytest', [aTest(FILE, 'x')], {
    tests: [test('x', 'failed'), test('y', 'passed'), test('s', 'skipped'), test('z', 'passed', 'tests/test_b.py')],
  });
  const targets = { ...none, files: [FILE], testIds: [`${FILE}::x`] };
  const judge = (tests: readonly TestResult[] | null, change: Partial<PlannedTask> = {}) =>
    judgeLint(before, aRunOf('pytest', [], { tests }), { targets, ...change });

  it('must have run and passed (001.R23)', () => {
    expect(judge([test('x', 'passed'), test('y', 'passed')])).toEqual(met);
  });

  it.each([
    ['vanished', [test('y', 'passed'), test('new', 'passed')], 'it did not run'],
    ['is skipped', [test('x', 'skipped'), test('y', 'passed'), test('new', 'passed')], 'skipped'],
    ['ended in an error', [test('x', 'error'), test('y', 'passed')], 'error'],
  ] as const)('are not repaired by one that %s', (_, tests, how) => {
    expect(judge(tests)).toEqual(missed('VALIDATION_FAILED', `Not passed: "${FILE}::x (${how})".`));
  });

  it('must be no fewer than before in the files of the task', () => {
    const text = 'Only 1 test ran, of 2 that ran before.';

    expect(judge([test('x', 'passed'), test('y', 'skipped')])).toEqual(missed('CRITERIA_NOT_MET', text));
    expect(judge([test('x', 'passed'), test('z', 'passed', 'tests/test_b.py')])).toEqual(
      missed('CRITERIA_NOT_MET', text),
    );
    expect(judge([test('x', 'passed')], { targets: { ...none, testIds: targets.testIds } })).toEqual(
      missed('CRITERIA_NOT_MET', 'Only 1 test ran, of 3 that ran before.'),
    );
  });

  it('must run at all: a file that loads and has no tests is not repaired', () => {
    const check = aRunOf('pytest', [], { tests: [] });
    const task = aTaskOf(before, { targets: { ...none, files: [FILE] } });

    expect(judgeValidation(task, { exitCodes: [0], check }, null)).toEqual(
      missed('NO_TESTS_RAN', 'The validation succeeded, but no test ran.'),
    );
  });

  it('must be told by the engine where the task names some', () => {
    expect(judge(null)).toMatchObject({
      detail: 'The validation shows nothing: the engine does not tell which tests ran.',
    });
  });

  it('are skipped by a quarantine, exactly the named ones (S29)', () => {
    const quarantine = { taskType: 'quarantine' } as const;

    expect(judge([test('x', 'skipped'), test('y', 'passed')], quarantine)).toEqual(met);
    expect(judge([test('x', 'passed'), test('y', 'passed')], quarantine)).toMatchObject({ cause: 'VALIDATION_FAILED' });
    expect(judge([test('y', 'passed')], quarantine)).toMatchObject({ cause: 'VALIDATION_FAILED' });
    expect(judge([test('x', 'skipped'), test('y', 'skipped')], quarantine)).toMatchObject({
      cause: 'CRITERIA_NOT_MET',
    });
  });

  it('may all be skipped by a quarantine of the only test of a file', () => {
    const only = aRunOf('pytest', [aTest(FILE, 'x')], { tests: [test('x', 'failed')] });
    const check = aRunOf('pytest', [], { tests: [test('x', 'skipped')] });
    const task = aTaskOf(only, { targets, taskType: 'quarantine' });

    expect(judgeValidation(task, { exitCodes: [0], check }, only)).toEqual(met);
  });
});

describe('the coverage of a validation', () => {
  const measured = (
    covered: number | null,
    total = 200,
    findings: readonly ParsedFinding[] = [aGap({ path: 'src/a.py' })],
  ) =>
    aRunOf('coverage', findings, {
      coverage: { files: covered === null ? [] : [{ path: 'src/a.py', covered, total, missingLines: [] }] },
    });
  const delta = { max_new_findings: null, min_coverage_delta: 5 };
  const change = { taskType: 'add_test', targets: { ...none, files: ['src/a.py'], modules: ['src/a.py'] } } as const;
  const judge = (before: EngineRun, after: EngineRun) => judgeLint(before, after, change, delta);

  it('must grow by the delta, although the gap stays a gap (001.R28)', () => {
    expect(judge(measured(100), measured(110))).toEqual(met);
    expect(judge(measured(100), measured(109))).toEqual(
      missed('CRITERIA_NOT_MET', 'Covered too little: "src/a.py (54.5 %, and 55.0 % were needed)".'),
    );
  });

  it('need not grow above 100 %', () => {
    expect(judge(measured(196), measured(200))).toEqual(met);
    expect(judge(measured(196), measured(199))).toMatchObject({ cause: 'CRITERIA_NOT_MET' });
  });

  it('is measured in shares, so that code that vanishes does not count', () => {
    expect(judge(measured(1, 3), measured(1, 2))).toEqual(met);
    expect(judge(measured(0, 0), measured(0, 0))).toEqual(met);
  });

  it('counts a file that was not measured before as 0 %', () => {
    expect(judge(measured(null), measured(10))).toEqual(met);
    expect(judge({ ...measured(1), coverage: null }, measured(9))).toMatchObject({ cause: 'CRITERIA_NOT_MET' });
  });

  it('must be measured: a file that is left out of the report is not covered', () => {
    expect(judge(measured(100), measured(null))).toMatchObject({
      detail: 'Covered too little: "src/a.py (not measured any more, and 55.0 % were needed)".',
    });
    expect(judge(measured(100), { ...measured(200), coverage: null })).toMatchObject({
      detail: 'The validation shows nothing: the engine does not tell what is covered.',
    });
  });

  it('must reach the threshold of the project where that was the finding', () => {
    const below = aGap({ kind: 'coverage_threshold', path: null, severity: 'high' });

    expect(judge(measured(100, 200, [below]), measured(150, 200, [below]))).toMatchObject({
      cause: 'VALIDATION_FAILED',
    });
    expect(judge(measured(100, 200, [below]), measured(150, 200, []))).toEqual(met);
  });
});
