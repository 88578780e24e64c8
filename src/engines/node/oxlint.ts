import { z } from 'zod';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toIgnoreArguments, toPlanArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

/** The part of `--format json` that is read. The first label is the place of the finding; positions are 1-based. */
const OxlintDiagnostic = z.object({
  message: z.string(),
  code: z.string().nullish(),
  severity: z.string(),
  filename: z.string().nullish(),
  labels: z.array(z.object({ span: z.object({ line: z.number().nullish(), column: z.number().nullish() }) })),
});
type OxlintDiagnostic = z.infer<typeof OxlintDiagnostic>;
const OxlintReport = z.object({ diagnostics: z.array(OxlintDiagnostic), number_of_files: z.number().optional() });

/** Findings of oxlint. A syntax error has no code, and hides what the rules would report about its file. */
const parse = createJsonParser("oxlint's report", OxlintReport, ({ diagnostics, number_of_files: seen }, input) => {
  const findings = diagnostics.map((diagnostic) => toOxlintFinding(diagnostic, input));
  if (seen === 0 && findings.length === 0) return toBoundedPayload({ findings, partial: NO_FILE_SEEN });
  return toBoundedPayload({
    findings,
    ...toUnparsed(findings, () => 'oxlint could not parse a file, so its rules were not applied there'),
  });
});

function isSyntaxError({ code, severity }: OxlintDiagnostic): boolean {
  return (code ?? null) === null && severity === 'error';
}

function toOxlintFinding(diagnostic: OxlintDiagnostic, input: ParseInput): ParsedFinding {
  const { message, code, severity, filename, labels } = diagnostic;
  const isParseError = isSyntaxError(diagnostic);
  const { line, column } = labels[0]?.span ?? {};
  return toCodeFinding({ file: filename, isParseError, native: severity, rule: code, message, line, column }, input);
}

function toArgs(input: ArgsInput, more: readonly string[] = []): readonly string[] {
  // Without a .gitignore that names it, oxlint would also check `node_modules`.
  const ignored = ['--no-error-on-unmatched-pattern', '--ignore-pattern', '**/node_modules/**'];
  const inner = toIgnoreArguments('--ignore-pattern', input);
  return [...more, '--format', 'json', ...ignored, ...inner, ...toPlanArguments('--config', input)];
}

/** oxlint. It exits with 1 for findings and for a broken configuration; in the second case it prints no JSON. */
export const oxlint: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'oxlint',
  kind: 'lint',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro}'],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: 'oxlint/bin/oxlint' }],
  toCommands: (input) => [toArgs(input)],
  fixer: { toCommands: (input) => [toArgs(input, ['--fix'])] },
  parse,
  configFiles: ['**/.oxlintrc.{json,jsonc}', '**/oxlint.config.ts'],
  detection: { files: ['.oxlintrc.{json,jsonc}', 'oxlint.config.ts'] },
  dependencyRules: ['import(no-unresolved)'],
};
