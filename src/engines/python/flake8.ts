import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toPathIn } from '../../core/projects/repository-facts.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toCoveringInput, toPlanArguments } from '../declare/plan-arguments.ts';
import { createLinesParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';
import { PYTHON_ENV, PYTHON_FILES, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

const OWN_CONFIG = '.flake8';
/** Other files with settings: flake8 uses the first one with a section for it. */
const OTHER_CONFIGS: readonly string[] = SHARED_CONFIG_FILES.filter((name) => name !== 'pyproject.toml');

function toArgs(input: ArgsInput): readonly string[] {
  return [
    ...['--format=default', '--no-show-source', '--color=never'],
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
/** Extra lines from the settings `count`, `statistics` and `benchmark`. */
const EXTRA = /^(?:\d+|\d+ +[A-Z]+\d+ .*|[\d.]+ +(?:seconds elapsed|total .*))$/u;
/** The file cannot be read, or (with a line) cannot be split into tokens. */
const UNREADABLE = 'E902';
const SYNTAX: readonly string[] = ['E999', UNREADABLE];

/** Findings of flake8, and its own failures. */
const parse = createLinesParser('flake8', readLine, (lines, input) => {
  const messages = lines.filter((message) => !isUnreadable(message));
  const findings = messages.map((message) => toFlake8Finding(message, input));
  return toBoundedPayload({
    findings,
    ...toUnparsed(findings, (path) => `${path ?? 'a file'} could not be parsed`),
    toolFailure: lines.find(isUnreadable)?.['text'] ?? null,
  });
});

type MessageGroups = Readonly<Record<string, string>>;

function readLine(line: string): readonly MessageGroups[] | null {
  if (EXTRA.test(line)) return [];
  const groups = MESSAGE.exec(line)?.groups;
  return groups === undefined ? null : [groups];
}

function isUnreadable(groups: MessageGroups): boolean {
  return groups['code'] === UNREADABLE && groups['line'] === '0';
}

function toFlake8Finding(groups: MessageGroups, input: ParseInput): ParsedFinding {
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
  output: { from: 'stdout', emptyMeansClean: true },
  parse,
  // 1 is also an unusable configuration, then without output on stdout.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: [OWN_CONFIG, ...OTHER_CONFIGS],
  detection: { files: [OWN_CONFIG], pythonSection: ['[flake8'] },
  env: PYTHON_ENV,
  timeoutMs: 300_000,
};
