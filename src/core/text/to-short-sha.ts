import type { Sha } from '../model/ids.ts';

/** The abbreviated object name that people see. */
export function toShortSha(sha: Sha): string {
  return sha.slice(0, 10);
}
