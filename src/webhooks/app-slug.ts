import { toError } from '../core/model/errors.ts';
import type { GitHub } from '../ports/github.ts';
import type { Log } from '../ports/log.ts';

/** Timeout of one request, and the wait after a failed one. */
export interface AppSlugLimits {
  readonly timeoutMs: number;
  readonly retryMs: number;
}

const DEFAULT_LIMITS: AppSlugLimits = { timeoutMs: 30_000, retryMs: 60_000 };

/** The name that addresses the App in comments: `@slug`. */
export interface AppSlug {
  /** null until GitHub has answered. */
  readonly current: () => string | null;
  /** Login of the account that owns the App. null until GitHub has answered, or if no account owns it. */
  readonly owner: () => string | null;
  /** Asks GitHub once and repeats by itself after a failure. Never rejects. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** GitHub may be unreachable at the start. The App serves anyway, and reacts to its name once GitHub has answered. */
export function createAppSlug(
  { readApp }: Pick<GitHub, 'readApp'>,
  log: Log,
  limits: AppSlugLimits = DEFAULT_LIMITS,
): AppSlug {
  const stopping = new AbortController();
  let app: Awaited<ReturnType<GitHub['readApp']>> | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    try {
      app = await readApp(AbortSignal.any([stopping.signal, AbortSignal.timeout(limits.timeoutMs)]));
      log.info({ app: app.slug, owner: app.owner }, 'GitHub tells who this App is');
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.warn({ error: toError(error) }, 'GitHub does not tell who this App is; it is asked again');
      timer = setTimeout(() => void ask(), limits.retryMs).unref();
    }
  }

  return {
    current: () => app?.slug ?? null,
    owner: () => app?.owner ?? null,
    start: ask,
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}
