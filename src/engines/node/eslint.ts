import { posix } from 'node:path';
import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { isVersionAtLeast } from '../declare/is-version-at-least.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

const REPORT = 'eslint.json';
const NO_WARN_IGNORED_SINCE = '9.0.0';
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
export const parseEslint: Parser = (input) => {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, EslintReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `ESLint's report: ${reading.why}` };
  const findings: ParsedFinding[] = [];
  let unparsed = 0;
  for (const { filePath, messages } of reading.value) {
    for (const message of messages) {
      if (isAboutIgnoring(message)) continue;
      if (message.fatal === true) unparsed += 1;
      findings.push(toEslintFinding(message, filePath, input));
    }
  }
  const partial = unparsed === 0 ? null : 'ESLint could not parse a file, so its rules were not applied there';
  return toBoundedPayload({ findings, partial });
};

function isAboutIgnoring({ ruleId, line, message }: EslintMessage): boolean {
  return (ruleId ?? null) === null && (line ?? null) === null && IGNORED_FILE.test(message);
}

function toEslintFinding(message: EslintMessage, filePath: string, input: ParseInput): ParsedFinding {
  const isFatal = message.fatal === true;
  const native = message.severity === 2 ? 'error' : 'warning';
  return toFinding({
    kind: toKind('lint', isFatal),
    severity: isFatal ? 'blocker' : toSeverity(native),
    native,
    rule: message.ruleId,
    message: message.message,
    path: toRepositoryPath(filePath, input),
    line: message.line,
    column: message.column,
    endLine: message.endLine,
  });
}

function toSteps(input: ArgsInput): readonly (readonly string[])[] {
  const { plan, artifacts, version } = input;
  const canHush = version === null || isVersionAtLeast(version, NO_WARN_IGNORED_SINCE);
  return [
    [
      // Written to a file, because a configuration that prints something would break a report on stdout.
      ...['--format', 'json', '--output-file', posix.join(artifacts, REPORT), '--no-error-on-unmatched-pattern'],
      ...(canHush ? ['--no-warn-ignored'] : []),
      ...toConfigArguments('--config', input),
      ...plan.args,
      ...toTargetsFrom(plan),
    ],
  ];
}

/** ESLint 8 and newer. Exit code 2 is a crash or a broken configuration, without a report. */
export const eslint: EngineSpec = {
  id: 'eslint',
  kind: 'lint',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro}'],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: 'eslint/bin/eslint.js' }],
  toSteps,
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse: parseEslint,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: [
    '**/eslint.config.{js,mjs,cjs,ts,mts,cts}',
    '**/.eslintrc{,.js,.cjs,.json,.yml,.yaml}',
    '.eslintignore',
  ],
  detection: { files: ['eslint.config.{js,mjs,cjs,ts,mts,cts}', '.eslintrc{,.js,.cjs,.json,.yml,.yaml}'] },
  env: {},
  timeoutMs: 600_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [
    'import/no-unresolved',
    'import-x/no-unresolved',
    'n/no-missing-import',
    'n/no-missing-require',
    'node/no-missing-import',
    'node/no-missing-require',
  ],
  isCacheable: true,
};
