import { posix } from 'node:path';
import type { ArgsInput, EngineSpec, Parser } from '../../core/model/engine.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { parseTestReport, type ReportDialect } from './parse-test-report.ts';

/** Where its tests are told, and how errors outside of them are told apart. */
export const VITEST_REPORT = 'vitest.json';
export const VITEST_DIALECT: ReportDialect = {
  pending: 'error',
  unhandled: /^Vitest caught \d+ unhandled errors?/mu,
};

/** Tests of Vitest. */
export const parseVitest: Parser = (input) => parseTestReport(input, VITEST_DIALECT);

/** Arguments of every run of Vitest: all tests, told to the report, with nothing written into the workspace. */
export function toVitestArguments({ plan, artifacts, root }: Omit<ArgsInput, 'version' | 'files'>): readonly string[] {
  return [
    ...['run', '--bail=0', '--cache=false'],
    // `dot` beside it: what was thrown outside of the tests stands in no report.
    ...['--reporter=json', '--reporter=dot', `--outputFile.json=${posix.join(artifacts, VITEST_REPORT)}`],
    ...toConfigArguments('--config', { plan, root }),
  ];
}

/** Vitest. It ends with 1 for everything that is not well, so its report tells why, and stderr what is in no report. */
export const vitest: EngineSpec = {
  id: 'vitest',
  kind: 'test',
  globs: ['**/*.{test,spec}.{js,mjs,cjs,jsx,ts,mts,cts,tsx}', '**/__tests__/**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'],
  targetMode: 'project',
  launchers: [{ kind: 'node', script: 'vitest/vitest.mjs' }],
  toSteps: (input) => [
    [...toVitestArguments(input), '--includeTaskLocation', '--coverage.enabled=false', ...input.plan.args],
  ],
  output: { from: 'file', reports: [VITEST_REPORT], emptyMeansClean: false },
  parse: parseVitest,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: ['**/{vitest,vite}.config.{js,mjs,cjs,ts,mts,cts}', '**/vitest.workspace.{js,mjs,cjs,ts,mts,cts,json}'],
  detection: { nodePackage: 'vitest' },
  env: {},
  timeoutMs: 1_800_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: false,
};
