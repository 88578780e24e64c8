import { z } from 'zod';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput, toPlanArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

/** A position in a file; line 0 means none. */
const Point = z.object({ line: z.number(), column: z.number() });

/** The part of `--reporter=json` that is read. Biome calls the format experimental, so only what is needed is required. */
const BiomeDiagnostic = z.object({
  severity: z.string(),
  message: z.string(),
  category: z.string().nullish(),
  location: z.object({ path: z.string().nullish(), start: Point.nullish(), end: Point.nullish() }).nullish(),
});
type BiomeDiagnostic = z.infer<typeof BiomeDiagnostic>;
const BiomeReport = z.object({
  summary: z.object({
    diagnosticsNotPrinted: z.number().optional(),
    changed: z.number().optional(),
    unchanged: z.number().optional(),
  }),
  diagnostics: z.array(BiomeDiagnostic),
});

/** Categories of messages about Biome itself and about its arguments. */
const OF_THE_TOOL = /^(?:fs|internalError|flags)\//u;
const PARSE = 'parse';

/** Findings of Biome: rules, formatting and syntax. For a file that does not parse, Biome does not report everything. */
const parse = createJsonParser("Biome's report", BiomeReport, ({ summary, diagnostics }, input) => {
  const failure = diagnostics.find(isOfTheTool);
  const findings = diagnostics
    .filter((diagnostic) => !isOfTheTool(diagnostic))
    .map((diagnostic) => toBiomeFinding(diagnostic, input));
  const { diagnosticsNotPrinted: notPrinted = 0, changed = 0, unchanged } = summary;
  const partial = notPrinted > 0 ? `${String(notPrinted)} of its findings were not printed` : null;
  const isIdle = unchanged === 0 && changed === 0 && diagnostics.length === 0;
  return toBoundedPayload({
    findings: dropRepeated(findings),
    ...(partial === null
      ? toUnparsed(findings, () => 'Biome could not parse a file, so what it says of that file is not all')
      : { partial }),
    ...(isIdle ? { partial: NO_FILE_SEEN } : {}),
    toolFailure: failure === undefined ? null : `${failure.message} ${failure.location?.path ?? ''}`.trim(),
  });
});

function isOfTheTool({ category }: BiomeDiagnostic): boolean {
  return OF_THE_TOOL.test(category ?? '');
}

/** Each pass (rules, formatting) reports the same syntax error again. */
function dropRepeated(findings: readonly ParsedFinding[]): readonly ParsedFinding[] {
  const errors = new Set<string>();
  return findings.filter((finding) => {
    if (finding.kind !== 'parse_error') return true;
    const key = JSON.stringify([finding.path, finding.line, finding.column, finding.message]);
    if (errors.has(key)) return false;
    errors.add(key);
    return true;
  });
}

function toBiomeFinding({ severity, message, category, location }: BiomeDiagnostic, input: ParseInput): ParsedFinding {
  const isParseError = category === PARSE;
  const found = {
    isParseError,
    kind: category === 'format' ? 'format' : 'lint',
    native: severity,
    rule: isParseError ? null : category,
    message,
    file: location?.path,
    line: location?.start?.line,
    column: location?.start?.column,
    endLine: location?.end?.line,
  } as const;
  return toCodeFinding(found, input);
}

const GLOBS = ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,json,jsonc,css,graphql,gql,html,vue,svelte,astro}'];

function toArgs(command: readonly string[], input: ArgsInput): readonly string[] {
  const report = ['--reporter=json', '--max-diagnostics=none', '--colors=off'];
  return [
    ...command,
    ...report,
    '--no-errors-on-unmatched',
    ...toPlanArguments('--config-path', toCoveringInput(input, GLOBS)),
  ];
}

/** Biome 2. It exits with 1 for findings and for a broken configuration; in the second case it prints nothing. */
export const biome: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'biome',
  kind: 'lint',
  globs: GLOBS,
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: '@biomejs/biome/bin/biome' }],
  toCommands: (input) => [toArgs(['ci'], input)],
  fixer: { toCommands: (input) => [toArgs(['check', '--write'], input)], formats: true },
  parse,
  configFiles: ['**/biome.{json,jsonc}', '**/.biome.{json,jsonc}'],
  // Biome merges such a configuration into the one above.
  detection: { files: ['biome.{json,jsonc}', '.biome.{json,jsonc}'], inner: /"root"\s*:\s*false/u },
};
