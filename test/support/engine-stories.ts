import type { EngineError, EngineRun } from '../../src/core/model/engine.ts';
import type { EngineComparison, EnginesReport } from '../../src/core/model/engine-report.ts';
import type { Finding } from '../../src/core/model/finding.ts';
import type { CheckStory } from '../../src/core/render/check-story.ts';

/** A finding of eslint in `src/a.ts`; its fingerprint follows from place and message. */
export function aFinding(change: Partial<Finding> = {}): Finding {
  const base = {
    tool: 'eslint',
    project: '.',
    kind: 'lint',
    rule: 'no-var',
    severity: 'high',
    native: 'error',
    message: 'Unexpected var.',
    path: 'src/a.ts',
    line: 3,
    column: 1,
    endLine: null,
    testId: null,
    identity: null,
    ...change,
  } as const;
  const fingerprint = [base.tool, base.rule, base.path, base.line, base.column, base.message].join('|');
  return { fingerprint, likeness: [base.tool, base.rule, base.message].join('|'), ...base };
}

/** A complete TARGET run of eslint. */
export function aRun(change: Partial<EngineRun> = {}): EngineRun {
  return {
    engine: 'eslint',
    project: '.',
    kind: 'lint',
    mode: 'target',
    planHash: 'p',
    signature: 's',
    version: '10.15.0',
    argv: ['node', 'eslint', '.'],
    cwd: '.',
    exit: { kind: 'exited', exitCode: 0, signal: null, durationMs: 1234 },
    returnCode: 0,
    category: 'success',
    classifierVersion: 1,
    complete: true,
    incompleteWhy: null,
    findings: [],
    tests: null,
    coverage: null,
    cached: false,
    ...change,
  };
}

/** mypy could not be started. */
export function anEngineError(change: Partial<EngineError> = {}): EngineError {
  return {
    engine: 'mypy',
    project: '.',
    mode: 'target',
    kind: 'TOOL_NOT_FOUND',
    message: 'there is no module mypy',
    exitCode: 1,
    signal: null,
    argv: ['/usr/bin/python3', '-m', 'mypy', '.'],
    cwd: '.',
    stderr: '/usr/bin/python3: No module named mypy\n',
    ...change,
  };
}

/** One report of both modes, in which nothing ran. */
export function aReport(change: Partial<EnginesReport> = {}): EnginesReport {
  const lists = { plans: [], dedup: [], runs: [], engineErrors: [], configErrors: [], skipped: [], projects: [] };
  const question = { requestedEngines: [], requestedPaths: [], uncoveredPaths: [], submodules: [], lookedFor: [] };
  return { root: '/repo', request: 'both', ...question, ...lists, ...change };
}

/** A comparison with a base in which these engines ran; the change was read whole and touches no configuration. */
export function aBaseComparison(
  engines: readonly EngineComparison[],
  change: Partial<CheckStory['comparison']> = {},
): NonNullable<CheckStory['comparison']> {
  const lists = { suppressions: [], unlooked: [], changedConfigs: [], notes: [] };
  return { base: 'abc', engines, ...lists, isPatchWhole: true, ...change };
}

/** What `ratchet check` tells without a base. */
export function aCheckStory(change: Partial<EnginesReport> = {}): CheckStory {
  return { report: aReport(change), comparison: null };
}
