import { describe, expect, it } from 'vitest';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { TestResult } from '../../../src/core/model/finding.ts';
import { findFlickering } from '../../../src/core/tasks/find-flickering.ts';
import { aLint, aRunOf, aTest } from './task-stories.ts';

const FILE = 'tests/test_a.py';
const result = (outcome: TestResult['outcome'], path: string | null = FILE): TestResult => ({
  ...{ id: `${FILE}::adds`, outcome, path },
});
const failing = aRunOf('pytest', [aTest(FILE, 'adds')]);
const again = (tests: EngineRun['tests'], change: Partial<EngineRun> = {}): EngineRun =>
  aRunOf('pytest', [], { tests, ...change });
const [fingerprint] = failing.findings.map((finding) => finding.fingerprint);

describe('a test that failed, and was run again alone', () => {
  it.each([
    ['it passes', again([result('passed')])],
    ['it passes, and the report does not say in which file', again([result('passed', null)])],
    ['one of its name fails in another file', again([result('passed'), result('failed', 'tests/test_b.py')])],
  ])('flickers if %s', (_when, run) => {
    expect(findFlickering(failing, run)).toEqual([fingerprint]);
  });

  it.each([
    ['it fails again', { ...failing, tests: [result('passed')] }],
    ['it did not run', again([])],
    ['nobody knows which tests ran', again(null)],
    ['it is skipped', again([result('skipped')])],
    ['one of its sets of parameters fails', again([result('passed'), result('failed')])],
    ['the repetition cannot be trusted', again([result('passed')], { complete: false, incompleteWhy: 'it crashed' })],
  ])('does not if %s', (_when, run) => {
    expect(findFlickering(failing, run)).toEqual([]);
  });

  it('is no other finding, and no test without a name', () => {
    const lint = aRunOf('eslint', [aLint(FILE)]);
    const nameless = aRunOf('pytest', [aTest(FILE, 'adds', { testId: null })]);

    expect(findFlickering(lint, again([result('passed')]))).toEqual([]);
    expect(findFlickering(nameless, again([result('passed')]))).toEqual([]);
  });
});
