import { posix } from 'node:path';
import type { ArgsInput, EngineSpec } from '../../core/model/engine.ts';
import { TEST_DEFAULTS } from '../declare/engine-defaults.ts';
import { narrowTo, toConfigArguments, toIgnoreArguments } from '../declare/plan-arguments.ts';
import { createTestReportParser } from './parse-test-report.ts';

/** The report file of the tests. */
export const VITEST_REPORT = 'vitest.json';

/** Arguments of every run of Vitest: all tests, reported to the file, and nothing written into the workspace. */
export function toVitestArguments({ plan, artifacts, root }: Omit<ArgsInput, 'version' | 'files'>): readonly string[] {
  return [
    ...['run', '--bail=0', '--cache=false'],
    // `dot` is added because errors outside of the tests are in no JSON report.
    ...['--reporter=json', '--reporter=dot', `--outputFile.json=${posix.join(artifacts, VITEST_REPORT)}`],
    ...toIgnoreArguments('--exclude', { plan }),
    ...toConfigArguments('--config', { plan, root }),
  ];
}

/** Vitest. It exits with 1 for every failure. The report says why, and stderr has what is not in the report. */
export const vitest: EngineSpec = {
  ...TEST_DEFAULTS,
  id: 'vitest',
  kind: 'test',
  globs: ['**/*.{test,spec}.{js,mjs,cjs,jsx,ts,mts,cts,tsx}', '**/__tests__/**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'],
  targetMode: 'project',
  launchers: [{ kind: 'node', script: 'vitest/vitest.mjs' }],
  toCommands: (input) => [
    [...toVitestArguments(input), '--includeTaskLocation', '--coverage.enabled=false', ...input.plan.args],
  ],
  output: { from: 'file', reports: [VITEST_REPORT], emptyMeansClean: false },
  // It takes each path as a filter. Its targets are in no argument.
  narrow: narrowTo([]),
  parse: createTestReportParser({ pending: 'error', unhandled: /^Vitest caught \d+ unhandled errors?/mu }),
  configFiles: ['**/{vitest,vite}.config.{js,mjs,cjs,ts,mts,cts}', '**/vitest.workspace.{js,mjs,cjs,ts,mts,cts,json}'],
  detection: {
    files: ['vitest.{config,workspace}.{js,mjs,cjs,ts,mts,cts}', 'vitest.workspace.json'],
    nodePackage: 'vitest',
    // It runs the tests of its own projects, with their configurations.
    outer: /\b(?:projects|workspace)\s*:|vitest\.workspace\./u,
  },
};
