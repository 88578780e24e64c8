import type { PullRequestKey } from '../../core/model/ids.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { Deps } from '../deps.ts';

/** What engines left on this pull request before; never that of another one, whose dependencies its own code made. */
export function createEngineCache({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): EngineCache {
  return {
    get: async (cacheKey) => store.cachedInvocation(key, cacheKey, clock.now()),
    put: async (cacheKey, stored) => store.cacheInvocation(key, cacheKey, stored, clock.now()),
  };
}
