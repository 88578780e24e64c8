import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

/** First version with an argument for the configuration file. */
const RCFILE_SINCE = '>=0.10';

function toArgs({ plan, root, version }: ArgsInput): readonly string[] {
  const config = isInRange(version, RCFILE_SINCE) ? toConfigArguments('--rcfile', { plan, root }) : [];
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
const parse = createJsonParser("ShellCheck's comments", Comments, ({ comments }, input) => {
  const findings = comments
    .filter(({ code }) => code !== BROKEN_CONFIG)
    .map((comment) => toShellFinding(comment, input));
  const stopped = findings.filter(({ rule }) => rule === toRule(STOPPED_PARSING));
  return toBoundedPayload({
    findings,
    ...toUnparsed(stopped, (path) => `${path ?? 'a file'} could not be parsed`),
    toolFailure: comments.find(({ code }) => code === BROKEN_CONFIG)?.message ?? null,
  });
});

function toShellFinding({ code, level: native, ...comment }: Comment, input: ParseInput): ParsedFinding {
  const isParseError = native === 'error' && code < FIRST_ANALYSIS_CODE && code !== UNKNOWN_SHELL;
  return toCodeFinding({ ...comment, isParseError, native, rule: toRule(code) }, input);
}

function toRule(code: number): string {
  return `SC${String(code)}`;
}

/** ShellCheck. For a missing file it exits with 2, and its list of comments looks clean (measured). */
export const shellcheck: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'shellcheck',
  kind: 'lint',
  globs: ['**/*.{sh,bash,ksh,dash,bats}'],
  targetMode: 'files',
  interpreters: ['sh', 'bash', 'dash', 'ksh'],
  launchers: [{ kind: 'program', name: 'shellcheck', versionArgs: ['--version'] }],
  toCommands: (input) => [toArgs(input)],
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4] } }],
  configFiles: ['**/.shellcheckrc', '**/shellcheckrc'],
  detection: { files: ['.shellcheckrc', 'shellcheckrc'] },
  timeoutMs: 300_000,
};
