import { isAbsolute, join, resolve } from 'node:path';

/** `RATCHET_CACHE_DIR`, else where the system keeps caches of this person; null where nothing says where that is. Absolute. */
export function findCacheFolder({
  variables,
  folder,
}: {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What a relative path is relative to. Absolute. */
  readonly folder: string;
}): string | null {
  const own = variables['RATCHET_CACHE_DIR'] ?? '';
  if (own !== '') return resolve(folder, own);
  const caches = variables['XDG_CACHE_HOME'] ?? '';
  // A relative one is to be ignored, says the standard that it is from.
  if (isAbsolute(caches)) return join(caches, 'ratchet');
  const home = variables['HOME'] ?? '';
  return home === '' ? null : join(resolve(folder, home), '.cache', 'ratchet');
}
