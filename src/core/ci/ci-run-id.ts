import { type CiResult, compareText } from './latest-results.ts';
import { toShortHash } from './short-hash.ts';

/**
 * Identity of the CI result at a head (resolution S5); null if there are no results. It is equal exactly if the head and the set
 * of latest results are equal, in any order. A re-run is a new result.
 */
export function toCiRunId(headSha: string, latest: readonly CiResult[]): string | null {
  if (latest.length === 0) return null;
  const parts = latest.map(toIdentity).sort(compareText);
  return `${headSha.slice(0, 12)}.${parts.length}.${toShortHash(JSON.stringify([headSha, ...parts]))}`;
}

function toIdentity(result: CiResult): string {
  if (result.source === 'status') return JSON.stringify([result.name, result.id]);
  return JSON.stringify([result.appId, result.name, result.id, result.startedAt, result.runAttempt]);
}
