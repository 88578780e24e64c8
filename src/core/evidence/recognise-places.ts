import type { FailureSign } from './log-failure.ts';
import { type LineForm, recogniseForm, toNumber, toPath } from './recognise-rule.ts';

/** A path at the start of a line: no blanks, and a letter of an extension or a known name before the place. */
const PATH = String.raw`(?<path>(?:[A-Za-z]:[\\/])?[^\s:()\[\]"'<>|=,;]{1,300}?\.[A-Za-z_]\w{0,11}|(?:[^\s:()\[\]"'<>|=,;]{1,300}/)?(?:Makefile|Dockerfile|Rakefile|Gemfile|Jenkinsfile|CMakeLists\.txt))`;

/** Forms with a place that only one tool, or a family of tools, writes. */
export const PLACE_FORMS: readonly LineForm[] = [
  form(
    'tsc',
    '): error TS',
    String.raw`^\s*${PATH}\((?<line>\d+),(?<column>\d+)\): error (?<rule>TS\d+): (?<message>.*)`,
  ),
  form('tsc', ' error TS', String.raw`^\s*${PATH}:(?<line>\d+):(?<column>\d+) - error (?<rule>TS\d+): (?<message>.*)`),
  form(
    'checkstyle',
    ':[',
    String.raw`^\s*${PATH}:\[(?<line>\d+)(?:,(?<column>\d+))?\] \(\w+\) (?<rule>\w+): (?<message>.*)`,
  ),
  form('javac', ':[', String.raw`^\s*${PATH}:\[(?<line>\d+)(?:,(?<column>\d+))?\] (?:error: )?(?<message>.*)`),
  form(
    'dotnet',
    ' error ',
    String.raw`^\s*${PATH}\((?<line>\d+)(?:,(?<column>\d+))?(?:,\d+,\d+)?\) ?: (?:fatal )?error (?<rule>[A-Z]{1,6}\d+) ?: (?<message>.*)`,
  ),
  form(
    null,
    '(',
    String.raw`^\s*${PATH} ?\((?<line>\d+)(?:[,:] ?(?<column>\d+))?\) ?:? (?:(?:fatal |syntax )?[Ee]rror|ERROR|FATAL)\b:? ?(?<message>.*)`,
  ),
  form('ts-node', ' (', String.raw`^\s*${PATH} \((?<line>\d+),(?<column>\d+)\): (?<message>\S.*)`),
  form('tslint', ']: ', String.raw`^\s*(?:ERROR: )?${PATH}\[(?<line>\d+), ?(?<column>\d+)\]: (?<message>.*)`),
  form('kotlinc', 'e: ', String.raw`^e: (?:file://)?${PATH}: \((?<line>\d+), (?<column>\d+)\): (?<message>.*)`),
  form('kotlinc', 'e: ', String.raw`^e: (?:file://)?${PATH}:(?<line>\d+):(?<column>\d+):? (?<message>.*)`),
  form('jshint', ': line ', String.raw`^\s*${PATH}: line (?<line>\d+), col(?:umn)? (?<column>\d+), (?<message>.*)`),
  form(
    'rubocop',
    ': ',
    String.raw`^${PATH}:(?<line>\d+):(?<column>\d+): [CEFWR]: (?:\[Correctable\] )?(?:(?<rule>[A-Z]\w+(?:/\w+)?): )?(?<message>.*)`,
  ),
  form(
    'flake8',
    ': ',
    String.raw`^${PATH}:(?<line>\d+):(?:(?<column>\d+):)? \[?(?<rule>[A-Z]{1,3}\d{2,5})(?:\([\w-]+\))?[\]:]? (?<message>.*)`,
  ),
  form(
    'mypy',
    ': error: ',
    String.raw`^(?<path>[^\s:]+\.pyi?):(?<line>\d+)(?::(?<column>\d+))?: error: (?<message>.*?)(?: {2}\[(?<rule>[\w-]+)\])?$`,
  ),
  form(
    'ocaml',
    ', characters ',
    String.raw`^File "(?<path>[^"]+\.mli?)", lines? (?<line>\d+)(?:-\d+)?, characters (?<column>\d+)-\d+:(?<message>.*)`,
  ),
  form(
    'php',
    ' error: ',
    String.raw`^(?:PHP )?(?:Parse|Fatal|Catchable fatal|Recoverable fatal) error: {1,2}(?<message>.{1,600}?) in (?<path>[^\s:]+\.\w+)(?: on line |:)(?<line>\d+)`,
  ),
  form('shellcheck', ' line ', String.raw`^In (?<path>\S+) line (?<line>\d+):$`),
  form('perl', ' line ', String.raw`^(?<message>\S.{0,500}) at (?<path>[^\s:]+\.(?:p[lm]|t)) line (?<line>\d+)[.,]`),
];

