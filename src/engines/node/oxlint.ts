import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

/** The part of `--format json` that is read. The first label is the place of the finding; positions are 1-based. */
const OxlintDiagnostic = z.object({
  message: z.string(),
  code: z.string().nullish(),
  severity: z.string(),
  filename: z.string().nullish(),
  labels: z.array(z.object({ span: z.object({ line: z.number().nullish(), column: z.number().nullish() }) })),
});
type OxlintDiagnostic = z.infer<typeof OxlintDiagnostic>;
const OxlintReport = z.object({ diagnostics: z.array(OxlintDiagnostic) });

/** Findings of oxlint. A syntax error has no code, and hides what the rules would report about its file. */
export const parseOxlint: Parser = (input) => {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, OxlintReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `oxlint's report: ${reading.why}` };
  const { diagnostics } = reading.value;
  const hasUnparsed = diagnostics.some(isSyntaxError);
  return toBoundedPayload({
    findings: diagnostics.map((diagnostic) => toOxlintFinding(diagnostic, input)),
    partial: hasUnparsed ? 'oxlint could not parse a file, so its rules were not applied there' : null,
  });
};

function isSyntaxError({ code, severity }: OxlintDiagnostic): boolean {
  return (code ?? null) === null && severity === 'error';
}

function toOxlintFinding(diagnostic: OxlintDiagnostic, input: ParseInput): ParsedFinding {
  const { message, code, severity, filename, labels } = diagnostic;
  const isParseError = isSyntaxError(diagnostic);
  const span = labels[0]?.span;
  return toFinding({
    kind: toKind('lint', isParseError),
    severity: isParseError ? 'blocker' : toSeverity(severity),
    native: severity,
    rule: code,
    message,
    path: typeof filename === 'string' ? toRepositoryPath(filename, input) : null,
    line: span?.line,
    column: span?.column,
  });
}

function toSteps(input: ArgsInput): readonly (readonly string[])[] {
  return [
    [
      // Without a .gitignore that names it, oxlint would also check `node_modules`.
      ...['--format', 'json', '--no-error-on-unmatched-pattern', '--ignore-pattern', '**/node_modules/**'],
      ...toConfigArguments('--config', input),
      ...input.plan.args,
      ...toTargetsFrom(input.plan),
    ],
  ];
}

/** oxlint. It exits with 1 for findings and for a broken configuration; in the second case it prints no JSON. */
export const oxlint: EngineSpec = {
  id: 'oxlint',
  kind: 'lint',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte,astro}'],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: 'oxlint/bin/oxlint' }],
  toSteps,
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parseOxlint,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: ['**/.oxlintrc.{json,jsonc}', '**/oxlint.config.ts'],
  detection: { files: ['.oxlintrc.{json,jsonc}', 'oxlint.config.ts'] },
  env: {},
  timeoutMs: 600_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: ['import(no-unresolved)'],
  isCacheable: true,
};
