import { DEFAULT_POLICY } from '../model/default-policy.ts';
import type { Policy } from '../model/policy.ts';
import { type ClampedPolicy, clampPolicy } from './clamp-policy.ts';
import { mergeEngines } from './merge-engines.ts';
import type { OperatorPolicy } from './operator-policy.ts';
import type { PolicyLayer } from './policy-layer.ts';

/**
 * The policy that holds: the built-in one, under what the operator, then each of `layers` sets, under the operator's ceilings.
 * Key by key; a list replaces the list below it, but `changes.protectedPaths` only grows: what the operator or the
 * organisation protects, no repository unprotects.
 */
export function mergePolicy(layers: readonly PolicyLayer[], operator: OperatorPolicy): ClampedPolicy {
  let policy = DEFAULT_POLICY;
  for (const layer of [operator.defaults, ...layers]) policy = putOver(policy, layer);
  return clampPolicy(policy, operator.ceilings);
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
