import { posix } from 'node:path';
import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toCodeFinding } from '../parse/to-finding.ts';
import { GO_CONFIG_FILES, GO_ENV, GO_FILES } from './go-packages.ts';

const REPORT = 'golangci-lint.json';
const NEW_FLAGS_SINCE = '>=2.0';

function toArgs({ plan, root, artifacts, version }: ArgsInput): readonly string[] {
  const report = posix.join(artifacts, REPORT);
  const isOld = version !== null && !isInRange(version, NEW_FLAGS_SINCE);
  return [
    ...['run', '--issues-exit-code=0', '--max-issues-per-linter=0', '--max-same-issues=0'],
    ...(isOld ? [`--out-format=json:${report}`] : [`--output.json.path=${report}`, '--path-mode=abs']),
    ...toConfigArguments('--config', { plan, root }),
    ...plan.args,
    './...',
  ];
}

const Report = z.object({
  /** null: no issues. */
  Issues: z
    .array(
      z.object({
        FromLinter: z.string(),
        Text: z.string(),
        Severity: z.string().nullish(),
        Pos: z.object({ Filename: z.string(), Line: z.int(), Column: z.int().nullish() }),
      }),
    )
    .nullable(),
  Report: z.object({ Error: z.string().nullish() }).nullish(),
});
type Issue = NonNullable<z.infer<typeof Report>['Issues']>[number];

/** The linter name for code that does not compile. */
const COMPILER = 'typecheck';

/** Findings of golangci-lint. If it reports an error of its own, not all linters ran. */
const parse = createJsonParser("golangci-lint's report", Report, (report, input) => {
  const issues = report.Issues ?? [];
  const error = report.Report?.Error ?? '';
  const isBroken = issues.some(({ FromLinter: linter }) => linter === COMPILER);
  return toBoundedPayload({
    findings: issues.map((issue) => toIssueFinding(issue, input)),
    partial: isBroken ? 'a package does not compile, so most linters were not applied' : null,
    toolFailure: error === '' ? null : error.slice(0, 1000),
  });
});

function toIssueFinding(issue: Issue, input: ParseInput): ParsedFinding {
  const { FromLinter: rule, Text: message, Pos: at } = issue;
  // Severities are a setting; most projects do not use it.
  const native = issue.Severity === '' ? null : issue.Severity;
  const place = { file: at.Filename, line: at.Line, column: at.Column };
  return toCodeFinding({ ...place, isParseError: rule === COMPILER, native, rule, message }, input);
}

/** golangci-lint, both major versions. Built from its documentation and tested on recordings: it cannot be installed here. */
export const golangciLint: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'golangci-lint',
  kind: 'lint',
  globs: GO_FILES,
  targetMode: 'project',
  launchers: [{ kind: 'program', name: 'golangci-lint', versionArgs: ['version'] }],
  toCommands: (input) => [toArgs(input)],
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse,
  // With our arguments, findings alone exit with 0. An argument of the policy may restore 1.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4, 5, 6, 7] } }],
  configFiles: ['.golangci.{yml,yaml,toml,json}', ...GO_CONFIG_FILES],
  detection: { files: ['.golangci.{yml,yaml,toml,json}'], unit: 'go' },
  env: GO_ENV,
  timeoutMs: 900_000,
};
