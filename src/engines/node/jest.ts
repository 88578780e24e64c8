import { posix } from 'node:path';
import type { ArgsInput, EngineSpec } from '../../core/model/engine.ts';
import { TEST_DEFAULTS } from '../declare/engine-defaults.ts';
import { narrowTo, toConfigArguments } from '../declare/plan-arguments.ts';
import { createTestReportParser } from './parse-test-report.ts';

const REPORT = 'jest.json';

function toArgs(input: ArgsInput): readonly string[] {
  const { plan, artifacts } = input;
  return [
    ...['--ci', '--json', `--outputFile=${posix.join(artifacts, REPORT)}`, '--testLocationInResults'],
    ...['--bail=0', '--coverage=false', '--watchAll=false', `--cacheDirectory=${posix.join(artifacts, 'cache')}`],
    ...toConfigArguments('--config', input),
    ...plan.args,
  ];
}

/** Jest. It exits with 1 for every failure. If a test ends the process, it exits with that test's code and without a report. */
export const jest: EngineSpec = {
  ...TEST_DEFAULTS,
  id: 'jest',
  kind: 'test',
  globs: ['**/*.{test,spec}.{js,mjs,cjs,jsx,ts,mts,cts,tsx}', '**/__tests__/**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'],
  targetMode: 'project',
  launchers: [{ kind: 'node', script: 'jest/bin/jest.js' }],
  toCommands: (input) => [toArgs(input)],
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  // Without the flag it takes each path as a regular expression.
  narrow: narrowTo(['--runTestsByPath']),
  parse: createTestReportParser({ pending: 'skipped', unhandled: null }),
  configFiles: ['**/jest.config.{js,mjs,cjs,ts,mts,cts,json}'],
  detection: {
    files: ['jest.config.{js,mjs,cjs,ts,mts,cts,json}'],
    packageKey: 'jest',
    nodePackage: 'jest',
    outer: /\bprojects['"]?\s*:/u,
  },
};
