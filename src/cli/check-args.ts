import type { ModeRequest } from '../core/model/engine.ts';
import { parseFlags } from './parse-flags.ts';

/** What stdout is: a report for people, one JSON document, one SARIF log, or a report for the log of GitHub Actions. */
export const CHECK_FORMATS = ['text', 'json', 'sarif', 'github'] as const;
export type CheckFormat = (typeof CHECK_FORMATS)[number];

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
  /** Runs the tools' own fixers first. */
  readonly isFix: boolean;
  readonly format: CheckFormat;
  /** Runs every engine even if its result is cached. */
  readonly isFresh: boolean;
}

/** The arguments, or one line that says what is wrong with them. */
export type CheckArgsParse =
  | { readonly kind: 'ok'; readonly args: CheckArgs }
  | {
      readonly kind: 'bad';
      readonly problem: string;
      /** The format that was asked for, in which the error is printed too. */
      readonly format: CheckFormat;
    };

const OPTIONS = {
  mode: { type: 'string', default: 'both' },
  engine: { type: 'string', multiple: true },
  config: { type: 'string', multiple: true },
  base: { type: 'string' },
  timeout: { type: 'string' },
  plan: { type: 'boolean', default: false },
  fix: { type: 'boolean', default: false },
  format: { type: 'string' },
  json: { type: 'boolean', default: false },
  sarif: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
} as const;

const MODES = ['both', 'current', 'target'] as const;
const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;

/**
 * `[PATH…] [--mode M] [--engine ID]… [--config ID=FILE]… [--base REV] [--timeout SECONDS] [--fix] [--plan]
 * [--fresh] [--format text|json|sarif|github | --json | --sarif]`.
 */
export function parseCheckArgs(argv: readonly string[]): CheckArgsParse {
  const bad = (problem: string): CheckArgsParse => ({ kind: 'bad', problem, format: guessFormat(argv) });
  const parsed = parseFlags(argv, OPTIONS);
  if (typeof parsed === 'string') return bad(parsed);
  const { values, positionals } = parsed;
  const mode = MODES.find((name) => name === values.mode);
  if (mode === undefined) return bad(`--mode is ${MODES.join(', ')}, not ${JSON.stringify(values.mode)}`);
  const configs = toConfigs(values.config ?? []);
  if (typeof configs === 'string') return bad(configs);
  const timeoutSeconds = toTimeout(values.timeout);
  if (typeof timeoutSeconds === 'string') return bad(timeoutSeconds);
  const format = toFormat(values);
  if (typeof format !== 'string') return bad(format.problem);
  const args: CheckArgs = {
    paths: positionals,
    mode,
    only: values.engine ?? null,
    configs,
    base: values.base ?? null,
    timeoutSeconds,
    isPlan: values.plan,
    isFix: values.fix,
    format,
    isFresh: values.fresh,
  };
  const problem = findContradiction(args);
  return problem === null ? { kind: 'ok', args } : bad(problem);
}

function findContradiction({ paths, base, mode, isPlan, format }: CheckArgs): string | null {
  if (paths.includes('')) return 'a path is empty';
  if (base !== null && mode === 'current') {
    return '--base compares what TARGET finds: it does not go with --mode current';
  }
  if (isPlan && (format === 'sarif' || format === 'github')) {
    return `--plan runs nothing and has no findings: it does not go with ${format === 'sarif' ? '--sarif' : '--format github'}`;
  }
  return null;
}

function toFormat({
  format,
  json,
  sarif,
}: {
  readonly format?: string;
  readonly json: boolean;
  readonly sarif: boolean;
}): CheckFormat | { readonly problem: string } {
  const given = [...(format === undefined ? [] : [format]), ...(json ? ['json'] : []), ...(sarif ? ['sarif'] : [])];
  const [name = 'text', other = name] = [...new Set(given)];
  const known = CHECK_FORMATS.find((one) => one === name);
  if (known === undefined) return { problem: `--format is ${CHECK_FORMATS.join(', ')}, not ${JSON.stringify(name)}` };
  return other === name ? known : { problem: `stdout cannot be ${name} and ${other} at once` };
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

/** The format that arguments seem to ask for which cannot be parsed. Everything after `--` is a path. */
function guessFormat(argv: readonly string[]): CheckFormat {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const named = flags.map((flag, index) => (flag === '--format' ? `--format=${flags[index + 1] ?? ''}` : flag));
  const asks = (format: CheckFormat): boolean => named.includes(`--${format}`) || named.includes(`--format=${format}`);
  if (asks('json')) return 'json';
  if (asks('sarif')) return 'sarif';
  return named.includes('--format=github') ? 'github' : 'text';
}
