import { isThisMachine } from '../core/setup/judge-hook-url.ts';

/** Where a page may be opened. */
export interface PageHosts {
  /** The address that the server was told to listen on. */
  readonly host: string;
  /** Public address of the server; null: there is none. */
  readonly publicUrl: string | null;
}

/**
 * Origin of a page by the header `Host`: this machine by any port (a tunnel may change it), the address that the operator told the
 * server to listen on, and the public address if it is encrypted. Null for any other name: another site may have pointed its name to
 * this machine to read the page (DNS rebinding). Headers of proxies are not believed.
 */
export function toPageOrigin(header: string | undefined, { host, publicUrl }: PageHosts): string | null {
  const text = header ?? '';
  if (!/^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/iu.test(text)) return null;
  const own = URL.parse(publicUrl ?? '');
  if (own?.protocol === 'https:' && own.host === URL.parse(`https://${text}`)?.host) return own.origin;
  const url = URL.parse(`http://${text}`);
  const isOurs = url !== null && (isThisMachine(url.hostname) || url.hostname === toHostname(host));
  return isOurs ? url.origin : null;
}

function toHostname(host: string): string {
  return URL.parse(`http://${host.includes(':') ? `[${host}]` : host}`)?.hostname ?? '';
}
