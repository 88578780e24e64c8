import { toAskKey } from '../../core/decide/to-asked.ts';
import type { AskEffect } from '../../core/model/ask.ts';
import { GitHubError, InvariantError } from '../../core/model/errors.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { AskResult } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';

export type AskDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** A request to GitHub. */
export interface Asking {
  readonly key: PullRequestKey;
  readonly effect: AskEffect;
  /** The API calls to make. */
  readonly calls: readonly (() => Promise<AskResult>)[];
  /** Returns the reason for the transition log, from the reasons of refused calls. */
  readonly describe: (refusals: readonly string[]) => string;
}

/** Codes for the transition log, by outcome of the intent. */
const CODES = {
  rerun: { asked: 'RERUN_ASKED', refused: 'RERUN_REFUSED' },
  update_branch: { asked: 'UPDATE_ASKED', refused: 'UPDATE_REFUSED' },
} as const;

/**
 * Makes a request to GitHub that must not be made twice. Returns the reasons of refused calls. The intent is stored before the
 * first call: after a crash in between, the request may be lost but is never repeated. If GitHub refuses every call, the pull
 * request is evaluated again at once. A rate limit deletes the intent and is thrown, so that the request can be made later.
 */
export async function askOnce(deps: AskDeps, asking: Asking): Promise<readonly string[]> {
  const { key, effect, calls } = asking;
  const uniqueKey = toAskKey(key, effect);
  const createdAt = deps.clock.now();
  const { intent, isNew } = deps.store.openIntent({ uniqueKey, key, sessionId: null, effect, createdAt });
  if (!isNew) throw new InvariantError(`${effect.kind} was decided on that was asked for before: ${uniqueKey}`);
  const refusals: string[] = [];
  try {
    for (const call of calls) refusals.push(...(await findRefusals(deps, asking, call)));
  } catch (error) {
    if (isRateLimit(error)) deps.store.withdrawIntent(intent.id);
    throw error;
  }
  const outcome = refusals.length === calls.length ? 'refused' : 'asked';
  const now = deps.clock.now();
  const told = { key, code: CODES[effect.kind][outcome], reason: asking.describe(refusals), createdAt: now };
  deps.store.settleIntent(intent.id, outcome, now, {
    transition: { ...told, action: 'EFFECT', snapshot: null },
    ...(outcome === 'refused' && { wake: { queue: EVALUATE_QUEUE, key, notBefore: null } }),
  });
  return refusals;
}

/** Settles requests that were interrupted by a crash. They count as made. */
export function settleLostAsks({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): void {
  for (const { id, outcome } of store.recentAsks(key)) {
    if (outcome === null) store.settleIntent(id, 'unknown', clock.now());
  }
}

/** Without an answer it is unknown what GitHub did. That counts as made, so that the call is not repeated. */
async function findRefusals(
  { log }: AskDeps,
  { key, effect }: Asking,
  call: () => Promise<AskResult>,
): Promise<readonly string[]> {
  try {
    const result = await call();
    return result.kind === 'refused' ? [result.why] : [];
  } catch (error) {
    if (!(error instanceof GitHubError) || isRateLimit(error)) throw error;
    log.warn({ key, effect: effect.kind, error, code: error.code }, 'GitHub was asked and gave no answer');
    return [];
  }
}

function isRateLimit(error: unknown): boolean {
  return error instanceof GitHubError && error.code === 'RATE_LIMITED';
}
