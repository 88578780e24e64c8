import type { Sha } from '../model/ids.ts';

/**
 * The patch of a resolved merge, as it applies to what `git merge` leaves in somebody's checkout: there the side of the head is
 * called `HEAD`, where git without a checkout names the commit.
 */
export function toMergePatch(patch: string, headSha: Sha): string {
  return patch.replaceAll(new RegExp(`^([- ]<{7,} )${headSha}(?=:|\\r?$)`, 'gmu'), '$1HEAD');
}
