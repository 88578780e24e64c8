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

/** First version with an argument for the configuration file. */
const RCFILE_SINCE = '0.10';

/** ShellCheck. For a missing file it exits with 2, and its list of comments looks clean (measured). */
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
      /** 1-based; a tab counts as one column. */
      column: z.int(),
      level: z.string(),
      code: z.int(),
      message: z.string(),
    }),
  ),
});
type Comment = z.infer<typeof Comments>['comments'][number];

/** Parsing stopped there, and nothing else is reported about the file. */
const STOPPED_PARSING = 1072;
/** Its own configuration cannot be parsed, so it checks nothing (measured: reported at line 1 of each file). */
const BROKEN_CONFIG = 1134;
/** A shell that it does not support. */
const UNKNOWN_SHELL = 1071;
/** Smaller codes are about syntax. */
const FIRST_ANALYSIS_CODE = 2000;

/** Findings of ShellCheck. */
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
