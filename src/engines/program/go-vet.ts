import { z } from 'zod';
import type { EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toCodeFinding } from '../parse/to-finding.ts';
import { GO_CONFIG_FILES, GO_ENV, GO_FILES, toPackages } from './go-packages.ts';

const Diagnostic = z.object({ posn: z.string(), message: z.string() });
/** By package, then by analyzer. An analyzer that failed has an error instead of a list. */
const Diagnostics = z.record(
  z.string(),
  z.record(z.string(), z.union([z.array(Diagnostic), z.object({ error: z.string() })])),
);

const PACKAGE = /^# \S/u;
const PROGRESS = /^go: (?:downloading|finding|extracting) /u;
const TYPE_ERROR = /^vet: (?<posn>\S.*?:\d+(?::\d+)?): (?<message>.+)$/u;
const POSITION = /^(?<file>.+?):(?<line>\d+)(?::(?<column>\d+))?$/u;

interface Reading {
  readonly findings: readonly ParsedFinding[];
  readonly partial: string | null;
}

/** Findings of go vet: for each package a heading and a JSON object, or why it could not be checked. */
const parse = createTextParser((text, input) => {
  const findings: ParsedFinding[] = [];
  let partial: string | null = null;
  for (const block of toBlocks(text)) {
    const reading = readBlock(block, input);
    if (reading === null) return { kind: 'invalid', why: `no output of go vet: ${block.slice(0, 200)}` };
    findings.push(...reading.findings);
    partial ??= reading.partial;
  }
  return toBoundedPayload({ findings, partial });
});

/** JSON objects (from a line `{` to the next line `}`), and all other lines one by one, without headings and progress. */
function toBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: string[] | null = null;
  for (const line of text.split(/\r?\n/u)) {
    if (open !== null) open.push(line);
    else if (line === '{') open = [line];
    else if (line.trim() !== '' && !PACKAGE.test(line) && !PROGRESS.test(line)) blocks.push(line);
    if (line === '}' && open !== null) {
      blocks.push(open.join('\n'));
      open = null;
    }
  }
  return open === null ? blocks : [...blocks, open.join('\n')];
}

/** null: not known output of go vet. */
function readBlock(block: string, input: ParseInput): Reading | null {
  const failed = TYPE_ERROR.exec(block)?.groups;
  if (failed !== undefined) {
    const { posn = '', message = '' } = failed;
    const finding = toVetFinding({ posn, message, analyzer: null }, input);
    return { findings: [finding], partial: 'a package does not build, so it was not looked at' };
  }
  const reading = readJson(block, Diagnostics);
  if (reading.kind === 'invalid') return null;
  const byAnalyzer = Object.values(reading.value).flatMap((analyzers) => Object.entries(analyzers));
  const broken = byAnalyzer.find(([, result]) => !Array.isArray(result));
  return {
    findings: byAnalyzer.flatMap(([analyzer, result]) =>
      Array.isArray(result) ? result.map((diagnostic) => toVetFinding({ ...diagnostic, analyzer }, input)) : [],
    ),
    partial: broken === undefined ? null : `the analyzer ${broken[0]} failed`,
  };
}

interface VetDiagnostic {
  readonly posn: string;
  readonly message: string;
  /** null: the code does not compile. */
  readonly analyzer: string | null;
}

function toVetFinding({ posn, message, analyzer }: VetDiagnostic, input: ParseInput): ParsedFinding {
  const { file = posn, line, column } = POSITION.exec(posn)?.groups ?? {};
  const place = { file, line: Number(line), column: Number(column) };
  return toCodeFinding({ ...place, isParseError: analyzer === null, rule: analyzer, message }, input);
}

/** go vet. With `-json` it writes to stderr and exits with 0 even if it has findings (measured; resolution C3). */
export const goVet: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'go-vet',
  kind: 'lint',
  globs: GO_FILES,
  targetMode: 'packages',
  launchers: [{ kind: 'program', name: 'go', versionArgs: ['version'] }],
  toCommands: ({ plan }) => [['vet', '-json', ...plan.args, ...toPackages(plan)]],
  output: { from: 'stderr', emptyMeansClean: true },
  parse,
  // A package that does not build also gives 1 or 2; the output decides.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [], toolFailure: [] } }],
  configFiles: GO_CONFIG_FILES,
  detection: { files: ['go.mod'], unit: 'go' },
  env: GO_ENV,
};
