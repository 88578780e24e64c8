import type { EpochMs, PullRequestKey } from '../model/ids.ts';
import type { MergeState } from '../model/pull-request.ts';

/** A pull request whose base branch has moved. */
export interface SweptPull {
  readonly key: PullRequestKey;
  /** How it merged at the last look or probe; null: never checked. */
  readonly seenMerge: MergeState | null;
  /** Git's current answer; `unknown` if git was not asked or could not tell. */
  readonly probe: 'clean' | 'conflict' | 'unknown';
}

/** When to look at a pull request. */
export interface PlannedLook {
  readonly key: PullRequestKey;
  readonly at: EpochMs;
  /** What git found, if that changed; otherwise null. */
  readonly news: 'clean' | 'conflict' | null;
}

/** Average distance between the looks after one push (20 a minute), because each look costs a call to GitHub. */
export const LOOK_SPACING_MS = 3_000;

/**
 * Spreads the looks after a push to a base branch (traps 17 and 88). Pull requests that now conflict come first, then
 * those whose conflict is gone, then those that git could not judge, one after the other. All others follow over
 * `spreadMs`, or longer if there are many. A jitter that depends on the key keeps several sweeps from meeting at one
 * instant.
 */
export function planSweep(
  pulls: readonly SweptPull[],
  { now, spreadMs }: { readonly now: EpochMs; readonly spreadMs: number },
): readonly PlannedLook[] {
  const conflicts = pulls.filter(({ probe, seenMerge }) => probe === 'conflict' && seenMerge !== 'conflict');
  const cleared = pulls.filter(({ probe, seenMerge }) => probe === 'clean' && seenMerge === 'conflict');
  const undecided = pulls.filter(({ probe }) => probe === 'unknown');
  const first = [...conflicts, ...cleared, ...undecided];
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

/** FNV-1a: spreads well, and gives the same value in every process. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value >>> 0;
}
