import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { readLines } from '../parse/read-lines.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { PYTHON_ENV, PYTHON_FILES, SHARED_CONFIG_FILES, toPythonLauncher } from './python-launcher.ts';

const OWN_CONFIG = '.flake8';
/** Other files with settings: flake8 uses the first one with a section for it. */
const OTHER_CONFIGS: readonly string[] = SHARED_CONFIG_FILES.filter((name) => name !== 'pyproject.toml');

/** flake8. It reports no severities, so every finding is `medium`, except files that it could not parse. */
export const flake8: EngineSpec = {
  id: 'flake8',
  kind: 'lint',
  globs: PYTHON_FILES,
  targetMode: 'paths',
  launchers: [toPythonLauncher('flake8')],
  toSteps: (input) => [toArgs(input)],
  output: { from: 'stdout', emptyMeansClean: true },
  parse: parseFlake8,
  // 1 is also an unusable configuration, then without output on stdout.
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: [OWN_CONFIG, ...OTHER_CONFIGS],
  detection: { files: [OWN_CONFIG], pythonSection: ['[flake8'] },
  env: PYTHON_ENV,
  timeoutMs: 300_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
};

function toArgs(input: ArgsInput): readonly string[] {
  return [
    ...['--format=default', '--no-show-source', '--color=never'],
    ...toConfigArguments('--config', input),
    ...(isOwnConfigOnly(input) ? ['--config', OWN_CONFIG] : []),
    ...input.plan.args,
    ...toTargetsFrom(input.plan),
  ];
}

/**
 * flake8 silently ignores a `.flake8` that it finds and cannot parse, and exits with 0; a file that is passed as an argument
 * gives an error (both measured with 5.0.4). So `.flake8` is passed if it is the only file that flake8 could use.
 */
function isOwnConfigOnly({ plan, files }: ArgsInput): boolean {
  if (plan.configPath !== null || plan.cwd !== '.') return false;
  return files.includes(OWN_CONFIG) && !OTHER_CONFIGS.some((name) => files.includes(name));
}

const MESSAGE = /^(?<file>.+?):(?<line>\d+):(?<column>\d+): (?<code>[A-Z]+\d+) (?<text>.*)$/u;
/** Extra lines from the settings `count`, `statistics` and `benchmark`. */
const EXTRA = /^(?:\d+|\d+ +[A-Z]+\d+ .*|[\d.]+ +(?:seconds elapsed|total .*))$/u;
/** The file cannot be read, or (with a line) cannot be split into tokens. */
const UNREADABLE = 'E902';
const SYNTAX: readonly string[] = ['E999', UNREADABLE];

/** Findings of flake8, and its own failures. */
export function parseFlake8(input: ParseInput): Payload {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readLines(input.text, 'flake8', readLine);
  if (reading.kind === 'invalid') return reading;
  const unreadable = reading.values.find(isUnreadable);
  const messages = reading.values.filter((message) => !isUnreadable(message));
  const findings = messages.map((message) => toFlake8Finding(message, input));
  const broken = findings.find(({ kind }) => kind === 'parse_error');
  return toBoundedPayload({
    findings,
    partial: broken === undefined ? null : `${broken.path ?? 'a file'} could not be parsed`,
    toolFailure: unreadable?.['text'] ?? null,
  });
}

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
  const { file = '', line, column, code = '', text = '' } = groups;
  const isSyntax = SYNTAX.includes(code);
  return toFinding({
    kind: toKind('lint', isSyntax),
    severity: isSyntax ? 'blocker' : 'medium',
    rule: code,
    message: text,
    path: toRepositoryPath(file, input),
    line: Number(line),
    column: Number(column),
  });
}
