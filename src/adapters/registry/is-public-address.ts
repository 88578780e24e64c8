import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 ranges that are not of the public internet, and the addresses of metadata services that look as if they were. */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, with the metadata service of most clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's platform service.
  ['168.63.129.16', 32],
];
/** Parts of 2000::/3 that are special: Teredo and other protocols, documentation, 6to4. */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, bits] of SPECIAL_V4) special.addSubnet(network, bits);
for (const [network, bits] of SPECIAL_V6) special.addSubnet(network, bits, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an IP address is of the public internet. Of IPv6 only 2000::/3 is: mapped IPv4, NAT64, link-local, unique local and
 * multicast addresses lie outside of it.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address);
  return isIPv6(address) && globalV6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
