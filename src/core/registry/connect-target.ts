/** Why a target of CONNECT is refused, or the host to connect to. */
export type ConnectTarget =
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'refused'; readonly reason: string };

const MAX_HOST_LENGTH = 253;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The last label has a letter first: an address in numbers is no name, in all its forms. */
const HOST = new RegExp(String.raw`^(?:${LABEL}\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`, 'u');

/** Whether the text is a plain host name with a dot. An IP address in any form is none. */
export function isPlainHost(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && HOST.test(text);
}

/** Reads the target of a CONNECT request: an exact name of the list, and port 443. */
export function toConnectTarget(target: string, hosts: readonly string[]): ConnectTarget {
  const colon = target.lastIndexOf(':');
  const [host, port] = [target.slice(0, Math.max(colon, 0)), target.slice(colon + 1)];
  if (!isPlainHost(host)) return { kind: 'refused', reason: 'this is no plain host name' };
  if (port !== '443') return { kind: 'refused', reason: `${host}: only port 443 is allowed` };
  if (!hosts.includes(host)) {
    return { kind: 'refused', reason: `${host} is not listed by both RATCHET_SETUP_HOSTS and install.hosts` };
  }
  return { kind: 'host', host };
}
