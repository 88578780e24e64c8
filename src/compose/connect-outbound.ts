import { rename, writeFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { ProxyEnv } from '../adapters/gateway/model-upstream.ts';
import type { Environment } from '../config/environment.ts';

/** How this process and its git reach the outside. */
export type Outbound = Pick<Environment, 'proxy' | 'hasOwnCa'>;

/** The proxy as Node's own agents of connections want it; null: there is none. */
export function toProxyEnv({ proxy }: Pick<Outbound, 'proxy'>): ProxyEnv | null {
  return proxy === null ? null : { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: proxy.except };
}

/** Sends what this process fetches through the proxy. Node itself adds the certificates of NODE_EXTRA_CA_CERTS. */
export function useProxy(outbound: Pick<Outbound, 'proxy'>): void {
  const env = toProxyEnv(outbound);
  if (env !== null) setGlobalProxyFromEnv({ ...env });
}

/**
 * The variables with which git takes the same way and trusts the same certificates as this process. They are for the git of the
 * service only: no sandbox gets them. A certificate file of git's takes the place of the machine's, so it has to hold all of them.
 */
export async function toGitWay({ proxy, hasOwnCa }: Outbound, dataDir: string): Promise<Record<string, string>> {
  const way = proxy === null ? {} : { https_proxy: proxy.url, http_proxy: proxy.url, no_proxy: proxy.except };
  if (!hasOwnCa) return way;
  const path = join(dataDir, 'trusted-certificates.pem');
  const partial = `${path}.partial`;
  await writeFile(partial, getCACertificates('default').join('\n'), { mode: 0o600 });
  await rename(partial, path);
  return { ...way, GIT_SSL_CAINFO: path };
}
