import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './is-public-address.ts';

/** How names become addresses, and which addresses may be connected to. */
export interface Resolution {
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly isAllowed: (address: string) => boolean;
}

/** At least one address, or why there is none to connect to. */
export type Resolved =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** The resolver of this machine, and only public addresses. */
export const PUBLIC_ONLY: Resolution = {
  resolve: async (host) => (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

/**
 * Resolves each host one time, and again only after a failure. An install reads hundreds of files of one host, and where the
 * machine keeps no answers, a lookup takes longer than the file.
 */
export function rememberAddresses({ resolve, isAllowed }: Resolution): Resolution {
  const known = new Map<string, Promise<readonly string[]>>();
  return {
    isAllowed,
    resolve: (host) => {
      const asked = known.get(host) ?? resolve(host);
      known.set(host, asked);
      asked.catch(() => known.delete(host));
      return asked;
    },
  };
}

/**
 * Resolves a host once. Every address must be allowed: a name with one private address among others is made to reach it. The
 * caller connects to one of these addresses and never resolves the name again (DNS rebinding).
 */
export async function resolveOnce(host: string, { resolve, isAllowed }: Resolution): Promise<Resolved> {
  const name = host.replace(/^\[(.*)\]$/u, '$1');
  const addresses = isIP(name) === 0 ? await resolve(name).catch(() => []) : [name];
  if (addresses.length === 0) return { kind: 'refused', reason: `${host} has no address` };
  const refused = addresses.find((address) => !isAllowed(address));
  if (refused === undefined) return { kind: 'addresses', addresses };
  return { kind: 'refused', reason: `${host} leads to ${refused}, which is no public address` };
}
