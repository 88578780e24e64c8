import { posix } from 'node:path';
import type { ArgsInput, EnginePlan, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPathIn } from '../../core/projects/repository-facts.ts';
import { reachesOut, readTsFolder, toSourceConfig } from '../../core/projects/ts-configs.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toConfigArguments } from '../declare/plan-arguments.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toCodeFinding, withoutRoot } from '../parse/to-finding.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

const BUILD_INFO = 'tsc.tsbuildinfo';
const SOURCE_CONFIG = 'tsconfig.json';
const MAX_LINE_LENGTH = 100_000;
const LOCATED =
  /^(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): (?<native>error|warning|message) TS(?<code>\d+): (?<text>.*)$/u;
const GLOBAL = /^(?<native>error|warning|message) TS(?<code>\d+): (?<text>.*)$/u;
/** `--listFiles` prints each file of the program as an absolute path. */
const PROGRAM_FILE = /^(?:\/|[A-Za-z]:[\\/]).+\.[A-Za-z]+$/u;
const NO_INPUTS = 18_003;

interface Diagnostic {
  readonly file: string | null;
  /** NaN if the message has no place. */
  readonly line: number;
  readonly column: number;
  readonly native: string;
  readonly code: number;
  readonly message: string;
}

interface Output {
  readonly diagnostics: readonly Diagnostic[];
  /** Number of the repository's files in the program. */
  readonly programFiles: number;
}

/**
 * Errors of the TypeScript compiler, from its text output. A run is partial if an error hides others: after a syntax error or an
 * error of the whole program the compiler checks no types, and a project without files (only references) checks nothing.
 */
const parse = createTextParser((text, input) => {
  const output = readOutput(text, input);
  return typeof output === 'string' ? { kind: 'invalid', why: output } : judgeOutput(output, input);
});

/** The parsed output, or why a line is not known compiler output (resolution C2). */
function readOutput(text: string, input: ParseInput): Output | string {
  const diagnostics: Diagnostic[] = [];
  let programFiles = 0;
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (line === '') continue;
    const diagnostic = readDiagnostic(line.slice(0, MAX_LINE_LENGTH), input);
    const last = diagnostics.at(-1);
    if (diagnostic !== null) diagnostics.push(diagnostic);
    else if (/^\s/u.test(line) && last !== undefined) diagnostics[diagnostics.length - 1] = continueMessage(last, line);
    else if (PROGRAM_FILE.test(line)) programFiles += isOfRepository(line, input) ? 1 : 0;
    else return `line ${String(index + 1)} is none of the compiler's: ${line.slice(0, 100)}`;
  }
  return { diagnostics, programFiles };
}

function readDiagnostic(line: string, input: ParseInput): Diagnostic | null {
  const groups = (LOCATED.exec(line) ?? GLOBAL.exec(line))?.groups;
  if (groups === undefined) return null;
  const { file, line: row, column, native = 'error', code, text = '' } = groups;
  return {
    file: file ?? null,
    line: Number(row),
    column: Number(column),
    native,
    code: Number(code),
    message: withoutRoot(text, input),
  };
}

function continueMessage(diagnostic: Diagnostic, line: string): Diagnostic {
  return { ...diagnostic, message: `${diagnostic.message}\n${line}` };
}

function isOfRepository(path: string, input: ParseInput): boolean {
  const relative = toRepositoryPath(path, input);
  return relative !== null && !relative.split('/').includes('node_modules');
}

function judgeOutput({ diagnostics, programFiles }: Output, input: ParseInput): Payload {
  const hasChecked = diagnostics.some(isOfTypes);
  const failures = diagnostics.filter(isToolFailure);
  const findings = diagnostics
    .filter((diagnostic) => !isToolFailure(diagnostic))
    .map((diagnostic) => toTscFinding(diagnostic, { hasChecked, input }));
  return toBoundedPayload({
    findings,
    partial: findPartial(diagnostics, hasChecked, programFiles),
    toolFailure: failures[0] === undefined ? null : `TS${String(failures[0].code)}: ${failures[0].message}`,
  });
}

/** An unusable option, or a missing configuration or project. */
function isToolFailure({ file, code }: Diagnostic): boolean {
  return file === null && (isAboutOptions(code) || code === NO_INPUTS);
}

/**
 * An unknown option, a missing project, or a configuration that is not JSON: the compiler continued with defaults. In a source
 * file the same codes are ordinary errors (TS6133: unused), which do not keep the compiler from checking types (measured with 6.0).
 */
function isOfConfiguration(diagnostic: Diagnostic): boolean {
  const { file, code } = diagnostic;
  if (file === null) return isToolFailure(diagnostic);
  return file.endsWith('.json') && (isAboutOptions(code) || isAboutSyntax(code) || code === NO_INPUTS);
}

