import { posix } from 'node:path';
import { z } from 'zod';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import { toSeverity } from '../../core/findings/severity.ts';
import type { ArgsInput, EngineSpec, ParseInput, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';
import { toConfigArguments } from '../declare/config-arguments.ts';
import { isVersionAtLeast } from '../declare/is-version-at-least.ts';
import { readJson } from '../parse/read-json.ts';
import { toBoundedPayload, toFinding, toKind } from '../parse/to-finding.ts';
import { toAbsentPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { PYTHON_ENV, PYTHON_FILES, toPythonLauncher } from './python-launcher.ts';

/** First version with this name of the flag (https://docs.astral.sh/ruff/configuration/#command-line-interface). */
const OUTPUT_FORMAT_SINCE = '0.1';

/** ruff's linter. It is tested on recordings and built from its documentation, because it cannot be installed here. */
export const ruff: EngineSpec = {
  id: 'ruff',
  kind: 'lint',
  globs: [...PYTHON_FILES, '**/*.ipynb'],
  targetMode: 'paths',
  // ruff is not written in Python, so the machine's program works if the project has none.
  launchers: [toPythonLauncher('ruff'), { kind: 'program', name: 'ruff', versionArgs: ['--version'] }],
  toSteps: (input) => [toArgs(input)],
  output: { from: 'stdout', emptyMeansClean: false },
  parse: parseRuff,
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  configFiles: ['**/ruff.toml', '**/.ruff.toml', '**/pyproject.toml'],
  detection: { files: ['ruff.toml', '.ruff.toml'], pythonSection: ['[tool.ruff'] },
  env: PYTHON_ENV,
  timeoutMs: 300_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
};

function toArgs({ plan, root, artifacts, version }: ArgsInput): readonly string[] {
  const isOld = version !== null && !isVersionAtLeast(version, OUTPUT_FORMAT_SINCE);
  return [
    'check',
    isOld ? '--format=json' : '--output-format=json',
    ...['--no-fix', '--force-exclude', '--cache-dir', posix.join(artifacts, 'ruff-cache')],
    ...toConfigArguments('--config', { plan, root }),
    ...plan.args,
    ...toTargetsFrom(plan),
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

const SYNTAX: readonly string[] = ['invalid-syntax', 'E999'];
/** The file could not be read. */
const UNREADABLE: readonly string[] = ['E902', 'io-error'];

/** Findings of ruff. A file that it could not parse hides what most rules would report. */
export function parseRuff(input: ParseInput): Payload {
  const absent = toAbsentPayload(input.text);
  if (absent !== null || input.text === null) return absent ?? { kind: 'missing' };
  const reading = readJson(input.text, RuffMessages);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `ruff's messages: ${reading.why}` };
  const unreadable = reading.value.find(isUnreadable);
  const broken = reading.value.find(isSyntax);
  return toBoundedPayload({
    findings: reading.value.filter((message) => !isUnreadable(message)).map((message) => toRuffFinding(message, input)),
    partial:
      broken === undefined ? null : `${toRepositoryPath(broken.filename, input) ?? 'a file'} could not be parsed`,
    toolFailure: unreadable?.message ?? null,
  });
}

function isUnreadable({ code }: RuffMessage): boolean {
  return UNREADABLE.includes(code ?? '');
}

function isSyntax({ code }: RuffMessage): boolean {
  return (code ?? null) === null || SYNTAX.includes(code ?? '');
}

function toRuffFinding(message: RuffMessage, input: ParseInput): ParsedFinding {
  const { code, filename, location, end_location: end, severity } = message;
  const isBroken = isSyntax(message);
  return toFinding({
    kind: toKind('lint', isBroken),
    // Most versions report no severity.
    severity: isBroken ? 'blocker' : toSeverity(severity ?? 'warning'),
    native: severity ?? null,
    rule: code ?? null,
    message: message.message,
    path: toRepositoryPath(filename, input),
    line: location?.row ?? null,
    column: location?.column ?? null,
    endLine: end?.row ?? null,
  });
}
