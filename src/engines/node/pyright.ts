import { z } from 'zod';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind, withoutRoot } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

/** Both are 0-based. */
const Point = z.object({ line: z.int().min(0), character: z.int().min(0) });

const Range = z.object({ start: Point, end: Point });
type Range = z.infer<typeof Range>;

/** The part of `--outputjson` that is read (https://github.com/microsoft/pyright/blob/main/docs/command-line.md#json-output). */
const PyrightDiagnostic = z.object({
  file: z.string(),
  severity: z.string(),
  message: z.string(),
  range: Range.nullish(),
  rule: z.string().nullish(),
});
type PyrightDiagnostic = z.infer<typeof PyrightDiagnostic>;
const PyrightReport = z.object({
  generalDiagnostics: z.array(PyrightDiagnostic),
  summary: z.object({ filesAnalyzed: z.int().min(0) }),
});

/** Printed to stderr when it continues with defaults. basedpyright then exits with 1, as if it had findings. */
const BROKEN_CONFIG = /^(?:Config file|Pyproject file) ".*" could not be .*$/mu;

/** Findings of pyright and basedpyright. A run without the repository's configuration is a tool failure. */
export const parsePyright: Parser = (input) => {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, PyrightReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `pyright's report: ${reading.why}` };
  const { generalDiagnostics, summary } = reading.value;
  const failure = BROKEN_CONFIG.exec(input.stderr)?.[0];
  return toBoundedPayload({
    findings: generalDiagnostics.map((diagnostic) => toPyrightFinding(diagnostic, input)),
    partial: findPartial(generalDiagnostics, summary.filesAnalyzed),
    toolFailure: failure === undefined ? null : withoutRoot(failure, input),
  });
};

function findPartial(diagnostics: readonly PyrightDiagnostic[], filesAnalyzed: number): string | null {
  if (filesAnalyzed === 0) return 'it analyzed no file';
  return diagnostics.some(isSyntaxError) ? 'a file has an error of syntax, which hides others of that file' : null;
}

/** Syntax errors have no rule. */
function isSyntaxError({ severity, rule }: PyrightDiagnostic): boolean {
  return severity === 'error' && (rule ?? null) === null;
}

function toPyrightFinding(diagnostic: PyrightDiagnostic, input: ParseInput): ParsedFinding {
  const { file, severity, message, range, rule } = diagnostic;
  const isParseError = isSyntaxError(diagnostic);
  return toFinding({
    kind: toKind('type', isParseError),
    severity: isParseError ? 'blocker' : toSeverity(severity),
    native: severity,
    rule,
    message,
    path: toRepositoryPath(file, input),
    ...(range === null || range === undefined ? {} : toPlace(range)),
  });
}

/** Converts to 1-based positions. */
function toPlace({ start, end }: Range): Pick<ParsedFinding, 'line' | 'column' | 'endLine'> {
  return { line: start.line + 1, column: start.character + 1, endLine: end.line + 1 };
}

function toSteps(input: ArgsInput): readonly (readonly string[])[] {
  return [['--outputjson', ...toConfigArguments('--project', input), ...toPythonArguments(input), ...input.plan.args]];
}

/**
 * Without this argument pyright uses the first Python in PATH, which lacks all packages of the project (measured). An existing
 * `venv` in its configuration takes precedence over this argument (measured), and an argument of the policy replaces it.
 */
function toPythonArguments({ plan, python = null }: ArgsInput): readonly string[] {
  const isNamed = plan.args.some((argument) => /^--pythonpath(?:=|$)/u.test(argument));
  return python === null || isNamed ? [] : ['--pythonpath', python];
}

/** pyright from npm or PyPI. Exit code 3 is a broken configuration, but there is a report anyway. */
export const pyright: EngineSpec = {
  id: 'pyright',
  kind: 'type',
  globs: ['**/*.{py,pyi}'],
  targetMode: 'project',
  launchers: [
    { kind: 'node', script: 'pyright/index.js' },
    { kind: 'python', module: 'pyright', distribution: 'pyright' },
  ],
  readsPython: true,
  toSteps,
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parsePyright,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4] } }],
  configFiles: ['**/pyrightconfig.json', 'pyproject.toml'],
  detection: { files: ['pyrightconfig.json'], pythonSection: ['[tool.pyright]'] },
  // PyPI's launcher prints notices about newer versions.
  env: { PYRIGHT_PYTHON_IGNORE_WARNINGS: '1' },
  timeoutMs: 900_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: ['reportMissingImports', 'reportMissingModuleSource', 'reportMissingTypeStubs'],
  isCacheable: true,
};

/** basedpyright, which has pyright's report and options. */
export const basedpyright: EngineSpec = {
  ...pyright,
  id: 'basedpyright',
  launchers: [
    { kind: 'node', script: 'basedpyright/index.js' },
    { kind: 'python', module: 'basedpyright', distribution: 'basedpyright' },
  ],
  detection: { pythonSection: ['[tool.basedpyright]'] },
  env: {},
};
