/** Every label that can mean something to Ratchet starts with this word, in any case: the others need no second look. */
export const LABEL_PREFIX = 'ratchet';

/** Whether a label may be one that the policy knows; which ones count is for the policy to say. */
export function isLabelOfOurs(label: string): boolean {
  return isSameLabel(label.slice(0, LABEL_PREFIX.length), LABEL_PREFIX);
}

/** Whether two names are one label: for GitHub their case does not matter. `wanted` null: the policy names none. */
export function isSameLabel(label: string, wanted: string | null): boolean {
  return label.toLowerCase() === wanted?.toLowerCase();
}
