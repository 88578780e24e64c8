import { posix } from 'node:path';
import { z } from 'zod';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { FileCoverage } from '../../core/model/finding.ts';
import { toPathIn } from '../../core/projects/repository-facts.ts';
import { TEST_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { toCoveragePayload, toThresholdFinding } from '../parse/to-coverage-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { PYTEST_COMPANIONS, PYTEST_CONFIG_FILES, pytest, toPytestArguments } from './pytest.ts';
import { PYTHON_ENV, toPythonLauncher } from './python-launcher.ts';

const DATA = 'coverage.data';
const REPORT = 'coverage.json';
const OWN_CONFIG = '.coveragerc';
/** Files that may hold a configuration, which then decides what is measured. */
const CONFIG_FILES: readonly string[] = [OWN_CONFIG, 'setup.cfg', 'tox.ini', 'pyproject.toml', '.coveragerc.toml'];
/** `coverage json` wrote its report, and coverage is below `fail_under`. */
const BELOW_THRESHOLD = 2;

/** The plan's configuration and arguments are for coverage.py; pytest finds its own configuration. */
function toCommands(input: ArgsInput): readonly (readonly string[])[] {
  const { plan, root, artifacts, files } = input;
  const data = `--data-file=${posix.join(artifacts, DATA)}`;
  const config = toConfigArguments('--rcfile', { plan, root });
  const isConfigured =
    plan.configPath !== null || CONFIG_FILES.some((name) => files.includes(toPathIn(plan.cwd, name)));
  // Without a configuration only imported files would count, and a file without any test would not be reported.
  const source = isConfigured ? [] : ['--source=.'];
  const tests = toPytestArguments({ ...input, plan: { ...plan, configPath: null, args: [] } });
  return [
    ['run', data, ...config, ...source, ...plan.args, '-m', 'pytest', ...tests],
    ['combine', data, ...config],
    ['json', data, ...config, '-o', posix.join(artifacts, REPORT)],
  ];
}

const Lines = z.array(z.int());
const CoverageFile = z.object({
  executed_lines: Lines,
  missing_lines: Lines,
  summary: z.object({ covered_lines: z.int().min(0), num_statements: z.int().min(0) }),
});
const CoverageReport = z.object({
  files: z.record(z.string(), CoverageFile),
  totals: z.object({ percent_covered: z.number() }),
});

/** Coverage by statements. If tests failed, the run is partial: lines that they did not reach are not gaps. */
const parse = createJsonParser('the coverage report', CoverageReport, ({ files, totals }, input) => {
  const percent = totals.percent_covered.toFixed(2);
  const below = `${percent} % are covered, which is less than the configured fail_under`;
  const tests = input.earlierExitCodes[0] ?? null;
  return toCoveragePayload(
    Object.entries(files).flatMap(([path, file]) => toFileCoverage(path, file, input)),
    {
      measured: Object.keys(files).length,
      partial:
        tests === 0 ? null : `the tests ended with ${tests === null ? 'no exit code' : `exit code ${String(tests)}`}`,
      findings: input.exitCode === BELOW_THRESHOLD ? [toThresholdFinding(below)] : [],
    },
  );
});

function toFileCoverage(
  named: string,
  { summary, missing_lines: missing }: z.infer<typeof CoverageFile>,
  input: ParseInput,
): readonly FileCoverage[] {
  const path = toRepositoryPath(named, input);
  if (path === null) return [];
  const missingLines = missing.filter((line) => line >= 1).toSorted((left, right) => left - right);
  return [{ path, covered: summary.covered_lines, total: summary.num_statements, missingLines }];
}

/**
 * coverage.py around pytest: runs the tests, combines the data of their processes (no effect if there is one process), then
 * writes the report. The data file is among the artifacts.
 */
export const coverage: EngineSpec = {
  ...TEST_DEFAULTS,
  id: 'coverage',
  kind: 'coverage',
  globs: ['**/*.py'],
  targetMode: 'project',
  launchers: [toPythonLauncher('coverage')],
  companions: PYTEST_COMPANIONS,
  toCommands,
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [BELOW_THRESHOLD], toolFailure: [1] } }],
  configFiles: [...CONFIG_FILES, ...PYTEST_CONFIG_FILES.filter((name) => !CONFIG_FILES.includes(name))],
  // It runs all tests again, so it runs only if it is asked for by name, where the tests are.
  hasOwnScope: () => true,
  detection: pytest.detection,
  env: PYTHON_ENV,
};
