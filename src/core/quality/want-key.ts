import { sha256 } from '../hash/sha256.ts';
import type { Sha } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';

/**
 * What a run of the engines is for: equal, and another run would find the same. The tip of the base is no part of it: what is
 * compared with is where the head left it, and that moves with the head.
 */
export function toWantKey(
  head: { readonly headSha: Sha; readonly baseRef: string },
  policy: Pick<Policy, 'engines' | 'setup'>,
): string {
  return sha256(JSON.stringify([head.headSha, head.baseRef, policy.engines, policy.setup]));
}
