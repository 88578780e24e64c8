import { type Declared, POLICY_KEYS, type Policy } from '../model/policy.ts';
import type { DecisionPolicy } from '../model/snapshot.ts';
import { isSection, type Section } from './section.ts';

/** How long GitHub may take to compute mergeability before a person is asked. No policy changes this. */
const MERGE_TIMEOUT_SECONDS = 30 * 60;

/** The part of a policy that the decision uses. */
export function toDecisionPolicy(policy: Policy): DecisionPolicy;
export function toDecisionPolicy(policy: Section): unknown {
  return { ...Object.fromEntries(listDeciding(POLICY_KEYS, policy)), mergeTimeoutSeconds: MERGE_TIMEOUT_SECONDS };
}

function listDeciding(keys: Declared, values: Section): readonly (readonly [string, unknown])[] {
  return Object.entries(keys).flatMap(([key, declared]) => {
    const value = values[key];
    if ('keys' in declared && isSection(value)) return listDeciding(declared.keys, value);
    if ('keys' in declared || declared.decision === undefined) return [];
    const { decision } = declared;
    return [typeof decision === 'string' ? [decision, value] : [decision.name, value === decision.is]];
  });
}
