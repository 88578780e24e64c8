import { describe, expect, it } from 'vitest';
import { isThisMachine, judgeHookUrl } from '../../../src/core/setup/judge-hook-url.ts';

const PATH = '/api/github/webhooks';
const HOSTED = { githubHostname: 'github.com', isHosted: true, path: PATH };
const SERVER = { githubHostname: 'ghe.acme.corp', isHosted: false, path: PATH };
const LOCAL = { githubHostname: '127.0.0.1', isHosted: false, path: PATH };

describe('the address to which GitHub sends webhooks', () => {
  it('gets the path on which this server takes them, where it has none', () => {
    expect(judgeHookUrl('https://ratchet.example.com', HOSTED)).toEqual({
      kind: 'usable',
      url: `https://ratchet.example.com${PATH}`,
      warning: null,
    });
  });

  it('keeps another path, as a forwarder has it, and says what that needs', () => {
    const judged = judgeHookUrl('https://smee.io/abc?x=1', HOSTED);

    expect(judged).toMatchObject({ kind: 'usable', url: 'https://smee.io/abc?x=1' });
    expect(JSON.stringify(judged)).toContain('something between them has to forward them');
  });

  it('is usable without encryption, with a warning, except within one machine', () => {
    expect(JSON.stringify(judgeHookUrl('http://ratchet.example.com', HOSTED))).toContain('unencrypted');
    expect(judgeHookUrl('http://127.0.0.1:3000', LOCAL)).toMatchObject({ kind: 'usable', warning: null });
  });

  it('is explained where it is missing', () => {
    const judged = judgeHookUrl('', HOSTED);

    expect(judged.kind).toBe('missing');
    expect(JSON.stringify(judged)).toContain('such as https://ratchet.example.com');
  });

  it.each([
    ['ratchet.example.com', 'no http:// or https:// address'],
    ['javascript:alert(1)', 'no http:// or https:// address'],
    ['https://user@ratchet.example.com', 'no user'],
    ['https://:secret@ratchet.example.com', 'no password'],
    ['https://ratchet.example.com/#x', 'no fragment'],
  ])('is refused as %s', (text, why) => {
    const judged = judgeHookUrl(text, HOSTED);

    expect(judged.kind).toBe('refused');
    expect(JSON.stringify(judged)).toContain(why);
  });

  it.each([
    'http://localhost:3000',
    'http://api.localhost',
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://0.0.0.0:3000',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://LOCALHOST.',
    'http://[::ffff:0.0.0.0]',
  ])('is refused where it means this machine only here: %s', (text) => {
    for (const place of [HOSTED, SERVER]) {
      expect(JSON.stringify(judgeHookUrl(text, place))).toContain('that name means this machine only here');
    }
  });

  it.each([
    'http://10.0.0.1',
    'http://192.168.1.1',
    'http://172.16.0.1',
    'http://172.20.0.1',
    'http://172.31.0.1',
    'http://169.254.169.254',
    'http://100.64.0.1',
    'http://100.99.0.1',
    'http://100.110.0.1',
    'http://100.127.0.1',
    'http://[fd00::1]',
    'http://[fe80::1]',
    'http://[::ffff:10.0.0.1]',
    'http://ratchet',
    'http://ratchet.local',
    'http://ratchet.corp.internal',
  ])(
    'of a private network is refused for a GitHub of the internet, and good for a server in that network: %s',
    (text) => {
      expect(JSON.stringify(judgeHookUrl(text, HOSTED))).toContain('an address of a private network');
      expect(judgeHookUrl(text, SERVER).kind).toBe('usable');
    },
  );

  it.each([
    'http://11.0.0.1',
    'http://172.32.0.1',
    'http://100.128.0.1',
    'http://[2606:4700::1]',
    'http://localhost.example.com',
  ])('of the internet is usable: %s', (text) => {
    expect(judgeHookUrl(text, HOSTED).kind).toBe('usable');
  });
});

describe('names of this machine', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['example.com', false],
    ['localhost.example.com', false],
    ['128.0.0.1', false],
  ])('%s: %s', (hostname, expected) => {
    expect(isThisMachine(hostname)).toBe(expected);
  });
});
