import { stringify } from 'yaml';
import type { Policy } from '../core/model/policy.ts';

/** A whole policy as a `.github/ratchet.yml` that sets every key; it reads back as the same policy. */
export function toPolicyFileText(policy: Policy): string {
  return stringify(policy, { lineWidth: 0, aliasDuplicateObjects: false });
}
