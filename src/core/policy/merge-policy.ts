import { describeIgnoredRequired, findIgnoredRequired } from '../ci/ignored-required.ts';
import { DEFAULT_POLICY } from '../model/default-policy.ts';
import { type Declared, POLICY_KEYS, type Policy } from '../model/policy.ts';
import { type ClampedPolicy, clampPolicy } from './clamp-policy.ts';
import { mergeEngines } from './merge-engines.ts';
import type { OperatorPolicy } from './operator-policy.ts';
import type { PolicyLayer } from './policy-layer.ts';
import { isSection, type Section } from './section.ts';
import { findLabelFault } from './value-faults.ts';

/** The result of merging layers. */
export interface MergedPolicy extends ClampedPolicy {
  /** Contradictions between layers, one line each. With any, nothing may be launched. */
  readonly problems: readonly string[];
}

/**
 * Merges the built-in policy, the operator's defaults and `layers`, in this order, and applies the operator's ceilings.
 * Merges key by key. A list replaces the list below, unless its key grows: a repository cannot unprotect what the operator
 * or the organisation protects.
 */
export function mergePolicy(layers: readonly PolicyLayer[], operator: OperatorPolicy): MergedPolicy {
  let policy = DEFAULT_POLICY;
  for (const layer of [operator.defaults, ...layers]) policy = putOver(policy, layer);
  const { policy: under, clamped } = clampPolicy(policy, operator.ceilings);
  const settled = settleRequired(under);
  const fault = findLabelFault(under.labels);
  const problems = fault === null ? settled.problems : [...settled.problems, `\`labels.enable\`: ${fault}`];
  return { ...settled, problems, clamped };
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
  return { ...putSectionOver(POLICY_KEYS, below, layer), engines: mergeEngines(below.engines, layer.engines) };
}

function putSectionOver<Values extends Section>(keys: Declared, below: Values, layer: Section): Values;
function putSectionOver(keys: Declared, below: Section, layer: Section): unknown {
  const values = Object.entries(keys).map(
    ([name, declared]) => [name, putKeyOver(declared, below[name], layer[name])] as const,
  );
  return Object.fromEntries(values);
}

function putKeyOver(declared: Declared[string], below: unknown, set: unknown): unknown {
  if (set === undefined) return below;
  if ('keys' in declared && isSection(below) && isSection(set)) return putSectionOver(declared.keys, below, set);
  return 'grows' in declared && isList(below) && isList(set) ? [...new Set([...below, ...set])] : set;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
