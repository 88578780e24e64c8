import type { Snapshot } from '../model/snapshot.ts';
import { determineFixupAction } from './determine-fixup-action.ts';

/**
 * Whether red CI is to be fixed now, so that a closer look must choose the means (resolution S7). The mode is ignored, so that
 * `observe` and `suggest` report what Ratchet would do.
 */
export function needsCloserLook(snapshot: Snapshot): boolean {
  const pushing: Snapshot = { ...snapshot, policy: { ...snapshot.policy, mode: 'push' } };
  const { action, means } = determineFixupAction(pushing);
  return action === 'FIX_CI' && means !== 'update-branch';
}
