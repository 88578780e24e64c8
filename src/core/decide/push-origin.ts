import type { Sha } from '../model/ids.ts';
import type { Actor, Push } from '../model/pull-request.ts';

/**
 * Who moved a branch. `person`: somebody who may write pushed at least once. `machine`: only bots, the App itself and accounts
 * that may not write did. `unknown`: GitHub has not told.
 */
export type PushOrigin =
  | { readonly kind: 'person'; readonly by: Actor }
  | { readonly kind: 'machine' }
  | { readonly kind: 'unknown' };

/**
 * The accounts behind the pushes that led from `fromSha` to `headSha`, newest first; `pushes` are those of the branch, newest
 * first. null: they do not say, because the newest push is missing, or is newer than `headSha`. If the list does not reach back to
 * `fromSha`, only the newest push counts, since the others may be older.
 */
export function findPushers(
  pushes: readonly Push[],
  { fromSha, headSha }: { readonly fromSha: Sha; readonly headSha: Sha },
): readonly (Actor | null)[] | null {
  const [newest] = pushes;
  if (newest?.after !== headSha) return null;
  const last = pushes.findIndex(({ before }) => before === fromSha);
  return pushes.slice(0, Math.max(last, 0) + 1).map(({ by }) => by);
}

/** The people among them, each once. Others push for somebody else, or by themselves (resolution S17). */
export function toPeople(pushers: readonly (Actor | null)[]): readonly Actor[] {
  const people = new Map<number, Actor>();
  for (const pusher of pushers) if (pusher?.kind === 'user') people.set(pusher.id, pusher);
  return [...people.values()];
}
