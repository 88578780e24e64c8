import { styleText } from 'node:util';
import { diagnose } from '../compose/compose-doctor.ts';
import { bad, type DoctorCheck, good, toDoctorExit, warn } from '../core/doctor/doctor-check.ts';
import { renderChecks } from '../core/doctor/render-checks.ts';
import { ConfigError } from '../core/model/errors.ts';
import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { findAssets } from './find-assets.ts';
import { toHint } from './parse-flags.ts';
import { type AppSource, readSettings, type Settings } from './read-settings.ts';

/** Process input of `doctor`. */
export interface DoctorCommandInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** User id of this process; null where there are none. */
  readonly uid: number | null;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly isColored: boolean;
  readonly fetch: typeof fetch;
  readonly stop: AbortSignal;
}

const FLAGS = ['--json', '--call-model'];
const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** Runs `ratchet doctor [--call-model] [--json]`. Exit code 0 if all is well, 1 with a warning, 3 with a failure. */
export async function runDoctor(args: readonly string[], input: DoctorCommandInput): Promise<CliResult> {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined)
    return fail(2, `ratchet: doctor: unexpected argument ${JSON.stringify(unknown)}${toHint(unknown, FLAGS)}\n`);
  const checks = await examine(args.includes('--call-model'), input);
  const exitCode = toDoctorExit(checks);
  if (args.includes('--json')) return { exitCode, stdout: toJsonLine({ checks }), stderr: '' };
  const paint = (state: DoctorCheck['state'], text: string): string =>
    input.isColored ? styleText(STYLES[state], text, { validateStream: false }) : text;
  return { exitCode, stdout: renderChecks(checks, paint), stderr: '' };
}

async function examine(callsModels: boolean, input: DoctorCommandInput): Promise<readonly DoctorCheck[]> {
  const settings = await readOrExplain(input.variables);
  if (settings.kind === 'bad') return settings.checks;
  const { uid, nodePath, fetch: fetchNow } = input;
  const found = await diagnose(
    { ...settings.value, ...findAssets(), uid, nodePath, callsModels, fetch: fetchNow, isRoot: uid === 0 },
    input.stop,
  );
  return [
    good(
      'environment',
      `the variables, and the files that they name, can be used; ${toSourceText(settings.value.source)}`,
    ),
    ...found,
  ];
}

function toSourceText(source: AppSource): string {
  if (source.kind === 'stored') return `the App is the one stored in ${source.path}`;
  const unused = source.unusedPath === null ? '' : `, and the one stored in ${source.unusedPath} is not used`;
  return `the App is that of the variables${unused}`;
}

type Read =
  | { readonly kind: 'ok'; readonly value: Settings }
  | { readonly kind: 'bad'; readonly checks: readonly DoctorCheck[] };

/** All problems of the configuration at once. Without it nothing else can be looked at. */
async function readOrExplain(variables: DoctorCommandInput['variables']): Promise<Read> {
  try {
    return { kind: 'ok', value: await readSettings(variables) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = 'Correct it; docs/operating.md names all variables.';
    const rest = warn(
      'everything else',
      'it was not checked',
      'Correct the configuration; then run `ratchet doctor` again.',
    );
    return { kind: 'bad', checks: [...error.problems.map((problem) => bad('environment', problem, fix)), rest] };
  }
}
