import { isIPv4, isIPv6 } from 'node:net';

/**
 * The part of a peer's address that one sender controls: an IPv4 address (also in its IPv6 form), or a /64 network of
 * IPv6. Any other text, and null, is one sender.
 */
export function toShareKey(address: string | null): string {
  if (address === null) return '';
  const v4 = address.replace(/^::ffff:/iu, '');
  if (isIPv4(v4)) return v4;
  if (!isIPv6(address)) return '';
  const [plain = ''] = address.split('%', 1);
  const [head = '', tail] = plain.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  // Only the first four groups count. `::` stands for as many zero groups as are missing.
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - front.length - back.length, 0)).fill('0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':').toLowerCase();
}
