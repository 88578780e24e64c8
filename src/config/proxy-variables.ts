import { z } from 'zod';

/** The proxy through which the network is reached. */
export interface Proxy {
  readonly url: string;
  /** Hosts that are reached without it, as NO_PROXY lists them. */
  readonly except: string;
}

const proxyUrl = z.string().refine((value) => {
  const url = URL.parse(value);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '';
}, 'must be an http:// or https:// address');

export const PROXY_FIELDS = {
  HTTPS_PROXY: proxyUrl.optional(),
  https_proxy: proxyUrl.optional(),
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),
};

/** null: there is none. This machine is always reached without it. */
export function toProxy(
  fields: Readonly<Partial<Record<keyof typeof PROXY_FIELDS, string | undefined>>>,
): Proxy | null {
  const url = fields.https_proxy ?? fields.HTTPS_PROXY;
  const except = ['localhost', '127.0.0.1', '::1', fields.no_proxy ?? fields.NO_PROXY ?? ''].filter(Boolean).join(',');
  return url === undefined ? null : { url, except };
}
