import { type CiResult, compareText } from './latest-results.ts';

/**
 * Identity of the CI result at a head (resolution S5): equal exactly when the head and the set of latest results are, in
 * whatever order they come. A re-run is a new result. null when there is none.
 */
export function toCiRunId(headSha: string, latest: readonly CiResult[]): string | null {
  if (latest.length === 0) return null;
  const parts = latest.map(toIdentity).sort(compareText);
  const text = JSON.stringify([headSha, ...parts]);
  return `${headSha.slice(0, 12)}.${parts.length}.${toHash(text, 1)}${toHash(text, 2)}`;
}

function toIdentity(result: CiResult): string {
  if (result.source === 'status') return JSON.stringify([result.name, result.id]);
  return JSON.stringify([result.appId, result.name, result.id, result.startedAt, result.runAttempt]);
}

/** cyrb53 by bryc (public domain): 53 bits, here twice with other seeds. Not for secrets; only to keep an identity short. */
function toHash(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(11, '0');
}
