import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type RegistryKind, toOrigins } from '../../core/registry/registry-roots.ts';
import type { RegistrySession } from './registry-session.ts';
import { resolveOnce } from './resolve-host.ts';

/** A request to a registry. */
export interface UpstreamRequest {
  readonly of: RegistryKind;
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  readonly accept: string | null;
}

/** The answer of a registry after redirects, its body unread, or why there is none. */
export type Upstream =
  | { readonly kind: 'answer'; readonly url: string; readonly message: IncomingMessage }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** The whole request: nothing that the site sent is passed on but what it accepts. */
const HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'ratchet-registry-proxy' } as const;

/** Reads an address of a registry. Follows redirects to hosts of the same registry. */
export async function fetchUpstream(
  session: RegistrySession,
  wanted: UpstreamRequest,
  signal: AbortSignal,
): Promise<Upstream> {
  let url = new URL(wanted.url);
  for (let left = MAX_REDIRECTS; left >= 0; left -= 1) {
    const { origin } = url;
    if (!toOrigins(wanted.of, session.roots).includes(origin)) {
      return { kind: 'refused', reason: `the registry leads to ${origin}, which is no host of it` };
    }
    const step = await fetchOnce(session, wanted, url, signal);
    if (step.kind !== 'answer' || !REDIRECTS.includes(step.message.statusCode ?? 0)) return step;
    step.message.destroy();
    const next = URL.parse(step.message.headers.location ?? '', url.href);
    if (next === null) return { kind: 'failed', reason: 'the registry redirects to no address' };
    url = next;
  }
  return { kind: 'failed', reason: 'the registry redirects too often' };
}

async function fetchOnce(
  session: RegistrySession,
  { method, accept }: UpstreamRequest,
  url: URL,
  signal: AbortSignal,
): Promise<Upstream> {
  const isOwn = session.ownOrigins.includes(url.origin);
  const checked = session.registryResolution;
  const resolution = isOwn ? { ...checked, isAllowed: () => true } : checked;
  const resolved = await resolveOnce(url.hostname, resolution);
  if (resolved.kind === 'refused') return resolved;
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const headers = { ...HEADERS, ...(accept === null ? {} : { accept }) };
  const { idleMs } = session.limits;
  return new Promise((resolve) => {
    const lookup = toLookup(resolved.addresses);
    const sent = request(url, { method, headers, signal, lookup, timeout: idleMs }, (message) => {
      resolve({ kind: 'answer', url: url.href, message });
    });
    sent.on('timeout', () => sent.destroy(new Error('silent for too long')));
    sent.on('error', (error) => resolve({ kind: 'failed', reason: `${url.host} cannot be read: ${error.message}` }));
    sent.end();
  });
}

/** A resolver that knows only the addresses that were checked. */
function toLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, options, answer) => {
    if (options.all === true) answer(null, found);
    else answer(null, found[0]?.address ?? '', found[0]?.family);
  };
}
