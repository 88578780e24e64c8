import { describe, expect, it } from 'vitest';
import { findCredentials, toAgentHeaders, toModelHeaders } from '../../../src/core/models/model-headers.ts';

const HOSTILE = {
  host: 'other.example',
  authorization: 'Bearer token',
  'x-api-key': 'token',
  'x-goog-api-key': 'token',
  'proxy-authorization': 'Basic abc',
  cookie: 'a=b',
  connection: 'keep-alive, x-secret',
  'keep-alive': 'timeout=5',
  te: 'trailers',
  trailer: 'x-a',
  upgrade: 'h2c',
  'transfer-encoding': 'chunked',
  'content-length': '7',
  'content-encoding': 'gzip',
  'content-type': 'text/plain',
  'accept-encoding': 'gzip',
  'x-forwarded-host': 'other.example',
  'x-http-method-override': 'DELETE',
  'openai-organization': 'org-other',
  'openai-project': 'proj-other',
  'x-goog-user-project': 'other',
  'anthropic-beta-x': 'a',
  forwarded: 'for=1',
  expect: '100-continue',
};
const ALWAYS = { 'accept-encoding': 'identity', 'content-type': 'application/json' };

describe('toModelHeaders', () => {
  it.each([
    ['anthropic', { 'x-api-key': 'the-key' }],
    ['openai', { authorization: 'Bearer the-key' }],
    ['gemini', { 'x-goog-api-key': 'the-key' }],
  ] as const)(
    'for %s sends the key in place of every credential, and no header that it does not know',
    (dialect, key) => {
      expect(toModelHeaders(dialect, HOSTILE, 'the-key')).toEqual({ ...ALWAYS, ...key });
    },
  );

  it.each([
    ['anthropic', ['accept', 'user-agent', 'anthropic-version', 'anthropic-beta']],
    ['openai', ['accept', 'user-agent']],
    ['gemini', ['accept', 'user-agent', 'x-goog-api-client']],
  ] as const)('for %s keeps what its API reads', (dialect, names) => {
    const headers = Object.fromEntries(names.map((name) => [name, 'a value']));
    expect(toModelHeaders(dialect, headers, 'the-key')).toMatchObject(headers);
  });

  it.each(['a\r\nx: y', 'a\nb', 'a\u0000', 'caf\u00e9', '', 'x'.repeat(4097), ['a', 'b']])(
    'leaves out the value %j',
    (value) => {
      const headers = { 'user-agent': value, 'anthropic-beta': value };
      expect(toModelHeaders('anthropic', headers, 'the-key')).toEqual({ ...ALWAYS, 'x-api-key': 'the-key' });
    },
  );

  it('leaves out betas that cost more, or want another key', () => {
    const headers = {
      'anthropic-beta': 'a-1, fast-mode-2026-02-01,extended-cache-ttl-2025-04-11,oauth-2025-04-20,b-2',
    };
    expect(toModelHeaders('anthropic', headers, 'key')['anthropic-beta']).toBe('a-1,b-2');
    expect(toModelHeaders('anthropic', { 'anthropic-beta': 'fast-mode-1' }, 'key')).not.toHaveProperty(
      'anthropic-beta',
    );
  });
});

describe('toAgentHeaders', () => {
  it('keeps what clients read, and nothing else', () => {
    const kept = {
      'request-id': 'req_1',
      'x-request-id': 'req_1',
      'retry-after': '2',
      'retry-after-ms': '2000',
      'x-should-retry': 'true',
      'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:00Z',
      'x-ratelimit-remaining-requests': '0',
    };
    const others = {
      'set-cookie': ['a=b'],
      location: 'http://other.example',
      connection: 'close',
      'transfer-encoding': 'chunked',
      'content-length': '7',
      'content-encoding': 'gzip',
      'x-api-key': 'k',
      'x-ratelimit-limit': undefined,
      'openai-organization': 'org',
      server: 'nginx',
    };
    expect(toAgentHeaders({ ...kept, ...others, 'x-ratelimit-a': 'with the-key in it' }, 'the-key')).toEqual(kept);
  });
});

describe('findCredentials', () => {
  it.each([
    [{ 'x-api-key': 'a' }, '/', ['a']],
    [{ 'x-goog-api-key': 'a' }, '/', ['a']],
    [{ authorization: 'Bearer a' }, '/', ['a']],
    [{ authorization: 'bearer  a' }, '/', ['a']],
    [{ authorization: 'Basic a' }, '/', ['Basic a']],
    [{}, '/?key=a-b_c', ['a-b_c']],
    [{}, '/?alt=sse&key=a', ['a']],
    [{}, '/?monkey=a', []],
    [{ 'x-api-key': ['a', 'b'] }, '/', []],
    [{ 'x-api-key': 'a', authorization: 'Bearer b' }, '/?key=c', ['a', 'b', 'c']],
  ])('in %j and %s finds %j', (headers, target, found) => {
    expect(findCredentials(headers, target)).toEqual(found);
  });
});