function isAboutOptions(code: number): boolean {
  return code >= 5000 && code < 7000;
}

function isAboutSyntax(code: number): boolean {
  return code >= 1000 && code < 2000;
}

/** An error that only type checking reports, so the compiler got that far. */
function isOfTypes(diagnostic: Diagnostic): boolean {
  const { file, code } = diagnostic;
  return file !== null && !isAboutSyntax(code) && !isOfConfiguration(diagnostic);
}

function findPartial(diagnostics: readonly Diagnostic[], hasChecked: boolean, programFiles: number): string | null {
  if (diagnostics.some(isOfConfiguration))
    return 'its configuration has an error, so it did not check what it should have';
  if (!hasChecked && diagnostics.some(({ code }) => isAboutSyntax(code)))
    return 'a file has an error of syntax, which keeps the compiler from checking types anywhere';
  if (!hasChecked && diagnostics.length > 0)
    return 'an error of the whole program keeps the compiler from checking types anywhere';
  return programFiles === 0 ? 'it looked at no file of the repository' : null;
}

function toTscFinding(
  { file, line, column, native, code, message }: Diagnostic,
  { hasChecked, input }: { readonly hasChecked: boolean; readonly input: ParseInput },
): ParsedFinding {
  // Type checking also reports some codes of this range. If it ran, the syntax was valid.
  const isParseError = isAboutSyntax(code) && !hasChecked;
  const rule = `TS${String(code)}`;
  return toCodeFinding({ kind: 'type', file, isParseError, native, rule, message, line, column }, input);
}

function toArgs(input: ArgsInput): readonly string[] {
  const { plan, artifacts } = input;
  const project = hasSourceConfig(input)
    ? ['--project', posix.join(artifacts, SOURCE_CONFIG)]
    : toConfigArguments('--project', input);
  return [
    ...['--noEmit', '--pretty', 'false', '--listFiles'],
    // A composite project writes its build information anyway, so it goes outside the workspace.
    ...['--incremental', '--tsBuildInfoFile', posix.join(artifacts, BUILD_INFO)],
    ...(project.length === 0 ? ['--project', '.'] : project),
    ...plan.args,
  ];
}

function findConfig({ plan }: ArgsInput): string {
  return plan.configPath ?? toPathIn(plan.cwd, 'tsconfig.json');
}

function toFiles(input: ArgsInput): Readonly<Record<string, string>> {
  const text = toSourceConfig(findConfig(input), input, { texts: input.texts ?? {} });
  return text === null ? {} : { [SOURCE_CONFIG]: text };
}

function hasSourceConfig(input: ArgsInput): boolean {
  return SOURCE_CONFIG in toFiles(input);
}

/** A solution stands for several configurations, each of which is a run of its own, as for `tsc --build`. */
function toParts({ plan, files, texts = {} }: ArgsInput): readonly EnginePlan[] {
  if (plan.configPath !== null || !files.includes(toPathIn(plan.cwd, 'tsconfig.json'))) return [plan];
  const read = readTsFolder(plan.cwd, { files, texts });
  const own = toPathIn(plan.cwd, 'tsconfig.json');
  const configs = read.kind === 'project' ? read.configs : [own];
  return configs.map((config) => (config === own ? plan : { ...plan, configPath: config }));
}

/**
 * The TypeScript compiler, 5 and newer. The exit code does not separate findings from failures (for the same errors TypeScript 5
 * exits with 2 or 1, 7 with 1); the error codes do.
 */
export const tsc: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'tsc',
  kind: 'type',
  globs: ['**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}'],
  targetMode: 'project',
  launchers: [{ kind: 'node', script: 'typescript/bin/tsc' }],
  toParts,
  toFiles,
  reachesOut,
  toCommands: (input) => [toArgs(input)],
  // It lists the files that it checked, so empty output never means clean.
  output: { from: 'stdout', emptyMeansClean: false },
  parse,
  exitCodes: [
    { versions: '<7', codes: { success: [0], diagnostic: [1, 2], toolFailure: [3, 4, 5] } },
    { versions: '>=7', codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4, 5] } },
    { versions: null, codes: { success: [0], diagnostic: [1, 2], toolFailure: [3, 4, 5] } },
  ],
  configFiles: ['**/tsconfig*.json', '**/jsconfig.json'],
  detection: { files: ['tsconfig.json'], unit: 'tsconfig' },
  timeoutMs: 900_000,
  dependencyRules: ['TS2307', 'TS2580', 'TS2582', 'TS2591', 'TS2688', 'TS2875', 'TS7016'],
};
