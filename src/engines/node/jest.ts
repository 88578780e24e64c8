import { posix } from 'node:path';
import type { ArgsInput, EngineSpec, Parser } from '../../core/model/engine.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { parseTestReport } from './parse-test-report.ts';

const REPORT = 'jest.json';

/** Tests of Jest. */
export const parseJest: Parser = (input) => parseTestReport(input, { pending: 'skipped', unhandled: null });

function toSteps(input: ArgsInput): readonly (readonly string[])[] {
  const { plan, artifacts } = input;
  return [
    [
      ...['--ci', '--json', `--outputFile=${posix.join(artifacts, REPORT)}`, '--testLocationInResults'],
      ...['--bail=0', '--coverage=false', '--watchAll=false', `--cacheDirectory=${posix.join(artifacts, 'cache')}`],
      ...toConfigArguments('--config', input),
      ...plan.args,
    ],
  ];
}

/** Jest. It exits with 1 for every failure. If a test ends the process, it exits with that test's code and without a report. */
export const jest: EngineSpec = {
  id: 'jest',
  kind: 'test',
  globs: ['**/*.{test,spec}.{js,mjs,cjs,jsx,ts,mts,cts,tsx}', '**/__tests__/**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'],
  targetMode: 'project',
  launchers: [{ kind: 'node', script: 'jest/bin/jest.js' }],
  toSteps,
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse: parseJest,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: ['**/jest.config.{js,mjs,cjs,ts,mts,cts,json}'],
  detection: { nodePackage: 'jest' },
  env: {},
  timeoutMs: 1_800_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: false,
};
