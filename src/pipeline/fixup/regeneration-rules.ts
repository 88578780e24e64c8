import type { RegenerationRules } from '../../core/merge/find-regenerable.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { Sites } from '../../ports/site.ts';

/** Lockfiles are regenerated under the same conditions as dependencies are installed. `tracked`: paths of the merged tree. */
export function toRegenerationRules(
  { sites, registries }: { readonly sites: Pick<Sites, 'promises'>; readonly registries: object | null },
  { merge, install }: Pick<Policy, 'merge' | 'install'>,
  tracked: readonly string[],
): RegenerationRules {
  const canRead = registries !== null && sites.promises.includes('relays');
  const isDetected = canRead && install.detect && install.registries;
  return { entries: merge.regenerate, tracked: isDetected ? tracked : null };
}
