import { describe, expect, it } from 'vitest';
import { toGitHubApiUrl } from '../../src/config/github-api-url.ts';

describe('the root of the REST API', () => {
  it.each([
    ['github.com', 'https://api.github.com'],
    ['GitHub.com', 'https://api.github.com'],
    ['www.github.com', 'https://api.github.com'],
    ['api.github.com', 'https://api.github.com'],
    ['acme.ghe.com', 'https://api.acme.ghe.com'],
    ['api.acme.ghe.com', 'https://api.acme.ghe.com'],
    ['ghe.acme.corp', 'https://ghe.acme.corp/api/v3'],
    ['api.acme.corp:8443', 'https://api.acme.corp:8443/api/v3'],
    ['evilghe.com', 'https://evilghe.com/api/v3'],
    ['acme.ghe.com.evil.example', 'https://acme.ghe.com.evil.example/api/v3'],
    ['notgithub.com', 'https://notgithub.com/api/v3'],
  ])('of %s is %s (G13, O5)', (host, url) => {
    expect(toGitHubApiUrl(host, 'https')).toBe(url);
  });

  it('is unencrypted only for a server', () => {
    expect(toGitHubApiUrl('127.0.0.1:8080', 'http')).toBe('http://127.0.0.1:8080/api/v3');
    expect(toGitHubApiUrl('acme.ghe.com', 'http')).toBe('https://api.acme.ghe.com');
  });
});
