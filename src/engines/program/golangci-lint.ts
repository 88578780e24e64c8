import { posix } from 'node:path';
import { z } from 'zod';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { isVersionAtLeast } from '../declare/is-version-at-least.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { GO_CONFIG_FILES, GO_ENV, GO_FILES } from './go-packages.ts';

const REPORT = 'golangci-lint.json';
const NEW_FLAGS_SINCE = '2.0';

/** golangci-lint, both major versions. Built from its documentation and tested on recordings: it cannot be installed here. */
export const golangciLint: EngineSpec = {
  id: 'golangci-lint',
  kind: 'lint',
  globs: GO_FILES,
  targetMode: 'project',
  launchers: [{ kind: 'program', name: 'golangci-lint', versionArgs: ['version'] }],
  toSteps: (input) => [toArgs(input)],
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse: parseGolangciLint,
  // With our arguments, findings alone exit with 0. An argument of the policy may restore 1.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4, 5, 6, 7] } }],
  configFiles: ['.golangci.{yml,yaml,toml,json}', ...GO_CONFIG_FILES],
  detection: { files: ['.golangci.{yml,yaml,toml,json}'] },
  env: GO_ENV,
  timeoutMs: 900_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
};

function toArgs({ plan, root, artifacts, version }: ArgsInput): readonly string[] {
  const report = posix.join(artifacts, REPORT);
  const isOld = version !== null && !isVersionAtLeast(version, NEW_FLAGS_SINCE);
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
export function parseGolangciLint(input: ParseInput): Payload {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, Report);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `golangci-lint's report: ${reading.why}` };
  const issues = reading.value.Issues ?? [];
  const error = reading.value.Report?.Error ?? '';
  const isBroken = issues.some(({ FromLinter: linter }) => linter === COMPILER);
  return toBoundedPayload({
    findings: issues.map((issue) => toIssueFinding(issue, input)),
    partial: isBroken ? 'a package does not compile, so most linters were not applied' : null,
    toolFailure: error === '' ? null : error.slice(0, 1000),
  });
}

function toIssueFinding(issue: Issue, input: ParseInput): ParsedFinding {
  const isBroken = issue.FromLinter === COMPILER;
  const native = issue.Severity ?? '';
  return toFinding({
    kind: toKind('lint', isBroken),
    // Severities are a setting; most projects do not use it.
    severity: isBroken ? 'blocker' : toSeverity(native === '' ? 'warning' : native),
    native: native === '' ? null : native,
    rule: issue.FromLinter,
    message: issue.Text,
    path: toRepositoryPath(issue.Pos.Filename, input),
    line: issue.Pos.Line,
    column: issue.Pos.Column ?? null,
  });
}
