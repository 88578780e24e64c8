import { describeIgnoredRequired, findIgnoredRequired } from '../ci/ignored-required.ts';
import { DEFAULT_POLICY } from '../model/default-policy.ts';
import type { Policy } from '../model/policy.ts';
import { type ClampedPolicy, clampPolicy } from './clamp-policy.ts';
import { mergeEngines } from './merge-engines.ts';
import type { OperatorPolicy } from './operator-policy.ts';
import type { PolicyLayer } from './policy-layer.ts';

/** The result of merging layers. */
export interface MergedPolicy extends ClampedPolicy {
  /** Contradictions between layers, one line each. With any, nothing may be launched. */
  readonly problems: readonly string[];
}

/**
 * Merges the built-in policy, the operator's defaults and `layers`, in this order, and applies the operator's ceilings.
 * Merges key by key. A list replaces the list below, but `changes.protectedPaths` only grows: a repository cannot
 * unprotect what the operator or the organisation protects.
 */
export function mergePolicy(layers: readonly PolicyLayer[], operator: OperatorPolicy): MergedPolicy {
  let policy = DEFAULT_POLICY;
  for (const layer of [operator.defaults, ...layers]) policy = putOver(policy, layer);
  const { policy: under, clamped } = clampPolicy(policy, operator.ceilings);
  return { ...settleRequired(under), clamped };
}

/** Removes ignored checks from the required ones and reports them, so that no verdict waits for a check that never counts. */
function settleRequired(policy: Policy): Pick<MergedPolicy, 'policy' | 'problems'> {
  const { required } = policy.ci;
  const ignored = findIgnoredRequired(policy.ci);
  if (required === null || ignored.length === 0) return { policy, problems: [] };
  const rest = required.filter((name) => !ignored.includes(name));
  return {
    policy: { ...policy, ci: { ...policy.ci, required: rest.length === 0 ? null : rest } },
    problems: [`\`ci.required\`: ${describeIgnoredRequired(ignored)}; they come from different files`],
  };
}

function putOver(below: Policy, layer: PolicyLayer): Policy {
  const protectedPaths = [...below.changes.protectedPaths, ...(layer.changes?.protectedPaths ?? [])];
  return {
    ...below,
    ...layer,
    ci: { ...below.ci, ...layer.ci },
    merge: { ...below.merge, ...layer.merge },
    reviews: { ...below.reviews, ...layer.reviews },
    labels: { ...below.labels, ...layer.labels },
    engines: mergeEngines(below.engines, layer.engines),
    changes: { ...below.changes, ...layer.changes, protectedPaths: [...new Set(protectedPaths)] },
  };
}
