import { posix } from 'node:path';
import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments, toIgnoreArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

const REPORT = 'stylelint.json';
const EXTENSIONS = '{css,scss,sass,less,pcss,postcss,sss}';
const SYNTAX_ERROR = 'CssSyntaxError';

/** The part of `--formatter json` that is read (https://stylelint.io/user-guide/options#formatter). Positions are 1-based. */
const StylelintWarning = z.object({
  line: z.number().nullish(),
  column: z.number().nullish(),
  endLine: z.number().nullish(),
  rule: z.string().nullish(),
  severity: z.string(),
  text: z.string(),
});
const StyleSheet = z.object({
  source: z.string().nullish(),
  warnings: z.array(StylelintWarning),
  /** The configuration ignores the file, so nothing of it was read. */
  ignored: z.boolean().optional(),
  invalidOptionWarnings: z.array(z.object({ text: z.string() })).optional(),
});
type StyleSheet = z.infer<typeof StyleSheet>;

/** Findings of stylelint. A file that does not parse hides findings. A rule with an invalid option is not applied. */
const parse = createJsonParser("stylelint's report", z.array(StyleSheet), (sheets, input) => {
  const findings = sheets.flatMap((sheet) => toFindings(sheet, input));
  if (sheets.every(({ ignored }) => ignored === true)) return toBoundedPayload({ findings, partial: NO_FILE_SEEN });
  return toBoundedPayload({
    findings,
    ...toUnparsed(findings, () => 'stylelint could not parse a file, so its rules were not applied there'),
    toolFailure: sheets.flatMap(({ invalidOptionWarnings = [] }) => invalidOptionWarnings)[0]?.text ?? null,
  });
});

function toFindings({ source: file, warnings }: StyleSheet, input: ParseInput): readonly ParsedFinding[] {
  return warnings.map(({ rule: named, severity: native, text: message, ...place }) => {
    const isParseError = named === SYNTAX_ERROR;
    const rule = isParseError ? null : named;
    return toCodeFinding({ file, isParseError, native, rule, message, ...place }, input);
  });
}

function toArgs(input: ArgsInput, more: readonly string[] = []): readonly string[] {
  const { plan, artifacts, files } = input;
  const known = new Set(files);
  const targets = toTargetsFrom(plan).map((target, index) =>
    known.has(plan.targets[index] ?? '') ? target : toPattern(target),
  );
  return [
    ...more,
    // Written to a file, because findings go to stderr and a clean report to stdout.
    ...['--formatter', 'json', '--output-file', posix.join(artifacts, REPORT), '--allow-empty-input', '--no-color'],
    ...toIgnoreArguments('--ignore-pattern', input),
    ...toConfigArguments('--config', input),
    ...plan.args,
    ...targets,
  ];
}

/** The style sheets below a folder, whose name must not act as a flag, an exclusion (`!…`) or a pattern (`[id]`). */
function toPattern(folder: string): string {
  if (folder === '.') return `**/*.${EXTENSIONS}`;
  const start = /^\.{1,2}(?:\/|$)/u.test(folder) ? folder : `./${folder}`;
  return `${start.replaceAll(/[\\!()*?[\]{|}]/gu, String.raw`\$&`)}/**/*.${EXTENSIONS}`;
}

/** stylelint 16 and newer. It takes files and patterns, so a folder becomes a pattern. */
export const stylelint: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'stylelint',
  kind: 'lint',
  globs: [`**/*.${EXTENSIONS}`],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: 'stylelint/bin/stylelint.mjs' }],
  toCommands: (input) => [toArgs(input)],
  fixer: { toCommands: (input) => [toArgs(input, ['--fix'])] },
  output: { from: 'file', reports: [REPORT], emptyMeansClean: false },
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [2], toolFailure: [1, 64, 78] } }],
  configFiles: [
    '**/stylelint.config.{js,mjs,cjs,ts,mts,cts}',
    '**/.stylelintrc{,.js,.cjs,.mjs,.json,.yml,.yaml}',
    '.stylelintignore',
  ],
  detection: {
    packageKey: 'stylelint',
    files: ['stylelint.config.{js,mjs,cjs,ts,mts,cts}', '.stylelintrc{,.js,.cjs,.mjs,.json,.yml,.yaml}'],
  },
};
