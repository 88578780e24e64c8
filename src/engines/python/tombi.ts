import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput } from '../declare/plan-arguments.ts';
import { createLinesParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';

const GLOBS = ['**/*.toml'];

/** It reads names as patterns: for `app/[id]` it would check nothing and still exit with 0 (measured). */
function toPatterns(input: ArgsInput): readonly string[] {
  const { plan, files } = toCoveringInput(input, GLOBS);
  const known = new Set(files);
  return toTargetsFrom(plan).map((target, index) => {
    const literal = target.replaceAll(/[*?[]/gu, '[$&]');
    return literal === target || known.has(plan.targets[index] ?? '') ? literal : `${literal}/**/*.toml`;
  });
}

const MESSAGE = /^\s*(?<native>Error|Warning): (?<text>.+)$/u;
const PLACE = /^\s+at (?<file>.+):(?<line>\d+):(?<column>\d+)$/u;
const SUMMARY = /^\d+ files? (?:linted successfully|failed to be linted)$/u;
const NO_FILES = /^No files linted$/mu;
const BROKEN_CONFIG = /^failed to parse config file/u;
/** Its messages have no rule names. After such a message it reports nothing else about the file (measured). */
const SYNTAX = /^(?:expected (?!a value of type)|unexpected |invalid )/iu;

type Groups = Readonly<Record<string, string>>;

/** Content of one line: the start of a message, its place, or more of its text. */
type Line =
  | { readonly kind: 'message'; readonly groups: Groups }
  | { readonly kind: 'place'; readonly groups: Groups }
  | { readonly kind: 'more'; readonly text: string };

interface Message {
  readonly native: string;
  readonly text: string;
  /** null: the message has no place. */
  readonly place: Groups | null;
}

/** Findings of tombi: messages of one or more lines, with the place below. An error without a place is about tombi itself. */
const parse = createLinesParser('tombi', readLine, (lines, input) => {
  const messages = joinLines(lines);
  if (messages === null) return { kind: 'invalid', why: 'tombi tells a place without a message' };
  const findings = messages.flatMap((message) => toTombiFinding(message, input));
  return toBoundedPayload({
    findings,
    ...(NO_FILES.test(input.text ?? '')
      ? { partial: NO_FILE_SEEN }
      : toUnparsed(findings, (path) => `${path ?? 'a file'} could not be parsed`)),
    toolFailure: messages.find(isAboutTombi)?.text.slice(0, 1000) ?? null,
  });
});

function readLine(line: string): readonly Line[] | null {
  if (SUMMARY.test(line) || NO_FILES.test(line)) return [];
  const message = MESSAGE.exec(line)?.groups;
  if (message !== undefined) return [{ kind: 'message', groups: message }];
  const place = PLACE.exec(line)?.groups;
  if (place !== undefined) return [{ kind: 'place', groups: place }];
  return /^\s/u.test(line) ? [{ kind: 'more', text: line.trim() }] : null;
}

/** null if a line belongs to no message. */
function joinLines(lines: readonly Line[]): readonly Message[] | null {
  const messages: Message[] = [];
  for (const line of lines) {
    const message = line.kind === 'message' ? toMessage(line.groups) : addLine(messages.pop(), line);
    if (message === null) return null;
    messages.push(message);
  }
  return messages;
}

function toMessage({ native = '', text = '' }: Groups): Message {
  return { native, text, place: null };
}

function addLine(last: Message | undefined, line: Exclude<Line, { kind: 'message' }>): Message | null {
  if (last === undefined || last.place !== null) return null;
  return line.kind === 'place' ? { ...last, place: line.groups } : { ...last, text: `${last.text}\n${line.text}` };
}

function isAboutTombi({ native, text, place }: Message): boolean {
  return place === null && (native === 'Error' || BROKEN_CONFIG.test(text));
}

function toTombiFinding({ native, text, place }: Message, input: ParseInput): readonly ParsedFinding[] {
  if (place === null) return [];
  const at = { file: place['file'], line: Number(place['line']), column: Number(place['column']) };
  const isParseError = native === 'Error' && SYNTAX.test(text);
  return [toCodeFinding({ ...at, isParseError, native: native.toLowerCase(), message: text }, input)];
}

/**
 * tombi, a linter for TOML that writes text to stderr. It exits with 1 if a file does not exist, and with 1 (1.2) or 0 (1.5) if
 * it cannot parse its configuration (measured), so the output decides.
 */
export const tombi: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'tombi',
  kind: 'lint',
  globs: GLOBS,
  targetMode: 'paths',
  launchers: [
    { kind: 'node', script: '@tombi-toml/tombi/bin/tombi' },
    { kind: 'node', script: 'tombi/bin/tombi' },
    { kind: 'program', name: 'tombi', versionArgs: ['--version'] },
  ],
  // It accepts no configuration file as an argument and finds its own.
  toCommands: (input) => [['lint', '--offline', ...input.plan.args, ...toPatterns(input)]],
  output: { from: 'stderr', emptyMeansClean: false },
  parse,
  convention: 'tombi',
  configFiles: ['tombi.toml', '.tombi.toml', 'pyproject.toml'],
  detection: { files: ['tombi.toml', '.tombi.toml'], pythonSection: ['[tool.tombi'] },
  // It checks files in parallel and writes each message in pieces, which several threads would mix.
  env: { TOKIO_WORKER_THREADS: '1' },
  timeoutMs: 300_000,
};
