import type { Session } from '../model/session.ts';

/**
 * Whether CI fails in exactly the way that the last pushed CI fixup was launched for (002.R31). `ended` is newest first. Fixups for
 * conflicts and reviews do not count. A failure without a signature equals no other.
 */
export function isSameFailure(ended: readonly Pick<Session, 'fixup' | 'outcome'>[], signature: string | null): boolean {
  const last = ended.find(({ fixup, outcome }) => fixup?.action === 'FIX_CI' && outcome?.kind === 'pushed');
  return signature !== null && last?.fixup?.signature === signature;
}
