import type { Socket } from 'node:net';
import type { RegistryRoots } from '../../core/registry/registry-roots.ts';
import type { RegistryUse } from '../../ports/registries.ts';
import { type Resolution, rememberAddresses } from './resolve-host.ts';

/** Limits of one session. */
export interface RegistryLimits {
  /** Bytes received, of all answers and tunnels. */
  readonly maxBytes: number;
  /** Bytes sent through all tunnels. */
  readonly maxSentBytes: number;
  /** Bytes of one answer that is rewritten, and so held in memory. */
  readonly maxDocumentBytes: number;
  readonly maxTunnels: number;
  /** Time without a byte. */
  readonly idleMs: number;
  /** Time of one answer or tunnel. */
  readonly deadlineMs: number;
}

export const DEFAULT_LIMITS: RegistryLimits = {
  maxBytes: 2 * 1024 ** 3,
  maxSentBytes: 16 * 1024 ** 2,
  maxDocumentBytes: 64 * 1024 ** 2,
  maxTunnels: 32,
  idleMs: 60_000,
  deadlineMs: 10 * 60_000,
};

const MAX_REFUSED = 20;
const MAX_REASON_LENGTH = 300;

/** What the requests of one run of `setup` share. */
export interface RegistrySession {
  readonly roots: RegistryRoots;
  /** Address of the proxy as the site sees it, without a trailing slash. */
  readonly proxy: string;
  /** The hosts for CONNECT. */
  readonly hosts: readonly string[];
  readonly limits: RegistryLimits;
  readonly resolution: Resolution;
  /** The same for hosts of registries, which are asked for again and again. */
  readonly registryResolution: Resolution;
  /** Origins of `roots`. The operator chose them, so their addresses may be private; other hosts of a registry are checked. */
  readonly ownOrigins: readonly string[];
  /** Sockets of tunnels, which the server does not know. */
  readonly tunnels: Set<Socket>;
  /** Counts received bytes. false: more than allowed. */
  readonly receive: (bytes: number) => boolean;
  /** Counts bytes sent through tunnels. false: more than allowed. */
  readonly send: (bytes: number) => boolean;
  readonly countRequest: () => void;
  /** Notes a refusal for the report. */
  readonly refuse: (what: string, reason: string) => void;
  readonly use: () => RegistryUse;
}

/** Creates the state of a session. */
export function createRegistrySession(
  given: Pick<RegistrySession, 'roots' | 'proxy' | 'hosts' | 'limits' | 'resolution' | 'ownOrigins'>,
): RegistrySession {
  let requests = 0;
  let received = 0;
  let sent = 0;
  const refused = new Set<string>();
  return {
    ...given,
    registryResolution: rememberAddresses(given.resolution),
    tunnels: new Set(),
    receive: (bytes) => {
      received += bytes;
      return received <= given.limits.maxBytes;
    },
    send: (bytes) => {
      sent += bytes;
      return sent <= given.limits.maxSentBytes;
    },
    countRequest: () => {
      requests += 1;
    },
    refuse: (what, reason) => {
      if (refused.size < MAX_REFUSED) refused.add(`${what}: ${reason}`.slice(0, MAX_REASON_LENGTH));
    },
    use: () => ({ requests, bytes: received, refused: [...refused] }),
  };
}
