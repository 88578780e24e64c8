import { MAX_ENGINE_SECONDS } from '../model/policy.ts';

/** Arguments of `/ratchet check`. */
export type CheckArgs =
  | {
      readonly kind: 'ok';
      /** null: none were given. */
      readonly paths: readonly string[] | null;
      /** Limit for each engine; null: none was given. */
      readonly timeoutSeconds: number | null;
    }
  | { readonly kind: 'invalid'; readonly why: string };

const FLAG = '--timeout';

/** Parses `[PATHS…] [--timeout SECONDS]`, in any order. Paths are relative to the repository's root and must stay below it. */
export function parseCheckArgs(args: readonly string[]): CheckArgs {
  const paths: string[] = [];
  let timeoutSeconds: number | null = null;
  // `--timeout 60` and `--timeout=60` are equal.
  for (const [word, value] of toWords(args)) {
    if (value !== null) {
      timeoutSeconds = toSeconds(value);
      if (timeoutSeconds === null)
        return invalid(`the flag --timeout takes seconds, from 1 to ${String(MAX_ENGINE_SECONDS)}`);
    } else if (word.startsWith('-')) {
      return invalid(`there is no flag ${word}`);
    } else if (isOutside(word)) {
      return invalid(`the path ${word} does not lie below the root of the repository`);
    } else {
      paths.push(word);
    }
  }
  return { kind: 'ok', paths: paths.length === 0 ? null : paths, timeoutSeconds };
}

/** Each word with the flag's value if it is the flag; null for any other word. */
function toWords(args: readonly string[]): readonly (readonly [string, string | null])[] {
  return args.flatMap((word, index) => {
    if (args[index - 1] === FLAG) return [];
    if (word === FLAG) return [[word, args[index + 1] ?? '']];
    return [[word, word.startsWith(`${FLAG}=`) ? word.slice(FLAG.length + 1) : null]];
  });
}

function toSeconds(text: string): number | null {
  const seconds = /^\d{1,4}$/u.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= MAX_ENGINE_SECONDS ? seconds : null;
}

function isOutside(path: string): boolean {
  return /^(?:[/\\~]|[a-z]:)/iu.test(path) || path.split(/[/\\]/u).includes('..');
}

function invalid(why: string): CheckArgs {
  return { kind: 'invalid', why };
}
