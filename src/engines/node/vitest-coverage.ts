import type { EngineSpec, ParseInput } from '../../core/model/engine.ts';
import { readIstanbul } from '../generic/parse-istanbul.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toCoveragePayload, toThresholdFinding } from '../parse/to-coverage-payload.ts';
import { toVitestArguments, VITEST_REPORT, vitest } from './vitest.ts';

const COVERAGE_REPORT = 'coverage-final.json';
const ALL_GREEN = 'all_green';
/** All tests passed, no error occurred outside of them, coverage was written, and still Vitest exited with 1 (resolution C21). */
const BELOW_THRESHOLD = toThresholdFinding('Coverage is below a threshold that the configuration of Vitest sets.');

/** Coverage of Vitest. If a test failed or did not run, lines are uncovered that a complete run would have covered. */
const parse = createTextParser((text, input) => {
  const reading = readIstanbul(text, input);
  if (reading.kind === 'invalid') return reading;
  const { files, measured } = reading.value;
  const tests = judgeTests(input);
  if (tests !== ALL_GREEN) return toCoveragePayload(files, { measured, partial: tests });
  return toCoveragePayload(files, { measured, findings: input.exitCode === 1 ? [BELOW_THRESHOLD] : [] });
});

/** Why the tests do not give complete coverage, or `ALL_GREEN`. */
function judgeTests(input: ParseInput): string {
  // The exit code is ignored here: passing tests exit with 1 if coverage is below a threshold.
  const payload = vitest.parse({ ...input, text: input.reports[VITEST_REPORT] ?? null, exitCode: 0 });
  if (payload.kind !== 'parsed') return 'there is no report of its tests';
  if (payload.partial !== null) return payload.partial;
  return payload.findings.length > 0 ? 'tests failed' : ALL_GREEN;
}

/** Coverage by Vitest, with the project's own provider. It runs all tests again, so it runs only if it is asked for by name. */
export const vitestCoverage: EngineSpec = {
  ...vitest,
  id: 'vitest-coverage',
  kind: 'coverage',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte}'],
  toCommands: (input) => [
    [
      ...toVitestArguments(input),
      ...['--coverage.enabled', '--coverage.reporter=json', '--coverage.reportOnFailure', '--coverage.clean=false'],
      `--coverage.reportsDirectory=${input.artifacts}`,
      ...input.plan.args,
    ],
  ],
  output: { from: 'file', reports: [COVERAGE_REPORT, VITEST_REPORT], emptyMeansClean: false },
  parse,
};
