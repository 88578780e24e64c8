import { posix } from 'node:path';
import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toIgnoreArguments, toPlanArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

const REPORT = 'eslint.json';
const NO_WARN_IGNORED_SINCE = '>=9.0.0';
/** A warning about the arguments, not about the code. */
const IGNORED_FILE = /^File ignored\b/u;

/** The part of ESLint's `json` formatter that is read (https://eslint.org/docs/latest/use/formatters/#json). */
const EslintMessage = z.object({
  ruleId: z.string().nullish(),
  severity: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  fatal: z.boolean().optional(),
  message: z.string(),
  line: z.number().nullish(),
  column: z.number().nullish(),
  endLine: z.number().nullish(),
});
type EslintMessage = z.infer<typeof EslintMessage>;
const EslintReport = z.array(z.object({ filePath: z.string(), messages: z.array(EslintMessage) }));

/** Findings of ESLint. A file that does not parse hides what the rules would report, so the run is partial. */
const parse = createJsonParser("ESLint's report", EslintReport, (files, input) => {
  const findings = files.flatMap(({ filePath, messages }) =>
    messages.filter((message) => !isAboutIgnoring(message)).map((message) => toEslintFinding(message, filePath, input)),
  );
  if (files.every(({ messages }) => messages.some(isAboutIgnoring)))
    return toBoundedPayload({ findings, partial: NO_FILE_SEEN });
  return toBoundedPayload({
    findings,
    ...toUnparsed(findings, () => 'ESLint could not parse a file, so its rules were not applied there'),
  });
});

function isAboutIgnoring({ ruleId, line, message }: EslintMessage): boolean {
  return (ruleId ?? null) === null && (line ?? null) === null && IGNORED_FILE.test(message);
}

function toEslintFinding(
  { ruleId, severity, fatal = false, message, line, column, endLine }: EslintMessage,
  file: string,
  input: ParseInput,
): ParsedFinding {
  const native = severity === 2 ? 'error' : 'warning';
  return toCodeFinding({ file, isParseError: fatal, native, rule: ruleId, message, line, column, endLine }, input);
}

function toArgs(input: ArgsInput, more: readonly string[] = []): readonly string[] {
  const { artifacts, version } = input;
  return [
    ...more,
    // Written to a file, because a configuration that prints something would break a report on stdout.
    ...['--format', 'json', '--output-file', posix.join(artifacts, REPORT), '--no-error-on-unmatched-pattern'],
    ...(version === null || isInRange(version, NO_WARN_IGNORED_SINCE) ? ['--no-warn-ignored'] : []),
    ...toIgnoreArguments('--ignore-pattern', input),
    ...toPlanArguments('--config', input),
  ];
}

/** ESLint 8 and newer. Exit code 2 is a crash or a broken configuration, without a report. */
export const eslint: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'eslint',
  kind: 'lint',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro}'],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: 'eslint/bin/eslint.js' }],
  toCommands: (input) => [toArgs(input)],
  fixer: { toCommands: (input) => [toArgs(input, ['--fix'])] },
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: [
    '**/eslint.config.{js,mjs,cjs,ts,mts,cts}',
    '**/.eslintrc{,.js,.cjs,.json,.yml,.yaml}',
    '.eslintignore',
  ],
  detection: { files: ['eslint.config.{js,mjs,cjs,ts,mts,cts}', '.eslintrc{,.js,.cjs,.json,.yml,.yaml}'] },
  dependencyRules: [
    'import/no-unresolved',
    'import-x/no-unresolved',
    'n/no-missing-import',
    'n/no-missing-require',
    'node/no-missing-import',
    'node/no-missing-require',
  ],
};
