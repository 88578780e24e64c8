import type { SiteRelay } from './site.ts';

/** What one run of `setup` read. */
export interface RegistryUse {
  readonly requests: number;
  /** Bytes that were received, headers not counted. */
  readonly bytes: number;
  /** Refused requests with their reasons, each once, at most 20. They contain text of the pull request. */
  readonly refused: readonly string[];
}

/** An open relay to the registries. */
export interface OpenRegistries {
  readonly relay: SiteRelay;
  /** Ends all its connections and removes the socket. Idempotent. */
  readonly close: () => Promise<RegistryUse>;
}

/** Lets `setup` read packages. Nothing can be written, and no credential passes. */
export interface Registries {
  /** Changes whenever other registries are configured. */
  readonly identity: string;
  /** The hosts that the operator allows for CONNECT. */
  readonly hosts: readonly string[];
  /**
   * A lockfile that was made through a relay, with addresses of registries in place of the relay's. `before`: the file as it was.
   * null: an address is left that cannot be restored.
   */
  readonly restoreAddresses: (lockfile: string, before: string) => string | null;
  /** Opens a relay for one run of `setup`. Of `hosts`, only those count that the operator allows too. */
  readonly open: (hosts: readonly string[]) => Promise<OpenRegistries>;
}
