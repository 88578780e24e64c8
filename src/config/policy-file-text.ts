import { stringify } from 'yaml';
import type { Policy } from '../core/model/policy.ts';
import { toEnginesSection } from '../core/policy/to-engines-section.ts';

/** A whole policy as a `.github/ratchet.yml` that sets every key; it reads back as the same policy. */
export function toPolicyFileText(policy: Policy): string {
  return stringify(
    { ...policy, engines: toEnginesSection(policy.engines) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}