/** `path:line[:column]: message`, as most compilers and linters write it. */
const PLAIN = new RegExp(
  String.raw`^\s*(?:\*+ )?${PATH}:(?<line>\d+)(?::(?<column>\d+)|-\d+)?(?<end>:|,| -|\s|$) ?(?<rest>.*)$`,
  'u',
);
/** The severity that stands before a message. */
const WORD =
  /^[[(]?(?<word>(?:fatal |syntax |parse |internal compiler )?error|warning|warn|note|info|hint|remark|style|suggestion)\b[\])]?[:,]? ?/iu;
/** What compilers and runtimes warn of without a severity before it. */
const MILD_START = /^(?:\w*Warning\b|previous |\s|In |from )/u;
/** Below a failure it is a frame, and alone it says nothing. */
const FRAME = /^in [^:]{1,200}$/u;
const RULE_AT_END = /\[(?<square>[\w./:+=,-]{2,80})\]$|\((?<round>[a-z][\w-]{2,40}\/?[\w-]{0,40})\)$/u;
const MILD = /^(?:warning|warn|note|info|hint|remark|style|suggestion)$/iu;

/** The sign of a line that names a place in a file as the reason of a failure; null if it does not. */
export function recognisePlace(text: string): FailureSign | null {
  return recogniseForm(PLACE_FORMS, text) ?? recognisePlain(text);
}

function recognisePlain(text: string): FailureSign | null {
  const groups = PLAIN.exec(text)?.groups;
  const rest = groups?.['rest'] ?? '';
  if (groups === undefined || FRAME.test(rest)) return null;
  const [start, word] = toSeverity(rest);
  // Without a severity, only a column or a colon makes a message of it: `a.txt:3` may be anything.
  const isMessage = rest !== '' && (groups['column'] !== undefined || groups['end'] === ':');
  if (word === '' && !isMessage) return null;
  return toSign(MILD.test(word) || MILD_START.test(rest) ? 'mention' : 'place', groups, rest.slice(start.length));
}

/** The start of a message that says how severe it is, and the word for it. */
function toSeverity(rest: string): readonly [start: string, word: string] {
  const [start = '', word = ''] = WORD.exec(rest) ?? [];
  return [start, word];
}

function toSign(
  kind: FailureSign['kind'],
  { path, line, column }: Readonly<Partial<Record<string, string>>>,
  message: string,
): FailureSign {
  const place = { path: toPath(path), line: toNumber(line), column: toNumber(column) };
  return { kind, tool: null, ...place, rule: toRule(message), testId: null, message: message.trim() };
}

/** Linters write the name of the rule behind the message. */
function toRule(message: string): string | null {
  const groups = RULE_AT_END.exec(message)?.groups;
  return groups?.['square'] ?? groups?.['round'] ?? null;
}

/** A path alone on a line: eslint, stylelint and others write the places of a file below it. */
const HEADER =
  /^(?:FILE: |={3,} ?)?(?<path>(?:[A-Za-z]:[\\/])?[^\s:()[\]"'<>|=,;]{1,300}\.[A-Za-z]\w{0,9}):?(?: +\(\d+ .{0,40}\))?$/u;

/** The path of a line that stands above the places of one file; null if it is no such line. */
export function toPlaceHeader(text: string): string | null {
  return toPath(HEADER.exec(text)?.groups?.['path']);
}

/** Places of the file that a header names. */
export const BELOW_FORMS: readonly LineForm[] = [
  form(
    'eslint',
    ':',
    String.raw`^\s+(?<line>\d+):(?<column>\d+) +(?:error|✖|×)\s+(?<message>\S.*?)(?: {2,}(?<rule>[@\w/-]+))?$`,
  ),
  form('tslint', 'ERROR: ', String.raw`^\s*ERROR: +(?<line>\d+):(?<column>\d+) +(?<rule>[\w-]+) +(?<message>\S.*)$`),
  form('phpcs', '| ERROR', String.raw`^\s*(?<line>\d+) \| ERROR +\|(?: \[.\])? (?<message>\S.*)$`),
  form('jshint', ' col ', String.raw`^\s+line (?<line>\d+) +col (?<column>\d+) +(?<message>\S.*)$`),
  form(null, ':', String.raw`^\s+(?<line>\d+):(?<column>\d+) +(?!warning\b)(?<message>[A-Za-z]\S* \S.*)$`),
];

/** The sign of a line below such a header. Its path is not set. */
export function recogniseBelow(text: string): FailureSign | null {
  return recogniseForm(BELOW_FORMS, text);
}

function form(tool: string | null, needs: string, source: string): LineForm {
  return { kind: 'place', tool, needs, pattern: new RegExp(source, 'u') };
}
