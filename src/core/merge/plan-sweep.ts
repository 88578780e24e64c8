import type { EpochMs, PullRequestKey } from '../model/ids.ts';
import type { MergeState } from '../model/pull-request.ts';

/** A pull request whose base branch has moved. */
export interface SweptPull {
  readonly key: PullRequestKey;
  /** Whether it merged cleanly at the last look or probe; null: never looked at. */
  readonly seenMerge: MergeState | null;
  /** What git says now; `unknown` where it was not asked, or could not tell. */
  readonly probe: 'clean' | 'conflict' | 'unknown';
}

/** When to look at a pull request. */
export interface PlannedLook {
  readonly key: PullRequestKey;
  readonly at: EpochMs;
  /** What git found where that is news; null: there is none. */
  readonly news: 'clean' | 'conflict' | null;
}

/** Looks that follow from one push are at least so far apart on the average (20 a minute): each costs a call to GitHub. */
export const LOOK_SPACING_MS = 3_000;

/**
 * Spreads the looks that a push to a base branch asks for (traps 17 and 88): first those that came into conflict, then those
 * that came out of one, then those that git could not tell about, one after the other; all others, of which there is no news,
 * over `spreadMs` (longer where they are many). Each place is moved by a jitter that is the pull request's own, so that
 * several sweeps do not meet at one instant.
 */
export function planSweep(
  pulls: readonly SweptPull[],
  { now, spreadMs }: { readonly now: EpochMs; readonly spreadMs: number },
): readonly PlannedLook[] {
  const conflicts = pulls.filter(({ probe, seenMerge }) => probe === 'conflict' && seenMerge !== 'conflict');
  const cleared = pulls.filter(({ probe, seenMerge }) => probe === 'clean' && seenMerge === 'conflict');
  const untold = pulls.filter(({ probe }) => probe === 'unknown');
  const first = [...conflicts, ...cleared, ...untold];
  const isFirst = new Set(first.map(({ key }) => key));
  const others = pulls.filter(({ key }) => !isFirst.has(key));
  const start = now + first.length * LOOK_SPACING_MS;
  const span = Math.max(spreadMs, others.length * LOOK_SPACING_MS);
  return [
    ...first.map(({ key, probe }, index) => ({
      key,
      at: now + index * LOOK_SPACING_MS + (hash(key) % LOOK_SPACING_MS),
      news: probe === 'unknown' ? null : probe,
    })),
    ...others.map(({ key }) => ({ key, at: start + (hash(key) % span), news: null })),
  ];
}

/** FNV-1a: spreads well, and is the same at every start. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
}
