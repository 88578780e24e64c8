import { isAbsolute, join, resolve } from 'node:path';

/** `RATCHET_CACHE_DIR`, or the user's cache folder; null if no variable names one. Absolute. */
export function findCacheFolder({
  variables,
  folder,
}: {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute folder that relative paths are relative to. */
  readonly folder: string;
}): string | null {
  const own = variables['RATCHET_CACHE_DIR'] ?? '';
  if (own !== '') return resolve(folder, own);
  const caches = variables['XDG_CACHE_HOME'] ?? '';
  // The XDG standard says to ignore a relative path.
  if (isAbsolute(caches)) return join(caches, 'ratchet');
  const home = variables['HOME'] ?? '';
  return home === '' ? null : join(resolve(folder, home), '.cache', 'ratchet');
}
