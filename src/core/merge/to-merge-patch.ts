import type { Sha } from '../model/ids.ts';

/**
 * The patch of a resolved merge, as it applies to a checkout after `git merge`. There the head's conflict marker is
 * `HEAD`; a merge without a checkout writes the commit instead.
 */
export function toMergePatch(patch: string, headSha: Sha): string {
  return patch.replaceAll(new RegExp(`^([- ]<{7,} )${headSha}(?=:|\\r?$)`, 'gmu'), '$1HEAD');
}
