import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/core/model/model-use.ts';
import { toModelRoute } from '../../../src/core/models/model-route.ts';

describe('toModelRoute', () => {
  it.each([
    ['anthropic', '/v1/messages', { api: 'messages', isCount: false, target: '/v1/messages' }],
    ['anthropic', '/v1/messages?beta=true', { api: 'messages', isCount: false, target: '/v1/messages?beta=true' }],
    [
      'anthropic',
      '/v1/messages/count_tokens?beta=true',
      { isCount: true, target: '/v1/messages/count_tokens?beta=true' },
    ],
    ['openai', '/v1/responses', { api: 'responses', model: null, isCount: false }],
    ['openai', '/v1/chat/completions', { api: 'chat', model: null, isCount: false }],
    ['gemini', '/v1beta/models/g-2.5:generateContent', { api: 'generate', model: 'g-2.5', isCount: false }],
    ['gemini', '/v1beta/models/g-2.5:countTokens', { model: 'g-2.5', isCount: true }],
    [
      'gemini',
      '/v1beta/models/g:streamGenerateContent?alt=sse',
      { model: 'g', target: '/v1beta/models/g:streamGenerateContent?alt=sse' },
    ],
    [
      'gemini',
      '/v1beta/models/g:streamGenerateContent?key=token-1&alt=sse',
      { model: 'g', target: '/v1beta/models/g:streamGenerateContent?alt=sse' },
    ],
    ['gemini', '/v1beta/models/g:generateContent?key=token', { target: '/v1beta/models/g:generateContent' }],
  ] as const)('of %s knows POST %s', (dialect, target, route) => {
    expect(toModelRoute(dialect, 'POST', target)).toMatchObject({ kind: 'call', ...route });
  });

  it.each([
    ['anthropic', '/v1/models'],
    ['openai', '/v1/models'],
    ['gemini', '/v1beta/models'],
    ['gemini', '/v1beta/models?key=token'],
  ] as const)('of %s knows GET %s', (dialect, target) => {
    expect(toModelRoute(dialect, 'GET', target)).toEqual({ kind: 'list' });
    expect(toModelRoute(dialect, 'POST', target)).toBeNull();
  });

  it('knows the question whether anybody listens', () => {
    expect(toModelRoute('anthropic', 'HEAD', '/')).toEqual({ kind: 'alive' });
    expect(toModelRoute('anthropic', 'HEAD', '/v1/messages')).toBeNull();
    expect(toModelRoute('anthropic', 'GET', '/')).toBeNull();
  });

  const post = (dialect: Dialect, target: string) => ['POST', dialect, target] as const;
  it.each([
    // Other ways to write a path (T38).
    post('anthropic', '/v1/../v1/messages'),
    post('anthropic', '/v1/%6dessages'),
    post('anthropic', '/v1/%2e%2e/v1/messages'),
    post('anthropic', '//v1/messages'),
    post('anthropic', '/v1//messages'),
    post('anthropic', '/v1/messages/'),
    post('anthropic', '/v1/messages;a=b'),
    post('anthropic', '/v1/messages#a'),
    post('anthropic', '/v1/Messages'),
    post('anthropic', 'http://other.example/v1/messages'),
    post('anthropic', '*'),
    post('anthropic', ''),
    post('openai', '/v1%2fresponses'),
    post('openai', '/v1/responses\u0000'),
    post('gemini', '/v1beta/models/../../v1/files:generateContent'),
    post('gemini', '/v1beta/models/..:generateContent'),
    post('gemini', '/v1beta/models/a%2Fb:generateContent'),
    post('gemini', '/v1beta/models/a/b:generateContent'),
    post('gemini', '/v1beta/models/:generateContent'),
    // Other calls.
    post('anthropic', '/v1/files'),
    post('anthropic', '/v1/messages/batches'),
    post('anthropic', '/v1/complete'),
    post('openai', '/v1/responses/compact'),
    post('openai', '/v1/responses/resp_1/cancel'),
    post('openai', '/v1/images/generations'),
    post('openai', '/v1/embeddings'),
    post('gemini', '/v1beta/models/g:predict'),
    post('gemini', '/v1beta/cachedContents'),
    post('gemini', '/upload/v1beta/files'),
    // Another dialect's.
    post('anthropic', '/v1/responses'),
    post('openai', '/v1/messages'),
    post('gemini', '/v1/chat/completions'),
    // Queries.
    post('anthropic', '/v1/messages?beta=true&beta=true'),
    post('anthropic', '/v1/messages?beta=false'),
    post('anthropic', '/v1/messages?'),
    post('anthropic', '/v1/messages?url=http://other.example'),
    post('openai', '/v1/responses?a=b'),
    post('openai', '/v1/chat/completions?'),
    post('gemini', '/v1beta/models/g:generateContent?alt=sse'),
    post('gemini', '/v1beta/models/g:streamGenerateContent'),
    post('gemini', '/v1beta/models/g:streamGenerateContent?alt=sse&alt=sse'),
    post('gemini', '/v1beta/models/g:streamGenerateContent?alt=media'),
    post('gemini', '/v1beta/models/g:generateContent?key=a&key=b'),
    post('gemini', '/v1beta/models/g:generateContent?key=a%20b'),
    post('gemini', '/v1beta/models/g:generateContent?$fields=a'),
    // Methods.
    ['GET', 'anthropic', '/v1/messages'],
    ['PUT', 'anthropic', '/v1/messages'],
    ['post', 'anthropic', '/v1/messages'],
    ['DELETE', 'openai', '/v1/responses'],
    ['GET', 'openai', '/v1/responses'],
    ['PATCH', 'gemini', '/v1beta/models/g:generateContent'],
    ['GET', 'gemini', '/v1beta/models?pageSize=1'],
    ['OPTIONS', 'anthropic', '*'],
  ] as const)('knows no %s of %s %j', (method, dialect, target) => {
    expect(toModelRoute(dialect, method, target)).toBeNull();
  });
});
