import { posix } from 'node:path';
import { z } from 'zod';
import { isInRange } from '../../core/engines/exit-codes.ts';
import { toExcludesFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec, ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { ENGINE_DEFAULTS } from '../declare/engine-defaults.ts';
import { toPlanArguments } from '../declare/plan-arguments.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { NO_FILE_SEEN, toBoundedPayload, toCodeFinding, toUnparsed } from '../parse/to-finding.ts';
import { PYTHON_ENV, PYTHON_FILES, toPythonLauncher } from './python-launcher.ts';

/** First version with this name of the flag (https://docs.astral.sh/ruff/configuration/#command-line-interface). */
const OUTPUT_FORMAT_SINCE = '>=0.1';

function toArgs(input: ArgsInput, fix: '--fix' | '--no-fix'): readonly string[] {
  const { artifacts, version } = input;
  const isOld = version !== null && !isInRange(version, OUTPUT_FORMAT_SINCE);
  return [
    'check',
    isOld ? '--format=json' : '--output-format=json',
    ...[fix, '--force-exclude', '--cache-dir', posix.join(artifacts, 'ruff-cache')],
    ...toExcludesFrom(input.plan).map((folder) => `--extend-exclude=${folder.replaceAll(/[*?[\]]/gu, '[$&]')}`),
    ...toPlanArguments('--config', input),
  ];
}

const Place = z.object({ row: z.int(), column: z.int() });
const RuffMessages = z.array(
  z.object({
    /** null: a syntax error, in versions that had no code for it. */
    code: z.string().nullish(),
    message: z.string(),
    filename: z.string(),
    /** 1-based. */
    location: Place.nullish(),
    end_location: Place.nullish(),
    severity: z.string().nullish(),
  }),
);
type RuffMessage = z.infer<typeof RuffMessages>[number];

/** Written to stderr, with exit code 0 (from its documentation and source). */
const NO_FILES = /^warning: No Python files found under the given path/mu;
const SYNTAX: readonly string[] = ['invalid-syntax', 'E999'];
/** The file could not be read. */
const UNREADABLE: readonly string[] = ['E902', 'io-error'];

/** Findings of ruff. A file that it could not parse hides what most rules would report. */
const parse = createJsonParser("ruff's messages", RuffMessages, (messages, input) => {
  const findings = messages.filter((message) => !isUnreadable(message)).map((message) => toRuffFinding(message, input));
  if (findings.length === 0 && NO_FILES.test(input.stderr))
    return toBoundedPayload({ findings, partial: NO_FILE_SEEN });
  return toBoundedPayload({
    findings,
    ...toUnparsed(findings, (path) => `${path ?? 'a file'} could not be parsed`),
    toolFailure: messages.find(isUnreadable)?.message ?? null,
  });
});

function isUnreadable({ code }: RuffMessage): boolean {
  return UNREADABLE.includes(code ?? '');
}

function isSyntax({ code }: RuffMessage): boolean {
  return (code ?? null) === null || SYNTAX.includes(code ?? '');
}

function toRuffFinding(message: RuffMessage, input: ParseInput): ParsedFinding {
  const { code: rule, filename: file, location, end_location: end } = message;
  const place = { file, line: location?.row, column: location?.column, endLine: end?.row };
  // Most versions report no severity.
  const native = message.severity;
  return toCodeFinding({ ...place, isParseError: isSyntax(message), native, rule, message: message.message }, input);
}

/** ruff's linter. It is tested on recordings and built from its documentation, because it cannot be installed here. */
export const ruff: EngineSpec = {
  ...ENGINE_DEFAULTS,
  id: 'ruff',
  kind: 'lint',
  globs: [...PYTHON_FILES, '**/*.ipynb'],
  targetMode: 'paths',
  // ruff is not written in Python, so the machine's program works if the project has none.
  launchers: [toPythonLauncher('ruff'), { kind: 'program', name: 'ruff', versionArgs: ['--version'] }],
  toCommands: (input) => [toArgs(input, '--no-fix')],
  fixer: { toCommands: (input) => [toArgs(input, '--fix')] },
  parse,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: ['**/ruff.toml', '**/.ruff.toml', '**/pyproject.toml'],
  detection: { files: ['ruff.toml', '.ruff.toml'], pythonSection: ['[tool.ruff'] },
  env: PYTHON_ENV,
  timeoutMs: 300_000,
};
