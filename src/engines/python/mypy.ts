import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import { toExcludesFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput, Parser, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toPlanArguments } from '../declare/plan-arguments.ts';
import { createLinesParser } from '../parse/create-parser.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toCodeFinding } from '../parse/to-finding.ts';
import { PYTHON_ENV, PYTHON_FILES, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

/** First version that writes JSON. Even then syntax errors are lines of text (https://github.com/python/mypy/issues/21370). */
const JSON_SINCE = '>=1.11';
/** Errors after which nothing is checked, such as a syntax error or two files of one module. */
const BLOCKED = 2;
const SYNTAX = 'syntax';

function toArgs(input: ArgsInput): readonly string[] {
  return [
    '--cache-dir=/dev/null',
    ...['--show-column-numbers', '--show-error-end', '--show-error-codes', '--no-pretty'],
    ...['--no-error-summary', '--no-color-output', '--hide-error-context'],
    ...(isInRange(input.version, JSON_SINCE) ? ['--output=json'] : []),
    ...toExcludesFrom(input.plan).map((folder) => `--exclude=^${escapeRegExp(folder)}/`),
    ...toPlanArguments('--config-file', input),
  ];
}

/** The configuration files of mypy in the order in which it looks for them: it uses the first one with a section for it. */
const SECTIONS = [
  ['mypy.ini', /^\[mypy\]\s*$/mu],
  ['.mypy.ini', /^\[mypy\]\s*$/mu],
  ['pyproject.toml', /^\[tool\.mypy\]\s*$/mu],
  ['setup.cfg', /^\[mypy\]\s*$/mu],
] as const;

/** Whether its configuration names what to check. Without that, mypy refuses to run without a path. */
function hasOwnScope(readText: (name: string) => string | null): boolean {
  for (const [name, section] of SECTIONS) {
    const text = readText(name);
    const found = text === null ? null : section.exec(text);
    if (text === null || found === null) continue;
    const rest = text.slice(found.index + found[0].length);
    const end = rest.search(/^\[/mu);
    return /^\s*(?:files|packages|modules)\s*=/mu.test(end === -1 ? rest : rest.slice(0, end));
  }
  return false;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
}

const JsonLine = z.object({
  file: z.string().min(1),
  line: z.int(),
  /** 0-based; negative if it is unknown. */
  column: z.int(),
  end_line: z.int().nullish(),
  message: z.string(),
  hint: z.string().nullish(),
  code: z.string().nullish(),
  severity: z.string(),
});

const TEXT_LINE =
  /^(?<file>.+?):(?:(?<line>\d+):(?:(?<column>\d+):(?:(?<endLine>\d+):\d+:)?)?)? (?<native>error|warning|note):(?: (?<message>.*))?$/u;
const CODE = / {2}\[(?<code>[a-z][a-z0-9-]*)\]$/u;
/** Summary line, printed if the configuration asks for it. */
const SUMMARY = /^(?:Found \d+ errors? in \d+ files? .*|Success: .*)$/u;

/** One message as reported; positions are 1-based. */
interface Message {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly native: string;
  readonly message: string;
  readonly code: string | null;
}

/** Findings of mypy, and its own failures. */
const parse: Parser = (input) => {
  const toolFailure = findOwnFailure(input.stderr);
  const payload = withIgnoredSettings(parseMessages(input), input);
  if (toolFailure === null || payload.kind === 'invalid') return payload;
  return payload.kind === 'parsed' ? { ...payload, toolFailure } : toBoundedPayload({ findings: [], toolFailure });
};

/** mypy goes on without a setting that it does not know or cannot read, and ends with 0. */
function withIgnoredSettings(payload: Payload, { stderr, exitCode }: ParseInput): Payload {
  const ignored = Array.from(stderr.matchAll(IGNORED_SETTING), ([line]) => line.slice(0, 300));
  if (ignored.length === 0) return payload;
  const notes = [`it went on without a setting: ${ignored.slice(0, MAX_IGNORED).join('; ')}`];
  if (payload.kind === 'parsed') return { ...payload, notes };
  return payload.kind === 'empty' && exitCode === 0 ? toBoundedPayload({ findings: [], notes }) : payload;
}

const parseMessages = createLinesParser('mypy', readLine, (messages, input) => {
  const blocked = findBlock(messages, input.exitCode);
  return toBoundedPayload({
    findings: toFindings(messages, input),
    partial: blocked === null ? null : 'mypy stopped at errors that prevent further checking',
    toolFailure: blocked?.failure ?? null,
  });
});

/** null if mypy did not stop. `failure`: an error without a line as the cause, such as two files of one module. */
function findBlock(messages: readonly Message[], exitCode: number | null): { readonly failure: string | null } | null {
  if (exitCode !== BLOCKED && !messages.some(({ code }) => code === SYNTAX)) return null;
  return { failure: messages.find(({ line, native }) => line === null && native === 'error')?.message ?? null };
}

function readLine(line: string): readonly Message[] | null {
  if (SUMMARY.test(line)) return [];
  return line.startsWith('{') ? readJsonLine(line) : readTextLine(line);
}

function readJsonLine(line: string): readonly Message[] | null {
  const reading = readJson(line, JsonLine);
  if (reading.kind === 'invalid') return null;
  const { file, line: row, column, end_line: endLine, message, hint, code, severity } = reading.value;
  const said = typeof hint === 'string' && hint !== '' ? `${message}\n${hint}` : message;
  const place = { file, line: row, column: column + 1, endLine: endLine ?? null };
  return [{ ...place, native: severity, message: said, code: code ?? null }];
}

function readTextLine(line: string): readonly Message[] | null {
  const found = TEXT_LINE.exec(line)?.groups;
  if (found === undefined) return null;
  const { file = '', native = '', message = '' } = found;
  const place = {
    file,
    line: toNumber(found['line']),
    column: toNumber(found['column']),
    endLine: toNumber(found['endLine']),
  };
  return [{ ...place, native, message: message.replace(CODE, ''), code: CODE.exec(message)?.groups?.['code'] ?? null }];
}

function toNumber(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

/** A note explains the error before it if both are about the same line; otherwise it is a finding of its own (`reveal_type`). */
function toFindings(messages: readonly Message[], input: ParseInput): readonly ParsedFinding[] {
  const groups: { readonly first: Message; readonly notes: string[] }[] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const isNote = message.native === 'note' && group?.first.native !== 'note' && group !== undefined;
    if (isNote && group.first.file === message.file && group.first.line === message.line)
      group.notes.push(message.message);
    else groups.push({ first: message, notes: [] });
  }
  return groups.map(({ first, notes }) =>
    toMypyFinding({ ...first, message: [first.message, ...notes].join('\n') }, input),
  );
}

function toMypyFinding({ code: rule, ...rest }: Message, input: ParseInput): ParsedFinding {
  return toCodeFinding({ ...rest, kind: 'type', isParseError: rule === SYNTAX, rule }, input);
}

const CRASH = /INTERNAL ERROR/u;
/** For example `mypy.ini: File contains no section headers.`, but not messages about one section (`mypy.ini: [mypy]: …`). */
const BROKEN_CONFIG = /^[^\s:]+\.(?:ini|cfg|toml): (?!\[|No \[)(?<why>.+)$/mu;

/** For example `pyproject.toml: [mypy]: Unrecognized option: strct = True`. */
const IGNORED_SETTING = /^[^\s:]+\.(?:ini|cfg|toml): \[.+$/gmu;
const MAX_IGNORED = 3;

/** What stderr says about a failure of mypy itself; null if there is none. */
function findOwnFailure(stderr: string): string | null {
  if (CRASH.test(stderr)) return 'mypy stopped with an internal error';
  const why = BROKEN_CONFIG.exec(stderr)?.groups?.['why'];
  return why === undefined ? null : `its configuration could not be read, and was not used: ${why.slice(0, 300)}`;
}

/**
 * mypy. Its cache is disabled, because it would be in the workspace. If mypy cannot parse its configuration, it ignores it and
 * exits with 0 (measured with 1.0.1), which counts as a tool failure.
 */
export const mypy: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'mypy',
  kind: 'type',
  globs: PYTHON_FILES,
  targetMode: 'project',
  launchers: [toPythonLauncher('mypy')],
  toCommands: (input) => [toArgs(input)],
  output: { from: 'stdout', emptyMeansClean: true },
  parse,
  // 2 is a syntax error of the code or an error in the settings; the output shows which.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  hasOwnScope,
  configFiles: ['mypy.ini', '.mypy.ini', ...SHARED_CONFIG_FILES.filter((name) => name !== 'tox.ini')],
  detection: { files: ['mypy.ini', '.mypy.ini'], pythonSection: ['[tool.mypy', '[mypy'] },
  env: PYTHON_ENV,
  dependencyRules: ['import', 'import-not-found', 'import-untyped'],
};
