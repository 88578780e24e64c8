import type { EngineError } from '../model/engine.ts';

const MAX_SHOWN = 5;
const MAX_SAID_LENGTH = 160;

/** Fields of the warning that is logged for every engine failure (003.R12). */
export interface FailureWarning extends Pick<EngineError, 'engine' | 'mode' | 'kind' | 'exitCode' | 'signal' | 'cwd'> {
  readonly why: string;
  /** The first five arguments, including the program, then for example `+7 more`. */
  readonly command: readonly string[];
  /** The first five, then for example `+7 more`. */
  readonly targets: readonly string[];
  /** Start of the last line of stderr that is not blank; null if there is none. */
  readonly said: string | null;
  readonly source: 'run' | 'cache';
}

/** Log fields of a failure. Lists are cut, because a plan may hold thousands of files. */
export function toFailureWarning(
  { engine, mode, kind, message, exitCode, signal, argv, cwd, stderr }: EngineError,
  { targets, cached }: { readonly targets: readonly string[]; readonly cached: boolean },
): FailureWarning {
  return {
    ...{ engine, mode, kind, why: message, exitCode, signal, cwd },
    command: cutList(argv),
    targets: cutList(targets),
    said: toLastLine(stderr),
    source: cached ? 'cache' : 'run',
  };
}

function cutList(items: readonly string[]): readonly string[] {
  if (items.length <= MAX_SHOWN) return items;
  return [...items.slice(0, MAX_SHOWN), `+${items.length - MAX_SHOWN} more`];
}

function toLastLine(stderr: string): string | null {
  const last = stderr
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
  return last?.slice(0, MAX_SAID_LENGTH).toWellFormed() ?? null;
}
