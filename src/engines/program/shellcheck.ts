import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { isVersionAtLeast } from '../declare/is-version-at-least.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

/** First version that can be told where its configuration is. */
const RCFILE_SINCE = '0.10';

/** ShellCheck. A file that is not there is told by exit code 2, with a list of comments that looks clean (measured). */
export const shellcheck: EngineSpec = {
  id: 'shellcheck',
  kind: 'lint',
  globs: ['**/*.{sh,bash,ksh,dash,bats}'],
  targetMode: 'files',
  launchers: [{ kind: 'program', name: 'shellcheck', versionArgs: ['--version'] }],
  toSteps: (input) => [toArgs(input)],
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parseShellcheck,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4] } }],
  configFiles: ['**/.shellcheckrc', '**/shellcheckrc'],
  detection: { files: ['.shellcheckrc', 'shellcheckrc'] },
  env: {},
  timeoutMs: 300_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
};

function toArgs({ plan, root, version }: ArgsInput): readonly string[] {
  const config = isVersionAtLeast(version, RCFILE_SINCE) ? toConfigArguments('--rcfile', { plan, root }) : [];
  return ['--format=json1', ...config, ...plan.args, '--', ...toTargetsFrom(plan)];
}

const Comments = z.object({
  comments: z.array(
    z.object({
      file: z.string(),
      line: z.int(),
      endLine: z.int().nullish(),
      /** From 1; a tab counts as one. */
      column: z.int(),
      level: z.string(),
      code: z.int(),
      message: z.string(),
    }),
  ),
});
type Comment = z.infer<typeof Comments>['comments'][number];

/** Parsing stopped there, and nothing else is told of the file. */
const STOPPED_PARSING = 1072;
/** Its own configuration cannot be parsed; then it looks at nothing (measured: told at line 1 of each file). */
const BROKEN_CONFIG = 1134;
/** A language that it does not know. */
const UNKNOWN_SHELL = 1071;
/** Codes below this one speak of syntax. */
const FIRST_ANALYSIS_CODE = 2000;

/** What ShellCheck wrote: its comments. */
export function parseShellcheck(input: ParseInput): Payload {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, Comments);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `ShellCheck's comments: ${reading.why}` };
  const { comments } = reading.value;
  const stopped = comments.find(({ code }) => code === STOPPED_PARSING);
  return toBoundedPayload({
    findings: comments.filter(({ code }) => code !== BROKEN_CONFIG).map((comment) => toShellFinding(comment, input)),
    partial: stopped === undefined ? null : `${stopped.file} could not be parsed`,
    toolFailure: comments.find(({ code }) => code === BROKEN_CONFIG)?.message ?? null,
  });
}

function toShellFinding(comment: Comment, input: ParseInput): ParsedFinding {
  const { code, level, file } = comment;
  const isSyntax = level === 'error' && code < FIRST_ANALYSIS_CODE && code !== UNKNOWN_SHELL;
  return toFinding({
    kind: toKind('lint', isSyntax),
    severity: isSyntax ? 'blocker' : toSeverity(level),
    native: level,
    rule: `SC${String(code)}`,
    message: comment.message,
    path: toRepositoryPath(file, input),
    line: comment.line,
    column: comment.column,
    endLine: comment.endLine ?? null,
  });
}
