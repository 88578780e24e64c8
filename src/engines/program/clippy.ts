import { posix } from 'node:path';
import { z } from 'zod';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { createLinesParser } from '../parse/create-parser.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toCodeFinding } from '../parse/to-finding.ts';

function toArgs({ plan, artifacts, files }: ArgsInput): readonly string[] {
  // cargo would write a missing or outdated lock file into the workspace. `--locked` prevents the second.
  const locked = files.includes(posix.join(plan.cwd, 'Cargo.lock')) ? ['--locked'] : [];
  return [
    ...['clippy', '--message-format=json', '--offline', '--quiet', '--workspace', '--all-targets', ...locked],
    ...['--target-dir', posix.join(artifacts, 'target')],
    ...plan.args,
  ];
}

const Span = z.object({
  file_name: z.string(),
  line_start: z.int(),
  line_end: z.int(),
  column_start: z.int(),
  is_primary: z.boolean(),
});
const CargoLine = z.object({
  reason: z.string(),
  success: z.boolean().optional(),
  message: z
    .object({
      level: z.string(),
      code: z.object({ code: z.string() }).nullish(),
      message: z.string(),
      spans: z.array(Span),
    })
    .optional(),
});
type CargoMessage = NonNullable<z.infer<typeof CargoLine>['message']>;

/** For example `2 warnings emitted`: a summary without a place. */
const SUMMARY = /^(?:aborting due to|\d+ warnings? emitted|For more information about)/u;

/** Findings from cargo's JSON Lines. Every target of a package repeats its messages; each is kept once. */
const parse = createLinesParser('cargo', readLine, (lines, input) => {
  const findings = lines.flatMap(({ reason, message }) => {
    const isFinding = reason === 'compiler-message' && message !== undefined && !isSummary(message);
    return isFinding ? [toClippyFinding(message, input)] : [];
  });
  const finished = lines.find(({ reason }) => reason === 'build-finished');
  return toBoundedPayload({ findings: dropRepeated(findings), partial: toPartial(finished?.success ?? null) });
});

function readLine(line: string): readonly z.infer<typeof CargoLine>[] | null {
  const reading = readJson(line, CargoLine);
  return reading.kind === 'ok' ? [reading.value] : null;
}

function dropRepeated(findings: readonly ParsedFinding[]): readonly ParsedFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function toPartial(success: boolean | null): string | null {
  if (success === null) return 'cargo did not finish the build';
  return success ? null : 'the code does not compile, so not all of it was looked at';
}

function isSummary({ spans, message }: CargoMessage): boolean {
  return spans.length === 0 && SUMMARY.test(message);
}

function toClippyFinding(message: CargoMessage, input: ParseInput): ParsedFinding {
  const { level, code, spans } = message;
  const span = spans.find(({ is_primary: isPrimary }) => isPrimary) ?? spans[0];
  const found = {
    isParseError: isCompilerError(message),
    native: level,
    rule: code?.code,
    message: message.message,
    file: span?.file_name,
    line: span?.line_start,
    column: span?.column_start,
    endLine: span?.line_end,
  };
  return toCodeFinding(found, input);
}

/** Lints have names. Compiler errors have numbers (`E0308`), or no code for a syntax error. */
function isCompilerError({ level, code }: CargoMessage): boolean {
  return level.startsWith('error') && /^E\d+$|^$/u.test(code?.code ?? '');
}

/** clippy for the whole cargo workspace. Build output goes to the artifacts, and nothing is downloaded. */
export const clippy: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'clippy',
  kind: 'lint',
  globs: ['**/*.rs'],
  targetMode: 'project',
  // Without a lock file cargo writes one, in the root of the workspace.
  writes: ['Cargo.lock'],
  launchers: [{ kind: 'program', name: 'cargo', versionArgs: ['clippy', '--version'] }],
  toCommands: (input) => [toArgs(input)],
  parse,
  // 101 is code with errors, or a missing manifest without output on stdout; 1 is an error in the arguments.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [101], toolFailure: [1] } }],
  configFiles: [
    '**/Cargo.toml',
    'Cargo.lock',
    'clippy.toml',
    '.clippy.toml',
    'rust-toolchain{,.toml}',
    '.cargo/config{,.toml}',
  ],
  detection: {
    files: ['clippy.toml', '.clippy.toml'],
    cargoSection: ['[lints.clippy', '[workspace.lints.clippy'],
    unit: 'cargo',
  },
  timeoutMs: 1_800_000,
};
