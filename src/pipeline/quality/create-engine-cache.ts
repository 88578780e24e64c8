import type { PullRequestKey } from '../../core/model/ids.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { Deps } from '../deps.ts';

/** The engine cache of one pull request, never shared: dependencies are built by code of the pull request. */
export function createEngineCache({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): EngineCache {
  return {
    get: async (cacheKey) => store.cachedInvocation(key, cacheKey, clock.now()),
    put: async (cacheKey, stored) => store.cacheInvocation(key, cacheKey, stored, clock.now()),
  };
}
