import { describe, expect, it } from 'vitest';
import { toPageOrigin } from '../../src/web/page-origin.ts';

const LOCAL = { host: 'localhost', publicUrl: null };
const PUBLIC = { host: '0.0.0.0', publicUrl: 'https://ratchet.example.com/api/github/webhooks' };

describe('the origin of a page', () => {
  it.each([
    ['localhost:3000', LOCAL, 'http://localhost:3000'],
    ['localhost:8080', LOCAL, 'http://localhost:8080'],
    ['127.0.0.1:3000', LOCAL, 'http://127.0.0.1:3000'],
    ['[::1]:3000', LOCAL, 'http://[::1]:3000'],
    ['ratchet.example.com', PUBLIC, 'https://ratchet.example.com'],
    ['ratchet.example.com:443', PUBLIC, 'https://ratchet.example.com'],
    ['10.0.0.5:3000', { host: '10.0.0.5', publicUrl: null }, 'http://10.0.0.5:3000'],
    ['[fd00::1]:3000', { host: 'fd00::1', publicUrl: null }, 'http://[fd00::1]:3000'],
  ])('at %s is known', (header, hosts, origin) => {
    expect(toPageOrigin(header, hosts)).toBe(origin);
  });

  it.each([
    [undefined, LOCAL],
    ['', LOCAL],
    ['evil.example', LOCAL],
    ['10.0.0.5:3000', LOCAL],
    ['10.0.0.5:3000', PUBLIC],
    ['ratchet.example.com:8443', PUBLIC],
    ['ratchet.example.com', { host: '0.0.0.0', publicUrl: 'http://ratchet.example.com' }],
    ['localhost/x', LOCAL],
    ['localhost?x', LOCAL],
    ['localhost#x', LOCAL],
    ['user@localhost', LOCAL],
    ['localhost.evil.example', LOCAL],
    ['local host', LOCAL],
  ])('at %s is not', (header, hosts) => {
    expect(toPageOrigin(header, hosts)).toBeNull();
  });
});
