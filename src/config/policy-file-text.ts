import { stringify } from 'yaml';
import type { Policy } from '../core/model/policy.ts';
import { toFileKeys } from '../core/policy/list-changes.ts';

/** Renders a policy as a `.github/ratchet.yml` that sets every key. Parsing it returns the same policy. */
export function toPolicyFileText(policy: Policy): string {
  return stringify(toFileKeys(policy), { lineWidth: 0, aliasDuplicateObjects: false });
}
