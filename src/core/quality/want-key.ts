import { sha256 } from '../hash/sha256.ts';
import { DEFAULT_POLICY } from '../model/default-policy.ts';
import type { Sha } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';

/**
 * Key of what a run of the engines is for: if the key is equal, another run would find the same. The tip of the base branch is
 * not part of it, because the head is compared with the merge base, which moves only with the head.
 */
export function toWantKey(
  head: { readonly headSha: Sha; readonly baseRef: string },
  policy: Pick<Policy, 'engines' | 'install' | 'setup'>,
): string {
  const install = JSON.stringify(policy.install);
  // Runs of versions without `install` keep their keys.
  const more = install === JSON.stringify(DEFAULT_POLICY.install) ? [] : [install];
  return sha256(JSON.stringify([head.headSha, head.baseRef, policy.engines, policy.setup, ...more], dropUnset));
}

/** Runs of versions without a setting keep their keys while nobody sets it. */
function dropUnset(key: string, value: unknown): unknown {
  const isUnset =
    key === 'projects' ? value === null : key === 'ignoreExit' && Array.isArray(value) && value.length === 0;
  return isUnset ? undefined : value;
}
