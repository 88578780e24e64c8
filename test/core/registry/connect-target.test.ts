import { describe, expect, it } from 'vitest';
import { isPlainHost, toConnectTarget } from '../../../src/core/registry/connect-target.ts';
import { textWith } from '../../support/text-with.ts';

const HOSTS = ['registry.yarnpkg.com', 'a.example'];

describe('toConnectTarget', () => {
  it.each(HOSTS)('leads to %s', (host) => {
    expect(toConnectTarget(`${host}:443`, HOSTS)).toEqual({ kind: 'host', host });
  });

  it.each([
    ['evil.example:443', 'evil.example is not listed by both RATCHET_SETUP_HOSTS and install.hosts'],
    ['sub.a.example:443', 'sub.a.example is not listed'],
    ['a.example:80', 'only port 443'],
    ['a.example:22', 'only port 443'],
    ['a.example:0443', 'only port 443'],
    ['a.example:', 'only port 443'],
    ['a.example', 'no plain host name'],
    ['', 'no plain host name'],
    [':443', 'no plain host name'],
    ['A.example:443', 'no plain host name'],
    ['a.example.:443', 'no plain host name'],
    ['a.example\u0000.evil.example:443', 'no plain host name'],
    ['a.example@evil.example:443', 'no plain host name'],
    ['a.example/x:443', 'no plain host name'],
    ['a.example:443:443', 'no plain host name'],
    ['http://a.example:443', 'no plain host name'],
    ['a_b.example:443', 'no plain host name'],
    ['аpple.example:443', 'no plain host name'],
    ['localhost:443', 'no plain host name'],
    ['127.0.0.1:443', 'no plain host name'],
    ['2130706433:443', 'no plain host name'],
    ['0x7f.1:443', 'no plain host name'],
    ['127.1:443', 'no plain host name'],
    ['[::1]:443', 'no plain host name'],
    ['::1:443', 'no plain host name'],
  ])('T37 refuses %j', (target, reason) => {
    expect(toConnectTarget(target, HOSTS)).toEqual({
      kind: 'refused',
      reason: textWith(reason),
    });
  });
});

describe('isPlainHost', () => {
  it('has limits of length', () => {
    expect(isPlainHost(`${'a'.repeat(63)}.example`)).toBe(true);
    expect(isPlainHost(`${'a'.repeat(64)}.example`)).toBe(false);
    expect(isPlainHost(`${'a.'.repeat(123)}example`)).toBe(true);
    expect(isPlainHost(`${'a.'.repeat(123)}examples`)).toBe(false);
    expect(isPlainHost('-a.example')).toBe(false);
  });
});
