import { posix } from 'node:path';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { toBoundedPayload, toFinding } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { readPytestJson } from './pytest-json-report.ts';
import {
  mergeResults,
  type PytestReading,
  readPytestJunit,
  toPytestFindings,
  toTestResults,
} from './pytest-results.ts';
import { PYTHON_ENV, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

const JUNIT = 'pytest-junit.xml';
const JSON_REPORT = 'pytest.json';
/** Plugins that change what has to be said on the command line; without the plugin each of these flags is a usage error. */
const JSON_PLUGIN = 'pytest-json-report';
const COVERAGE_PLUGIN = 'pytest-cov';
export const PYTEST_COMPANIONS: readonly string[] = [COVERAGE_PLUGIN, JSON_PLUGIN];
export const PYTEST_CONFIG_FILES: readonly string[] = [
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  ...SHARED_CONFIG_FILES,
];

/**
 * pytest. The JUnit report is always written; that of pytest-json-report too where its distribution is installed, or where the
 * policy's own arguments say so (resolution C20), and it is preferred as it names tests by their node ids. stdout is declared as
 * the stream: a threshold of coverage that was missed, and a session that stopped early, are told nowhere else.
 */
export const pytest: EngineSpec = {
  id: 'pytest',
  kind: 'test',
  globs: ['**/*.py'],
  targetMode: 'project',
  launchers: [toPythonLauncher('pytest')],
  companions: PYTEST_COMPANIONS,
  toSteps: (input) => [
    [`--junitxml=${posix.join(input.artifacts, JUNIT)}`, ...toJsonArguments(input), ...toPytestArguments(input)],
  ],
  output: { from: 'stdout', reports: [JUNIT, JSON_REPORT], emptyMeansClean: false },
  parse: parsePytest,
  // 2 (interrupted, or files that could not be collected) and 5 (no tests) are told by what was written.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [3, 4] } }],
  configFiles: [...PYTEST_CONFIG_FILES, '**/conftest.py'],
  detection: {
    files: ['pytest.ini', '.pytest.ini', '**/conftest.py'],
    pythonSection: ['[tool.pytest', '[tool:pytest]', '[pytest]'],
  },
  env: PYTHON_ENV,
  timeoutMs: 1_800_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: ['ModuleNotFoundError', 'ImportError'],
  isCacheable: false,
};

function toJsonArguments({ plan, artifacts, companions = [] }: ArgsInput): readonly string[] {
  const isAsked = plan.args.includes('--json-report');
  if (!isAsked && !companions.includes(JSON_PLUGIN)) return [];
  return [...(isAsked ? [] : ['--json-report']), `--json-report-file=${posix.join(artifacts, JSON_REPORT)}`];
}

/**
 * Arguments of every run of pytest, after those of the reports. Its cache goes to the artifacts and is not switched off: `--ff`
 * of a configuration would be a usage error then. pytest-cov is switched off where it is there: it writes into the workspace, and
 * would take the measuring from coverage.py (measured: files that were run count 0 %).
 */
export function toPytestArguments({ plan, root, artifacts, companions = [] }: ArgsInput): readonly string[] {
  return [
    ...['-o', 'junit_family=xunit1', '-o', `cache_dir=${posix.join(artifacts, 'pytest-cache')}`],
    // Each frame with the name of its function, and ids from the folder that it runs in, whatever the configuration says.
    ...['--tb=short', '--rootdir=.', '--color=no', '-ra'],
    ...(companions.includes(COVERAGE_PLUGIN) ? ['--no-cov'] : []),
    ...toConfigArguments('-c', { plan, root }),
    ...plan.args,
    ...toTargetsFrom(plan),
  ];
}

const INTERRUPTED = 2;
const STOPPED = /^!+ (?<why>(?:stopping after|Interrupted|_pytest\.outcomes\.Exit|KeyboardInterrupt)[^!]*?) !+$/mu;
const THRESHOLD = /^(?:FAIL|ERROR:?) (?<why>Required test coverage of .+)$/mu;

/** What pytest reported: tests, failures, and whether it ran all of them. */
export function parsePytest(input: ParseInput): Payload {
  const reading = readReport(input);
  if (reading.kind !== 'ok') return reading;
  const results = mergeResults(reading.results);
  return toBoundedPayload({
    findings: [...toPytestFindings(results, input), ...findThreshold(input.text ?? '')],
    partial: findPartial(reading, input),
    toolFailure: reading.internalError,
    tests: toTestResults(results, input),
  });
}

function readReport({ reports }: ParseInput): PytestReading | Extract<Payload, { kind: 'empty' | 'missing' }> {
  const json = reports[JSON_REPORT] ?? null;
  const text = json ?? reports[JUNIT] ?? null;
  const absent = toAbsentPayload(text);
  if (text === null || absent?.kind === 'missing') return { kind: 'missing' };
  if (absent !== null) return { kind: 'empty' };
  return json === null ? readPytestJunit(text) : readPytestJson(text);
}

function findPartial(
  { results, isCut }: Extract<PytestReading, { kind: 'ok' }>,
  { text, exitCode }: ParseInput,
): string | null {
  if (isCut) return 'the report has more tests than are read';
  const why = STOPPED.exec(text ?? '')?.groups?.['why'];
  if (why !== undefined) return `pytest did not run all tests: ${why.slice(0, 200)}`;
  if (results.some(({ isCollection }) => isCollection))
    return 'pytest could not collect a file, so its tests did not run';
  return exitCode === INTERRUPTED ? 'pytest was interrupted' : null;
}

/** pytest-cov makes a run in which all tests pass end with 1: a finding of its own, no failure of the tool (resolution C21). */
function findThreshold(stdout: string): readonly ParsedFinding[] {
  const why = THRESHOLD.exec(stdout)?.groups?.['why'];
  return why === undefined
    ? []
    : [toFinding({ kind: 'coverage_threshold', severity: 'high', message: why.trim(), identity: 'threshold' })];
}
