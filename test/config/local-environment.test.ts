import { describe, expect, it } from 'vitest';
import { parseLocalEnvironment } from '../../src/config/local-environment.ts';

describe('the environment of a run on a checkout', () => {
  it('names the proxy for calls to models, and never sends those to this machine through it', () => {
    const variables = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'models.example' };

    expect(parseLocalEnvironment(variables).proxy).toEqual({
      url: 'http://proxy.example:3128',
      except: 'localhost,127.0.0.1,::1,models.example',
    });
    expect(parseLocalEnvironment({}).proxy).toBeNull();
  });

  it('refuses a proxy that is no address: calls would take another way', () => {
    expect(() => parseLocalEnvironment({ HTTPS_PROXY: 'proxy:3128' })).toThrow('HTTPS_PROXY must be an http://');
  });
});
