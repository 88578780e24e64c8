import { describeIgnoredRequired, findIgnoredRequired } from '../ci/ignored-required.ts';
import { DEFAULT_POLICY } from '../model/default-policy.ts';
import type { Policy } from '../model/policy.ts';
import { type ClampedPolicy, clampPolicy } from './clamp-policy.ts';
import { mergeEngines } from './merge-engines.ts';
import type { OperatorPolicy } from './operator-policy.ts';
import type { PolicyLayer } from './policy-layer.ts';

/** The policy that comes of several layers. */
export interface MergedPolicy extends ClampedPolicy {
  /** Where layers contradict each other, one line each; nothing may be launched then. */
  readonly problems: readonly string[];
}

/**
 * The policy that holds: the built-in one, under what the operator, then each of `layers` sets, under the operator's ceilings.
 * Key by key; a list replaces the list below it, but `changes.protectedPaths` only grows: what the operator or the
 * organisation protects, no repository unprotects.
 */
export function mergePolicy(layers: readonly PolicyLayer[], operator: OperatorPolicy): MergedPolicy {
  let policy = DEFAULT_POLICY;
  for (const layer of [operator.defaults, ...layers]) policy = putOver(policy, layer);
  const { policy: under, clamped } = clampPolicy(policy, operator.ceilings);
  return { ...settleRequired(under), clamped };
}

/** What can never count is taken out of what is required: no verdict waits for it until somebody has read the problem. */
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
