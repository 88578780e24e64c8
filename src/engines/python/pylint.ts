import { posix } from 'node:path';
import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser } from '../../core/model/engine.ts';
import type { ParsedFinding, Severity } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput, toPlanArguments } from '../declare/plan-arguments.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { readJson } from '../parse/read-json.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';
import { PYTHON_ENV, PYTHON_FILES, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

/** First version that searches folders that are not packages. */
const RECURSIVE_SINCE = '>=2.13';
/** Since 3 it exits with 32 where it looks at no file. */
const MAY_SEE_NOTHING = '<3';
/** First version with two formats at a time. */
const TWO_FORMATS_SINCE = '>=2.9';
const REPORT = 'pylint.json';
/** It is there if pylint looked at a file, whatever messages and reports are switched off (measured with 2.16). */
const SEEN = /^\d+ statements analysed\.$/mu;

function toArgs(input: ArgsInput): readonly string[] {
  const { version, artifacts } = input;
  const tellsMore = isInRange(version, MAY_SEE_NOTHING) && isInRange(version, TWO_FORMATS_SINCE);
  return [
    ...(tellsMore
      ? [`--output-format=json:${posix.join(artifacts, REPORT)},text`, '--reports=y']
      : ['--output-format=json']),
    ...['--score=n', '--persistent=n'],
    ...(version === null || isInRange(version, RECURSIVE_SINCE) ? ['--recursive=y'] : []),
    // A list of ignored paths on the command line would replace that of the configuration.
    ...toPlanArguments('--rcfile', toCoveringInput(input, PYTHON_FILES)),
  ];
}

const PylintMessages = z.array(
  z.object({
    type: z.string(),
    module: z.string(),
    line: z.int().nullish(),
    /** 0-based. */
    column: z.int().nullish(),
    endLine: z.int().nullish(),
    path: z.string(),
    symbol: z.string(),
    message: z.string(),
  }),
);
type PylintMessage = z.infer<typeof PylintMessages>[number];

const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  error: 'high',
  warning: 'medium',
  refactor: 'low',
  convention: 'low',
  info: 'low',
};
/** A plugin could not be loaded, so its rules were not applied. */
const FAILURES: readonly string[] = ['bad-plugin-value'];
const SYNTAX: readonly string[] = ['syntax-error', 'parse-error'];
/** The path of a message that is about no file. */
const NO_FILE = 'Command line or configuration file';
/** Printed as text before the list (measured with 2.16). */
const BROKEN_CONFIG = /\bF0011: (?<why>.+)$/mu;
/** The second half of a crash message names a file by the current time. */
const INVITATION = / Please open an issue in our bug tracker.*$/su;

/** Findings of pylint, and its own failures. Before 3, a run that names none must show that it looked at a file. */
const parse: Parser = (input) => {
  const { stdout, list } = splitOutput(input);
  const isSeen = !isInRange(input.version, MAY_SEE_NOTHING) || SEEN.test(stdout);
  return createTextParser((text) => {
    const reading = readJson(text, PylintMessages);
    if (reading.kind === 'invalid') return { kind: 'invalid', why: `pylint's messages: ${reading.why}` };
    const messages = reading.value;
    const failure = messages.find(isFailure);
    const findings = messages
      .filter((message) => !isFailure(message))
      .map((message) => toPylintFinding(message, input));
    return toBoundedPayload({
      findings,
      ...(findings.length === 0 && !isSeen
        ? { partial: NO_FILE_SEEN }
        : toUnparsed(findings, (path) => `${path ?? 'a file'} could not be parsed`)),
      toolFailure: failure?.message.replace(INVITATION, '').slice(0, 1000) ?? findBrokenConfig(stdout),
    });
  })({ ...input, text: list });
};

/** `fatal` means that a file was not checked, or that pylint crashed. */
function isFailure({ type, symbol }: PylintMessage): boolean {
  return type === 'fatal' || FAILURES.includes(symbol);
}

/** The JSON list, and what stdout has beside it. What is wrong with the configuration comes before the list. */
function splitOutput({ text, reports }: ParseInput): { readonly stdout: string; readonly list: string | null } {
  const report = reports[REPORT] ?? null;
  const stdout = text ?? '';
  if (report !== null) return { stdout, list: report };
  const start = stdout.search(/^\[/mu);
  const head = stdout.slice(0, Math.max(start, 0));
  return BROKEN_CONFIG.test(head) ? { stdout: head, list: stdout.slice(start) } : { stdout: '', list: text };
}

function findBrokenConfig(stdout: string): string | null {
  const why = BROKEN_CONFIG.exec(stdout)?.groups?.['why'];
  return why === undefined ? null : `its configuration could not be read, and was not used: ${why.slice(0, 300)}`;
}

function toPylintFinding(message: PylintMessage, input: ParseInput): ParsedFinding {
  const { type, line, column, endLine, path, symbol } = message;
  const found = {
    isParseError: SYNTAX.includes(symbol),
    severity: SEVERITY_OF[type] ?? 'medium',
    native: type,
    rule: symbol,
    message: message.message,
    file: path === NO_FILE ? null : path,
    line,
    column: typeof column === 'number' ? column + 1 : null,
    endLine,
  };
  return toCodeFinding(found, input);
}

/** pylint. Its exit code is a bit mask of message kinds (resolution C11). Its statistics of earlier runs are disabled. */
export const pylint: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'pylint',
  kind: 'lint',
  globs: PYTHON_FILES,
  targetMode: 'paths',
  launchers: [toPythonLauncher('pylint')],
  toCommands: (input) => [toArgs(input)],
  output: { from: 'stdout', reports: [REPORT], emptyMeansClean: false },
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [], toolFailure: [32] } }],
  convention: 'pylint',
  configFiles: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml', ...SHARED_CONFIG_FILES],
  detection: {
    files: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml'],
    pythonSection: ['[tool.pylint', '[pylint'],
  },
  env: PYTHON_ENV,
  dependencyRules: ['import-error', 'no-name-in-module'],
};
