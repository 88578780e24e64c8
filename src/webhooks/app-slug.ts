import { toError } from '../core/model/errors.ts';
import type { GitHub } from '../ports/github.ts';
import type { Log } from '../ports/log.ts';

/** How long one question may take, and how long after a failure the next one is asked. */
export interface AppSlugLimits {
  readonly timeoutMs: number;
  readonly retryMs: number;
}

const DEFAULT_LIMITS: AppSlugLimits = { timeoutMs: 30_000, retryMs: 60_000 };

/** The name by which people address the App in comments: `@slug`. */
export interface AppSlug {
  /** null while GitHub has not told it. */
  readonly current: () => string | null;
  /** Asks once, and goes on asking by itself where that fails. Never rejects. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** GitHub may be out of reach at the start: the App serves all the same, and is heard by its name once GitHub has told it. */
export function createAppSlug(
  { readSlug }: Pick<GitHub, 'readSlug'>,
  log: Log,
  limits: AppSlugLimits = DEFAULT_LIMITS,
): AppSlug {
  const stopping = new AbortController();
  let slug: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    try {
      slug = await readSlug(AbortSignal.any([stopping.signal, AbortSignal.timeout(limits.timeoutMs)]));
      log.info({ app: slug }, 'GitHub tells who this App is');
    } catch (error) {
      if (stopping.signal.aborted) return;
      const told = toError(error);
      log.warn({ error: told }, 'GitHub does not tell who this App is; it is asked again');
      timer = setTimeout(() => void ask(), limits.retryMs).unref();
    }
  }

  return {
    current: () => slug,
    start: ask,
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}
