/** Labels that can be commands start with this word, in any case. Other labels are ignored. */
export const LABEL_PREFIX = 'ratchet';

/** Whether a label may be a command. The policy decides which ones are. */
export function isLabelOfOurs(label: string): boolean {
  return isSameLabel(label.slice(0, LABEL_PREFIX.length), LABEL_PREFIX);
}

/** Whether two names are the same label; GitHub ignores their case. `wanted` null: the policy has no such label. */
export function isSameLabel(label: string, wanted: string | null): boolean {
  return label.toLowerCase() === wanted?.toLowerCase();
}
