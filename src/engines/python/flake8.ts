import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPathIn } from '../../core/projects/repository-facts.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput, toPlanArguments } from '../declare/plan-arguments.ts';
import { createLinesParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';
import { PYTHON_ENV, PYTHON_FILES, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

const OWN_CONFIG = '.flake8';
/** Other files with settings: flake8 uses the first one with a section for it. */
const OTHER_CONFIGS: readonly string[] = SHARED_CONFIG_FILES.filter((name) => name !== 'pyproject.toml');

function toArgs(input: ArgsInput): readonly string[] {
  return [
    ...['--format=default', '--no-show-source', '--color=never'],
    // How many files it looked at, and how many errors it found: a configuration may exclude all, or keep it quiet.
    ...['--benchmark', '--count'],
    ...(isOwnConfigOnly(input) ? ['--config', OWN_CONFIG] : []),
    // A list of excluded folders on the command line would replace that of the configuration.
    ...toPlanArguments('--config', toCoveringInput(input, PYTHON_FILES)),
  ];
}

/**
 * flake8 silently ignores a `.flake8` that it finds and cannot parse, and exits with 0; a file that is passed as an argument
 * gives an error (both measured with 5.0.4). So `.flake8` is passed if it is the only file that flake8 could use.
 */
function isOwnConfigOnly({ plan, files }: ArgsInput): boolean {
  const isThere = (name: string): boolean => files.includes(toPathIn(plan.cwd, name));
  return plan.configPath === null && isThere(OWN_CONFIG) && !OTHER_CONFIGS.some(isThere);
}

const MESSAGE = /^(?<file>.+?):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+) (?<text>.*)$/u;
const FILES = /^(?<files>\d+) +total files processed$/u;
const COUNT = /^(?<count>\d+)$/u;
/** Other lines of the settings `statistics` and `benchmark`. */
const EXTRA = /^(?:\d+ +[A-Z]+\d+ .*|[\d.]+ +(?:seconds elapsed|total .*|.+ processed per second))$/u;
/** The file cannot be read, or (with a line) cannot be split into tokens. */
const UNREADABLE = 'E902';
const SYNTAX: readonly string[] = ['E999', UNREADABLE];

/** Findings of flake8, and its own failures. */
const parse = createLinesParser('flake8', readLine, (lines, input) => {
  const told = lines.filter(({ code }) => code !== undefined);
  const findings = told.filter((message) => !isUnreadable(message)).map((message) => toFlake8Finding(message, input));
  const [files, count] = [findNumber(lines, 'files'), findNumber(lines, 'count')];
  // Before a file is looked at there are no numbers, as with an unusable configuration.
  if (told.length === 0 && files === null) return { kind: 'empty' };
  return toBoundedPayload({
    findings,
    ...(files === 0
      ? { partial: NO_FILE_SEEN }
      : toUnparsed(findings, (path) => `${path ?? 'a file'} could not be parsed`)),
    toolFailure: told.find(isUnreadable)?.['text'] ?? findSilence(told.length, count),
  });
});

/** `quiet` and `exit-zero` in a configuration together make it look clean (measured with 5.0.4). */
function findSilence(told: number, count: number | null): string | null {
  if (count === null || count <= told) return null;
  return `it found ${String(count)}, and told ${String(told)}: does its configuration keep it quiet?`;
}

type Groups = Readonly<Record<string, string>>;

/** A message, a number, or nothing that counts. */
function readLine(line: string): readonly Groups[] | null {
  const groups = (MESSAGE.exec(line) ?? FILES.exec(line) ?? COUNT.exec(line))?.groups;
  if (groups !== undefined) return [groups];
  return EXTRA.test(line) ? [] : null;
}

function findNumber(lines: readonly Groups[], name: string): number | null {
  const text = lines.findLast((groups) => groups[name] !== undefined)?.[name];
  return text === undefined ? null : Number(text);
}

function isUnreadable(groups: Groups): boolean {
  return groups['code'] === UNREADABLE && groups['line'] === '0';
}

function toFlake8Finding(groups: Groups, input: ParseInput): ParsedFinding {
  const { file, line, column, code = '', text: message = '' } = groups;
  const place = { file, line: Number(line), column: Number(column) };
  return toCodeFinding({ ...place, isParseError: SYNTAX.includes(code), rule: code, message }, input);
}

/** flake8. It reports no severities, so every finding is `medium`, except files that it could not parse. */
export const flake8: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'flake8',
  kind: 'lint',
  globs: PYTHON_FILES,
  targetMode: 'paths',
  launchers: [toPythonLauncher('flake8')],
  toCommands: (input) => [toArgs(input)],
  parse,
  // 1 is also an unusable configuration, then without output on stdout.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: [OWN_CONFIG, ...OTHER_CONFIGS],
  detection: { files: [OWN_CONFIG], pythonSection: ['[flake8'] },
  env: PYTHON_ENV,
  timeoutMs: 300_000,
};
