import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { FindingKind, ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { readJson } from '../parse/read-json.ts';
import { type ToldFinding, toBoundedPayload, toFinding } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

/** A position in a file; line 0 means none. */
const Point = z.object({ line: z.number(), column: z.number() });

/** The part of `--reporter=json` that is read. Biome calls the format experimental, so only what is needed is required. */
const BiomeLocation = z.object({ path: z.string().nullish(), start: Point.nullish(), end: Point.nullish() });
type BiomeLocation = z.infer<typeof BiomeLocation>;
const BiomeDiagnostic = z.object({
  severity: z.string(),
  message: z.string(),
  category: z.string().nullish(),
  location: BiomeLocation.nullish(),
});
type BiomeDiagnostic = z.infer<typeof BiomeDiagnostic>;
const BiomeReport = z.object({
  summary: z.object({ diagnosticsNotPrinted: z.number().optional() }),
  diagnostics: z.array(BiomeDiagnostic),
});

/** Categories of messages about Biome itself and about its arguments. */
const OF_THE_TOOL = /^(?:fs|internalError|flags)\//u;
const PARSE = 'parse';

/** Findings of Biome: rules, formatting and syntax. For a file that does not parse, Biome does not report everything. */
export const parseBiome: Parser = (input) => {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, BiomeReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `Biome's report: ${reading.why}` };
  const { summary, diagnostics } = reading.value;
  const failure = diagnostics.find(isOfTheTool);
  const findings = diagnostics
    .filter((diagnostic) => !isOfTheTool(diagnostic))
    .map((diagnostic) => toBiomeFinding(diagnostic, input));
  return toBoundedPayload({
    findings: dropRepeated(findings),
    partial: findPartial(diagnostics, summary.diagnosticsNotPrinted ?? 0),
    toolFailure: failure === undefined ? null : `${failure.message} ${failure.location?.path ?? ''}`.trim(),
  });
};

function isOfTheTool({ category }: BiomeDiagnostic): boolean {
  return OF_THE_TOOL.test(category ?? '');
}

function findPartial(diagnostics: readonly BiomeDiagnostic[], notPrinted: number): string | null {
  if (notPrinted > 0) return `${String(notPrinted)} of its findings were not printed`;
  const hasUnparsed = diagnostics.some(({ category }) => category === PARSE);
  return hasUnparsed ? 'Biome could not parse a file, so what it says of that file is not all' : null;
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
  return toFinding({
    kind: toBiomeKind(category ?? ''),
    severity: isParseError ? 'blocker' : toSeverity(severity),
    native: severity,
    rule: isParseError ? null : category,
    message,
    ...toPlace(location ?? {}, input),
  });
}

function toPlace({ path, start, end }: BiomeLocation, input: ParseInput): Partial<ToldFinding> {
  return {
    path: typeof path === 'string' ? toRepositoryPath(path, input) : null,
    line: start?.line,
    column: start?.column,
    endLine: end?.line,
  };
}

function toBiomeKind(category: string): FindingKind {
  if (category === PARSE) return 'parse_error';
  return category === 'format' ? 'format' : 'lint';
}

function toSteps(input: ArgsInput): readonly (readonly string[])[] {
  return [
    [
      ...['ci', '--reporter=json', '--max-diagnostics=none', '--colors=off', '--no-errors-on-unmatched'],
      ...toConfigArguments('--config-path', input),
      ...input.plan.args,
      ...toTargetsFrom(input.plan),
    ],
  ];
}

/** Biome 2. It exits with 1 for findings and for a broken configuration; in the second case it prints nothing. */
export const biome: EngineSpec = {
  id: 'biome',
  kind: 'lint',
  globs: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,json,jsonc,css,graphql,gql,html,vue,svelte,astro}'],
  targetMode: 'paths',
  launchers: [{ kind: 'node', script: '@biomejs/biome/bin/biome' }],
  toSteps,
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parseBiome,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  configFiles: ['**/biome.{json,jsonc}', '**/.biome.{json,jsonc}'],
  detection: { files: ['biome.{json,jsonc}', '.biome.{json,jsonc}'] },
  env: {},
  timeoutMs: 600_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
};
