import type { Environment } from '../config/environment.ts';

/** From the uid range that systemd leaves for local use. Processes with these uids are killed with their session. */
export const DEFAULT_UID_BASE = 60_600;
/** Each has its own slot in addition to those of fixups, so no fixup waits for engines. */
export const ENGINES_AT_ONCE = 2;
export const USER_AGENT = 'ratchet';

/** Secrets of this process. No text that leaves it may contain them. */
export function toLiveSecrets(
  {
    webhookSecrets,
    redisUrl,
    adminToken,
    proxy,
  }: Pick<Environment, 'webhookSecrets' | 'redisUrl' | 'adminToken' | 'proxy'>,
  privateKey: string,
): readonly string[] {
  const passwords = [redisUrl, proxy?.url ?? null].flatMap(toPasswords);
  return [...webhookSecrets, privateKey, ...passwords, adminToken ?? ''].filter((secret) => secret !== '');
}

/** The password of an address, as it stands there and as it is meant. */
export function toPasswords(address: string | null): readonly string[] {
  if (address === null) return [];
  const { password } = new URL(address);
  return [password, decodeURIComponent(password)].filter((text) => text !== '');
}
