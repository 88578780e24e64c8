import { describe, expect, it } from 'vitest';
import { isWhole, summarizeRuns, toExitCode } from '../../../src/core/engines/summarize-runs.ts';
import { aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';

const ONE = aFinding({ line: 1 });
const TWO = aFinding({ line: 2 });
const FOUND = aRun({ category: 'diagnostic', returnCode: 1, findings: [ONE] });

describe('summarizeRuns', () => {
  it.each([
    ['nothing ran', [], [], { diagnostics: 0, hasDiagnostics: false, hasFailures: false }],
    ['all is clean', [aRun()], [], { diagnostics: 0, hasDiagnostics: false, hasFailures: false }],
    ['003.R3: findings are no failure', [FOUND], [], { diagnostics: 1, hasDiagnostics: true, hasFailures: false }],
    [
      '003.R26: findings of a success count',
      [aRun({ findings: [ONE, TWO] })],
      [],
      { diagnostics: 2, hasDiagnostics: true, hasFailures: false },
    ],
    [
      '003.R13 and R26: a tool failure with findings is both',
      [aRun({ category: 'tool_failure', returnCode: 2, findings: [ONE] })],
      [],
      { diagnostics: 1, hasDiagnostics: true, hasFailures: true },
    ],
    [
      '003.R25: a code without findings is a failure',
      [aRun(), aRun({ category: 'unknown', returnCode: 1 })],
      [],
      { diagnostics: 0, hasDiagnostics: false, hasFailures: true },
    ],
    [
      '003.R25 and C10: a code of diagnostic without findings is one, beside findings of others',
      [aRun({ category: 'diagnostic', returnCode: 1 }), FOUND],
      [],
      { diagnostics: 1, hasDiagnostics: true, hasFailures: true },
    ],
    [
      '000.R35: engine failures are no diagnostics',
      [],
      [anEngineError(), anEngineError({ mode: 'current' })],
      { diagnostics: 0, hasDiagnostics: false, hasFailures: true },
    ],
    [
      '000.R35: an engine failure changes no total of the others',
      [FOUND],
      [anEngineError()],
      { diagnostics: 1, hasDiagnostics: true, hasFailures: true },
    ],
    [
      '000.R16: what CURRENT and TARGET both found counts once',
      [aRun({ mode: 'current', findings: [ONE, aFinding({ line: 3 })] }), aRun({ findings: [ONE, TWO] })],
      [],
      { diagnostics: 3, hasDiagnostics: true, hasFailures: false },
    ],
    [
      'CURRENT alone counts',
      [aRun({ mode: 'current', findings: [ONE, TWO] })],
      [],
      { diagnostics: 2, hasDiagnostics: true, hasFailures: false },
    ],
    [
      'the same place by two tools counts twice',
      [FOUND, aRun({ engine: 'oxlint', project: '.', findings: [aFinding({ tool: 'oxlint', line: 1 })] })],
      [],
      { diagnostics: 2, hasDiagnostics: true, hasFailures: false },
    ],
  ])('%s', (_what, runs, errors, expected) => {
    expect(summarizeRuns(runs, errors)).toEqual(expected);
  });
});

describe('isWhole', () => {
  it.each([
    ['nothing was to run', {}, true],
    ['all runs are complete', { runs: [FOUND, aRun({ mode: 'current' })] }, true],
    ['one of them is not', { runs: [aRun(), aRun({ engine: 'tsc', project: '.', complete: false })] }, false],
    ['an engine failed', { runs: [aRun()], engineErrors: [anEngineError()] }, false],
    [
      'an engine lacks dependencies',
      { skipped: [{ engine: 'tsc', project: '.', why: 'dependencies_missing' }] },
      false,
    ],
    [
      'an engine has nothing to look at',
      { skipped: [{ engine: 'tsc', project: '.', why: 'no_applicable_files' }] },
      true,
    ],
    ['an engine is switched off', { skipped: [{ engine: 'tsc', project: '.', why: 'disabled' }] }, true],
  ] as const)('where %s', (_what, report, expected) => {
    expect(isWhole(aReport(report))).toBe(expected);
  });
});

describe('toExitCode', () => {
  it.each([
    ['0 where all is clean', { hasDiagnostics: false, isWhole: true }, 0],
    ['003.R15 and R27: 1 where something was found', { hasDiagnostics: true, isWhole: true }, 1],
    ['1 where something was found beside a failure', { hasDiagnostics: true, isWhole: false }, 1],
    ['3 where an engine failed and nothing was found', { hasDiagnostics: false, isWhole: false }, 3],
  ] as const)('is %s', (_what, facts, exitCode) => {
    expect(toExitCode(facts)).toBe(exitCode);
  });
});
