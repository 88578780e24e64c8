import { parseArgs } from 'node:util';
import type { ModeRequest } from '../core/model/engine.ts';
import { toError } from '../core/model/errors.ts';

/** Parsed arguments of `ratchet check`. */
export interface CheckArgs {
  /** Paths as typed; empty if none was given. */
  readonly paths: readonly string[];
  readonly mode: ModeRequest;
  /** Requested engines; null: all that apply. */
  readonly only: readonly string[] | null;
  /** Configuration file by engine, path as typed. */
  readonly configs: Readonly<Record<string, string>>;
  readonly base: string | null;
  readonly timeoutSeconds: number | null;
  /** Shows the plans and runs nothing. */
  readonly isPlan: boolean;
  readonly isJson: boolean;
  /** Runs every engine even if its result is cached. */
  readonly isFresh: boolean;
}

/** The arguments, or one line that says what is wrong with them. */
export type CheckArgsParse =
  | { readonly kind: 'ok'; readonly args: CheckArgs }
  | {
      readonly kind: 'bad';
      readonly problem: string;
      /** Whether `--json` was given, so that the error is printed as JSON too. */
      readonly isJson: boolean;
    };

const OPTIONS = {
  mode: { type: 'string', default: 'both' },
  engine: { type: 'string', multiple: true },
  config: { type: 'string', multiple: true },
  base: { type: 'string' },
  timeout: { type: 'string' },
  plan: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
} as const;

const MODES = ['both', 'current', 'target'] as const;
const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;

/**
 * `[PATH…] [--mode M] [--engine ID]… [--config ID=FILE]… [--base REV] [--timeout SECONDS] [--plan] [--fresh] [--json]`.
 */
export function parseCheckArgs(argv: readonly string[]): CheckArgsParse {
  const bad = (problem: string): CheckArgsParse => ({ kind: 'bad', problem, isJson: asksForJson(argv) });
  const parsed = parse(argv);
  if (typeof parsed === 'string') return bad(parsed);
  const { values, positionals } = parsed;
  const mode = MODES.find((name) => name === values.mode);
  if (mode === undefined) return bad(`--mode is ${MODES.join(', ')}, not ${JSON.stringify(values.mode)}`);
  const configs = toConfigs(values.config ?? []);
  if (typeof configs === 'string') return bad(configs);
  const timeoutSeconds = toTimeout(values.timeout);
  if (typeof timeoutSeconds === 'string') return bad(timeoutSeconds);
  if (positionals.includes('')) return bad('a path is empty');
  if (values.base !== undefined && mode === 'current') {
    return bad('--base compares what TARGET finds: it does not go with --mode current');
  }
  return {
    kind: 'ok',
    args: {
      paths: positionals,
      mode,
      only: values.engine ?? null,
      configs,
      base: values.base ?? null,
      timeoutSeconds,
      isPlan: values.plan,
      isJson: values.json,
      isFresh: values.fresh,
    },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // After its first sentence Node explains how to write a path that starts with a dash.
    return toError(error)
      .message.replaceAll(/\s+/gu, ' ')
      .replace(/\. To specify.*$/u, '');
  }
}

function toTimeout(given: string | undefined): number | null | string {
  if (given === undefined) return null;
  const seconds = Number(given);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  return `--timeout is a number of seconds, not ${JSON.stringify(given)}`;
}

function toConfigs(given: readonly string[]): Readonly<Record<string, string>> | string {
  const configs: Record<string, string> = {};
  for (const text of given) {
    const at = text.indexOf('=');
    const [id, file] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || file === '') return `--config is ID=FILE, not ${JSON.stringify(text)}`;
    if (Object.hasOwn(configs, id)) return `--config names ${JSON.stringify(id)} twice`;
    configs[id] = file;
  }
  return configs;
}

/** Looks for `--json` before `--`. Everything after `--` is a path. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** Environment variables that `check` reads. */
export interface CheckVariables {
  /** `RATCHET_PATHS`, separated by `:`; null if unset or empty. */
  readonly paths: readonly string[] | null;
  /** `RATCHET_<ID>_CONFIG` for the engines in `ids`. */
  readonly configs: Readonly<Record<string, string>>;
}

export function readCheckVariables(
  variables: Readonly<Record<string, string | undefined>>,
  ids: readonly string[],
): CheckVariables {
  const paths = (variables['RATCHET_PATHS'] ?? '').split(':').filter((path) => path !== '');
  const configs = ids.flatMap((id) => {
    const file = variables[`RATCHET_${id.toUpperCase().replaceAll('-', '_')}_CONFIG`] ?? '';
    return file === '' ? [] : [[id, file] as const];
  });
  return { paths: paths.length === 0 ? null : paths, configs: Object.fromEntries(configs) };
}
