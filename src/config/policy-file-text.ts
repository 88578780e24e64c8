import { stringify } from 'yaml';
import type { Policy } from '../core/model/policy.ts';
import { toFileKeys } from '../core/policy/list-changes.ts';

/** A whole policy as a `.github/ratchet.yml` that sets every key; it reads back as the same policy. */
export function toPolicyFileText(policy: Policy): string {
  return stringify(toFileKeys(policy), { lineWidth: 0, aliasDuplicateObjects: false });
}
