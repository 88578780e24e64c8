import { posix } from 'node:path';
import { toExcludesFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { TEST_DEFAULTS } from '../declare/engine-defaults.ts';
import { toPlanArguments } from '../declare/plan-arguments.ts';
import { keepWorst } from '../generic/parse-junit.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toThresholdFinding } from '../parse/to-coverage-payload.ts';
import { toBoundedPayload } from '../parse/to-finding.ts';
import { readPytestJson } from './pytest-json-report.ts';
import { type PytestReading, readPytestJunit, toPytestFindings, toTestResults } from './pytest-results.ts';
import { PYTHON_ENV, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

const JUNIT = 'pytest-junit.xml';
const JSON_REPORT = 'pytest.json';
/** Plugins that require other arguments. Without the plugin such an argument is a usage error. */
const JSON_PLUGIN = 'pytest-json-report';
const COVERAGE_PLUGIN = 'pytest-cov';
export const PYTEST_COMPANIONS: readonly string[] = [COVERAGE_PLUGIN, JSON_PLUGIN];
export const PYTEST_CONFIG_FILES: readonly string[] = [
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  ...SHARED_CONFIG_FILES,
];

function toJsonArguments({ plan, artifacts, companions = [] }: ArgsInput): readonly string[] {
  const isAsked = plan.args.includes('--json-report');
  if (!isAsked && !companions.includes(JSON_PLUGIN)) return [];
  return [...(isAsked ? [] : ['--json-report']), `--json-report-file=${posix.join(artifacts, JSON_REPORT)}`];
}

/**
 * Arguments of every run of pytest, after those of the reports. The cache goes to the artifacts; without it, `--ff` in a
 * configuration would be a usage error. pytest-cov is disabled if it is installed: it writes into the workspace, and takes over
 * the measuring from coverage.py (measured: executed files count 0 %).
 */
export function toPytestArguments(input: ArgsInput): readonly string[] {
  const { artifacts, companions = [] } = input;
  return [
    ...['-o', 'junit_family=xunit1', '-o', `cache_dir=${posix.join(artifacts, 'pytest-cache')}`],
    // Frames with function names, and ids relative to the folder that it runs in, regardless of the configuration.
    ...['--tb=short', '--rootdir=.', '--color=no', '-ra'],
    ...(companions.includes(COVERAGE_PLUGIN) ? ['--no-cov'] : []),
    ...toExcludesFrom(input.plan).map((folder) => `--ignore=${folder}`),
    ...toPlanArguments('-c', input),
  ];
}

const INTERRUPTED = 2;
const STOPPED = /^!+ (?<why>(?:stopping after|Interrupted|_pytest\.outcomes\.Exit|KeyboardInterrupt)[^!]*?) !+$/mu;
/** The last line, where a switch such as `--setup-plan` lists tests and runs none. */
const NONE_RAN = /^(?:=+ )?no tests ran in [^\n]+\s*$/mu;
const THRESHOLD = /^(?:FAIL|ERROR:?) (?<why>Required test coverage of .+)$/mu;

/** Tests and failures that pytest reported, and whether all tests ran. */
const parse: Parser = (input) => {
  const json = input.reports[JSON_REPORT] ?? null;
  const parseReport = createTextParser((report) => {
    const reading = json === null ? readPytestJunit(report) : readPytestJson(report);
    if (reading.kind === 'invalid') return reading;
    // A test that fails in its body and again in its teardown is reported twice.
    const results = [...keepWorst(reading.results, ({ id }) => id).values()];
    return toBoundedPayload({
      findings: [...toPytestFindings(results, input), ...findThreshold(input.text ?? '')],
      partial: findPartial(reading, input),
      toolFailure: reading.internalError,
      tests: toTestResults(results, input),
    });
  });
  return parseReport({ ...input, text: json ?? input.reports[JUNIT] ?? null });
};

function findPartial(
  { results, isCut }: Extract<PytestReading, { kind: 'ok' }>,
  { text, exitCode }: ParseInput,
): string | null {
  if (isCut) return 'the report has more tests than are read';
  const why = STOPPED.exec(text ?? '')?.groups?.['why'];
  if (why !== undefined) return `pytest did not run all tests: ${why.slice(0, 200)}`;
  if (results.length > 0 && NONE_RAN.test(text?.trimEnd().split('\n').at(-1) ?? ''))
    return 'pytest listed tests and ran none';
  if (results.some(({ isCollection }) => isCollection))
    return 'pytest could not collect a file, so its tests did not run';
  return exitCode === INTERRUPTED ? 'pytest was interrupted' : null;
}

/** pytest-cov makes a run whose tests all pass exit with 1. */
function findThreshold(stdout: string): readonly ParsedFinding[] {
  const why = THRESHOLD.exec(stdout)?.groups?.['why'];
  return why === undefined ? [] : [toThresholdFinding(why.trim())];
}

/**
 * pytest. It always writes the JUnit report. It also writes that of pytest-json-report if its distribution is installed or the
 * policy's arguments ask for it (resolution C20); that report is preferred, because it contains node ids. stdout is the declared
 * stream, because only stdout shows a missed coverage threshold or a session that stopped early.
 */
export const pytest: EngineSpec = {
  ...TEST_DEFAULTS,
  id: 'pytest',
  kind: 'test',
  globs: ['**/*.py'],
  targetMode: 'project',
  launchers: [toPythonLauncher('pytest')],
  companions: PYTEST_COMPANIONS,
  toCommands: (input) => [
    [`--junitxml=${posix.join(input.artifacts, JUNIT)}`, ...toJsonArguments(input), ...toPytestArguments(input)],
  ],
  output: { from: 'stdout', reports: [JUNIT, JSON_REPORT], emptyMeansClean: false },
  parse,
  // For 2 (interrupted, or files that could not be collected) and 5 (no tests) the output decides.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [3, 4] } }],
  configFiles: [...PYTEST_CONFIG_FILES, '**/conftest.py'],
  // Without a path it takes `testpaths` and the paths in `addopts`, or else the folder that it runs in.
  hasOwnScope: () => true,
  narrow: ({ args }, files) => ({ targets: files, args, usesToolScope: false }),
  detection: {
    files: ['pytest.ini', '.pytest.ini', 'pytest.toml', '**/conftest.py'],
    unit: 'python',
    pythonSection: ['[tool.pytest', '[tool:pytest]', '[pytest]'],
  },
  env: PYTHON_ENV,
  dependencyRules: ['ModuleNotFoundError', 'ImportError'],
};
