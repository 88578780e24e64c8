import { isInRange } from '../../core/engines/exit-codes.ts';
import type { ArgsInput, EngineSpec } from '../../core/model/engine.ts';
import { TEST_DEFAULTS } from '../declare/engine-defaults.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toBoundedPayload } from '../parse/to-finding.ts';
import { GO_CONFIG_FILES, GO_ENV, GO_FILES, toPackages } from './go-packages.ts';
import { readGoEvents } from './go-test-events.ts';
import { toGoFindings, toGoPartial, toGoTests, toUnrunPackages } from './go-test-results.ts';

/** First version with `-fullpath`, which reports the full path of a failure's file. Older versions report only its name. */
const FULL_PATH_SINCE = '>=1.21';

function toArgs({ plan, version }: ArgsInput): readonly string[] {
  const fullPath = isInRange(version, FULL_PATH_SINCE) ? ['-fullpath'] : [];
  return ['test', '-json', '-count=1', ...fullPath, ...plan.args, ...toPackages(plan)];
}

/** Results of go test: events as JSON Lines, with text lines for packages that did not build. */
const parse = createTextParser((text, input) => {
  const reading = readGoEvents(text);
  if (reading.kind === 'invalid') return reading;
  const partial = toGoPartial(reading.value, input);
  return toBoundedPayload({
    findings: toGoFindings(reading.value, input),
    partial,
    ...(partial === null ? {} : { unparsed: toUnrunPackages(reading.value) }),
    tests: toGoTests(reading.value, input),
  });
});

/** go test. Build errors go to stderr; stdout only says that a package did not build (measured with 1.19). */
export const goTest: EngineSpec = {
  ...TEST_DEFAULTS,
  id: 'go-test',
  kind: 'test',
  globs: GO_FILES,
  targetMode: 'packages',
  needs: ['**/*_test.go'],
  launchers: [{ kind: 'program', name: 'go', versionArgs: ['version'] }],
  toCommands: (input) => [toArgs(input)],
  parse,
  // 2 is a package that did not build (1 in newer versions), or an error in the arguments without output on stdout.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: GO_CONFIG_FILES,
  detection: { files: ['**/*_test.go'], unit: 'go' },
  env: GO_ENV,
};
