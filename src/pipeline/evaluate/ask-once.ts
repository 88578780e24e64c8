import { toAskKey } from '../../core/decide/to-asked.ts';
import type { AskEffect } from '../../core/model/ask.ts';
import { GitHubError, InvariantError } from '../../core/model/errors.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { AskResult } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';

export type AskDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** What GitHub is asked for. */
export interface Asking {
  readonly key: PullRequestKey;
  readonly effect: AskEffect;
  /** The calls that it takes. */
  readonly calls: readonly (() => Promise<AskResult>)[];
  /** The reason for the transition log, given why GitHub refused which calls. */
  readonly describe: (refusals: readonly string[]) => string;
}

/** What GitHub answered, as the intent is settled and as the transition log calls it. */
const CODES = {
  rerun: { asked: 'RERUN_ASKED', refused: 'RERUN_REFUSED' },
  update_branch: { asked: 'UPDATE_ASKED', refused: 'UPDATE_REFUSED' },
} as const;

/**
 * Asks GitHub for what must not be asked for twice, and returns why it refused which calls. The intent is written before the first
 * call: a crash in between costs the effect, never makes a second one. Where GitHub refuses all of it for good, nothing is waited
 * for, and the pull request is looked at again at once. A rate limit is thrown and withdraws the intent, for nothing was asked.
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

/** Settles the asks that a crash cut off: the look that made them is no more. They count as asked. */
export function settleLostAsks({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): void {
  for (const { id, outcome } of store.recentAsks(key)) {
    if (outcome === null) store.settleIntent(id, 'unknown', clock.now());
  }
}

/** Without an answer nobody knows what GitHub did. That counts as asked: the call must not be made twice. */
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
