import type { Sha } from '../model/ids.ts';

/** So much of a commit's name as people are shown. */
export function toShortSha(sha: Sha): string {
  return sha.slice(0, 10);
}
