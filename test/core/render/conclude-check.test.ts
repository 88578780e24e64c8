import { describe, expect, it } from 'vitest';
import type { EngineErrorKind } from '../../../src/core/model/engine.ts';
import type { EngineComparison, EnginesReport } from '../../../src/core/model/engine-report.ts';
import { type Finding, SEVERITIES } from '../../../src/core/model/finding.ts';
import { concludeCheck } from '../../../src/core/render/conclude-check.ts';
import { aBaseComparison, aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { aPlan } from '../../support/quality-stories.ts';

const OLD = aFinding({ line: 1 });
const NEW = aFinding({ line: 2 });
const FOUND = aRun({ category: 'diagnostic', returnCode: 1, findings: [OLD, NEW] });

const HARMLESS = aFinding({ native: 'none', severity: 'low' });
const NO_FILES = { engine: 'eslint', project: '.', why: 'no_applicable_files' } as const;
const UNCOVERED = { requestedPaths: ['README.md'], uncoveredPaths: ['README.md'] };
const plans = [aPlan('eslint')];

function compared(lists: {
  readonly added?: readonly Finding[];
  readonly uncompared?: readonly Finding[];
}): EngineComparison {
  const none = { added: [], fixed: [], existing: [], uncompared: [], removedTests: [], skippedTests: [] };
  return { kind: 'compared', engine: 'eslint', project: '.', ...none, ...lists };
}

function notComparable(findings: readonly Finding[], existing: readonly Finding[]): EngineComparison {
  return { kind: 'not_comparable', engine: 'eslint', project: '.', why: 'another version', findings, existing };
}

describe('concludeCheck', () => {
  it.each<readonly [string, Partial<EnginesReport>, number]>([
    ['0 where nothing was found', { runs: [aRun()] }, 0],
    ['3 where no engine was found', {}, 3],
    [
      '3 where no engine has a file',
      { plans, skipped: [{ engine: 'eslint', project: '.', why: 'no_applicable_files' }] },
      3,
    ],
    [
      '3 where every engine is switched off',
      { plans, skipped: [{ engine: 'eslint', project: '.', why: 'disabled' }] },
      3,
    ],
    [
      '3 where one that was asked for has no file, though another ran',
      {
        runs: [aRun()],
        requestedEngines: ['tsc'],
        skipped: [{ engine: 'tsc', project: '.', why: 'no_applicable_files' }],
      },
      3,
    ],
    [
      '0 where one that was asked for has no file in one of its projects',
      { runs: [aRun()], requestedEngines: ['eslint'], skipped: [{ ...NO_FILES, project: 'docs' }] },
      0,
    ],
    ['0 where one that nobody asked for has no file', { runs: [aRun()], skipped: [{ ...NO_FILES, engine: 'tsc' }] }, 0],
    ['0 where no engine checks the paths', { plans, skipped: [NO_FILES], ...UNCOVERED }, 0],
    ['3 where there is neither an engine nor one for the paths', UNCOVERED, 3],
    [
      '3 where a submodule was asked for, which no engine gets by name (E5)',
      { plans, runs: [aRun()], submodules: [{ path: 'sub', isHere: true }], uncoveredPaths: ['sub/a.c'] },
      3,
    ],
    ['0 where a submodule is not here', { runs: [aRun()], submodules: [{ path: 'sub', isHere: false }] }, 0],
    ['1 where no engine checks the paths and something was found elsewhere', { plans, runs: [FOUND], ...UNCOVERED }, 1],
    ['1 where something was found', { runs: [FOUND], engineErrors: [anEngineError()] }, 1],
    ['0 where the tool itself says that it is no problem', { runs: [aRun({ findings: [HARMLESS] })] }, 0],
    ['1 where only one of two is none', { runs: [aRun({ findings: [HARMLESS, NEW] })] }, 1],
    ['3 where an engine failed and nothing was found', { runs: [aRun()], engineErrors: [anEngineError()] }, 3],
    ['3 where an engine did not look at everything', { runs: [aRun({ complete: false })] }, 3],
    [
      '3 where dependencies are missing',
      { skipped: [{ engine: 'tsc', project: '.', why: 'dependencies_missing' }] },
      3,
    ],
    ['2 for a wrong setting', { configErrors: [{ engine: 'x', code: 'UNKNOWN_ENGINE', message: '' }] }, 2],
    ['2 for an empty scope (C5)', { configErrors: [{ engine: 'x', code: 'EMPTY_SCOPE', message: '' }] }, 2],
  ])('is %s', (_what, report, expected) => {
    expect(concludeCheck({ report: aReport(report), comparison: null })).toBe(expected);
  });

  it('is 3 where the change moves a submodule that is not here (E5)', () => {
    const report = aReport({ runs: [aRun()] });

    expect(concludeCheck({ report, comparison: aBaseComparison([compared({})]) })).toBe(0);
    expect(concludeCheck({ report, comparison: aBaseComparison([compared({})], { unlooked: ['sub'] }) })).toBe(3);
  });

  it.each<EngineErrorKind>([
    ...(['TOOL_NOT_FOUND', 'CRASHED', 'TIMEOUT', 'OUTPUT_LIMIT', 'ABORTED'] as const),
    ...(['NO_OUTPUT', 'JSON_PARSE_FAILED', 'TOOL_FAILURE_EXIT', 'EXIT_WITHOUT_FINDINGS'] as const),
  ])('is 3 for a failure of kind %s, and 1 beside findings (000.R40)', (kind) => {
    const engineErrors = [anEngineError({ kind })];
    const conclude = (runs: EnginesReport['runs']): number =>
      concludeCheck({ report: aReport({ runs, engineErrors }), comparison: null });

    expect([conclude([aRun()]), conclude([FOUND])]).toEqual([3, 1]);
  });

  it.each(SEVERITIES)(
    'is 1 where something of severity %s was found, though every tool ran well (003.R27)',
    (severity) => {
      const runs = [aRun({ findings: [aFinding({ severity })] })];

      expect(concludeCheck({ report: aReport({ runs }), comparison: null })).toBe(1);
    },
  );

  it.each<readonly [string, EngineComparison, number]>([
    ['0 where nothing is new', compared({}), 0],
    ['1 where something is new', compared({ added: [NEW] }), 1],
    ['0 where something new is no problem', compared({ added: [HARMLESS] }), 0],
    ['1 where something could not be compared', compared({ uncompared: [NEW] }), 1],
    ['1 where nobody knows what is new', notComparable([OLD, NEW], [OLD]), 1],
    ['0 where all that was found is in the base, too, as far as that ran', notComparable([OLD, NEW], [OLD, NEW]), 0],
  ])('with a base is %s', (_what, engine, expected) => {
    const comparison = aBaseComparison([engine]);

    expect(concludeCheck({ report: aReport({ runs: [FOUND] }), comparison })).toBe(expected);
  });

  it('with a base is 1 for a new place where a check is switched off', () => {
    const comparison = aBaseComparison([compared({})], { suppressions: [aFinding({ kind: 'suppression' })] });

    expect(concludeCheck({ report: aReport({ runs: [aRun()] }), comparison })).toBe(1);
  });

  it('with a base is 3 where nothing is new, but not everything was looked at', () => {
    const runs = [aRun({ findings: [OLD], complete: false })];

    expect(concludeCheck({ report: aReport({ runs }), comparison: aBaseComparison([compared({})]) })).toBe(3);
  });

  it.each([
    ['3 where nothing is new', compared({}), 3],
    ['1 where something is', compared({ added: [NEW] }), 1],
  ])('with a base is %s in a change that was not read whole', (_what, engine, expected) => {
    const comparison = aBaseComparison([engine], { isPatchWhole: false });

    expect(concludeCheck({ report: aReport({ runs: [FOUND] }), comparison })).toBe(expected);
  });
});
