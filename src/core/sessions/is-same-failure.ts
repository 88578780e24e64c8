import type { Session } from '../model/session.ts';

/**
 * Whether CI fails in exactly the way for which the last CI fixup was pushed (002.R31). `ended`: newest first; a fixup for something
 * else says nothing about CI. A failure without a signature is like no other.
 */
export function isSameFailure(ended: readonly Pick<Session, 'fixup' | 'outcome'>[], signature: string | null): boolean {
  const last = ended.find(({ fixup, outcome }) => fixup?.action === 'FIX_CI' && outcome?.kind === 'pushed');
  return signature !== null && last?.fixup?.signature === signature;
}
