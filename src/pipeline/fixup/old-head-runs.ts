import type { Observation } from '../../core/proof/observation.ts';
import type { OldHeadRuns } from '../deps.ts';

const MAX_KEPT = 200;

/** An empty memory of a bounded number of runs. */
export function createOldHeadRuns(): OldHeadRuns {
  const kept = new Map<string, Observation>();
  return {
    find: (key) => kept.get(key) ?? null,
    keep: (key, observation) => {
      kept.delete(key);
      kept.set(key, observation);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}
