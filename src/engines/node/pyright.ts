import { z } from 'zod';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toCodeFinding, withoutRoot } from '../parse/to-finding.ts';

/** Both are 0-based. */
const Point = z.object({ line: z.int().min(0), character: z.int().min(0) });

/** The part of `--outputjson` that is read (https://github.com/microsoft/pyright/blob/main/docs/command-line.md#json-output). */
const PyrightDiagnostic = z.object({
  file: z.string(),
  severity: z.string(),
  message: z.string(),
  range: z.object({ start: Point, end: Point }).nullish(),
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
const parse = createJsonParser("pyright's report", PyrightReport, ({ generalDiagnostics, summary }, input) => {
  const failure = BROKEN_CONFIG.exec(input.stderr)?.[0];
  return toBoundedPayload({
    findings: generalDiagnostics.map((diagnostic) => toPyrightFinding(diagnostic, input)),
    partial: findPartial(generalDiagnostics, summary.filesAnalyzed),
    toolFailure: failure === undefined ? null : withoutRoot(failure, input),
  });
});

function findPartial(diagnostics: readonly PyrightDiagnostic[], filesAnalyzed: number): string | null {
  if (filesAnalyzed === 0) return 'it analyzed no file';
  return diagnostics.some(isSyntaxError) ? 'a file has an error of syntax, which hides others of that file' : null;
}

/** Syntax errors have no rule. */
function isSyntaxError({ severity, rule }: PyrightDiagnostic): boolean {
  return severity === 'error' && (rule ?? null) === null;
}

function toPyrightFinding(diagnostic: PyrightDiagnostic, input: ParseInput): ParsedFinding {
  const { file, severity: native, message, range, rule } = diagnostic;
  // Converted to 1-based positions.
  const place = range && { line: range.start.line + 1, column: range.start.character + 1, endLine: range.end.line + 1 };
  const isParseError = isSyntaxError(diagnostic);
  return toCodeFinding({ kind: 'type', file, isParseError, native, rule, message, ...place }, input);
}

function toArgs(input: ArgsInput): readonly string[] {
  return ['--outputjson', ...toConfigArguments('--project', input), ...toPythonArguments(input), ...input.plan.args];
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
  ...ENGINE_DEFAULTS,
  id: 'pyright',
  kind: 'type',
  globs: ['**/*.{py,pyi}'],
  targetMode: 'project',
  launchers: [
    { kind: 'node', script: 'pyright/index.js' },
    { kind: 'python', module: 'pyright', distribution: 'pyright' },
  ],
  readsPython: true,
  toCommands: (input) => [toArgs(input)],
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4] } }],
  configFiles: ['**/pyrightconfig.json', 'pyproject.toml'],
  detection: { files: ['pyrightconfig.json'], pythonSection: ['[tool.pyright]'] },
  // PyPI's launcher prints notices about newer versions.
  env: { PYRIGHT_PYTHON_IGNORE_WARNINGS: '1' },
  timeoutMs: 900_000,
  dependencyRules: ['reportMissingImports', 'reportMissingModuleSource', 'reportMissingTypeStubs'],
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
