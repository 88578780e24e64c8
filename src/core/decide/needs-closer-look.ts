import type { Snapshot } from '../model/snapshot.ts';
import { determineFixupAction } from './determine-fixup-action.ts';

/**
 * Whether red CI is what there is to fix now, so that a closer look at it tells by which means (resolution S7). Where Ratchet
 * only observes it takes that look too: what it tells to be done is what it would do.
 */
export function needsCloserLook(snapshot: Snapshot): boolean {
  const pushing: Snapshot = { ...snapshot, policy: { ...snapshot.policy, mode: 'push' } };
  return determineFixupAction(pushing).action === 'FIX_CI';
}
