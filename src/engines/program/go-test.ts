import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import { isVersionAtLeast } from '../declare/is-version-at-least.ts';
import { toBoundedPayload } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { GO_CONFIG_FILES, GO_ENV, GO_FILES, toPackages } from './go-packages.ts';
import { readGoEvents } from './go-test-events.ts';
import { toGoFindings, toGoPartial, toGoTests } from './go-test-results.ts';

/** First version with `-fullpath`, which reports the full path of a failure's file. Older versions report only its name. */
const FULL_PATH_SINCE = '1.21';

/** go test. Build errors go to stderr; stdout only says that a package did not build (measured with 1.19). */
export const goTest: EngineSpec = {
  id: 'go-test',
  kind: 'test',
  globs: GO_FILES,
  targetMode: 'packages',
  launchers: [{ kind: 'program', name: 'go', versionArgs: ['version'] }],
  toSteps: (input) => [toArgs(input)],
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parseGoTest,
  // 2 is a package that did not build (1 in newer versions), or an error in the arguments without output on stdout.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: GO_CONFIG_FILES,
  detection: { files: ['**/*_test.go'] },
  env: GO_ENV,
  timeoutMs: 1_800_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: false,
};

function toArgs({ plan, version }: ArgsInput): readonly string[] {
  const fullPath = isVersionAtLeast(version, FULL_PATH_SINCE) ? ['-fullpath'] : [];
  return ['test', '-json', '-count=1', ...fullPath, ...plan.args, ...toPackages(plan)];
}

/** Results of go test: events as JSON Lines, with text lines for packages that did not build. */
export function parseGoTest(input: ParseInput): Payload {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readGoEvents(input.text);
  if (reading.kind === 'invalid') return reading;
  return toBoundedPayload({
    findings: toGoFindings(reading.run, input),
    partial: toGoPartial(reading.run),
    tests: toGoTests(reading.run, input),
  });
}
