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

/**
 * pytest. It always writes the JUnit report. It also writes that of pytest-json-report if its distribution is installed or the
 * policy's arguments ask for it (resolution C20); that report is preferred, because it contains node ids. stdout is the declared
 * stream, because only stdout shows a missed coverage threshold or a session that stopped early.
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
  // For 2 (interrupted, or files that could not be collected) and 5 (no tests) the output decides.
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
 * Arguments of every run of pytest, after those of the reports. The cache goes to the artifacts; without it, `--ff` in a
 * configuration would be a usage error. pytest-cov is disabled if it is installed: it writes into the workspace, and takes over
 * the measuring from coverage.py (measured: executed files count 0 %).
 */
export function toPytestArguments({ plan, root, artifacts, companions = [] }: ArgsInput): readonly string[] {
  return [
    ...['-o', 'junit_family=xunit1', '-o', `cache_dir=${posix.join(artifacts, 'pytest-cache')}`],
    // Frames with function names, and ids relative to the folder that it runs in, regardless of the configuration.
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

/** Tests and failures that pytest reported, and whether all tests ran. */
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

/** pytest-cov makes a run whose tests all pass exit with 1. That is a finding, not a tool failure (resolution C21). */
function findThreshold(stdout: string): readonly ParsedFinding[] {
  const why = THRESHOLD.exec(stdout)?.groups?.['why'];
  return why === undefined
    ? []
    : [toFinding({ kind: 'coverage_threshold', severity: 'high', message: why.trim(), identity: 'threshold' })];
}
