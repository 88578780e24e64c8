import { Octokit } from 'octokit';
import { z } from 'zod';
import type { AppRegistrar } from '../../ports/app-registrar.ts';
import type { Clock } from '../../ports/clock.ts';
import { toGitHubAddresses } from './github-addresses.ts';
import { API_VERSION } from './github-calls.ts';
import { parseResponse } from './parse-response.ts';
import { toGitHubError } from './to-github-error.ts';

const ROUTE = 'POST /app-manifests/{code}/conversions';
const REQUEST_MS = 15_000;

const Conversion = z.object({
  id: z.int().positive(),
  slug: z.string().min(1),
  name: z.string(),
  // An enterprise has a slug and no login.
  owner: z.object({ login: z.string().optional(), slug: z.string().optional() }).nullish(),
  html_url: z.url({ protocol: /^https?$/u }),
  permissions: z.record(z.string(), z.string()),
  pem: z.string().min(1),
  webhook_secret: z.string().min(16),
});

/** Connects to GitHub's API without credentials. Nothing is repeated: the first try of a lost call may have used up the code. */
export function createAppRegistrar(options: {
  /** Root of the REST API. */
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}): AppRegistrar {
  const { rest } = toGitHubAddresses(options.baseUrl);
  const octokit = new Octokit({
    ...{ baseUrl: rest, userAgent: options.userAgent, request: { fetch: options.fetch } },
    ...{ retry: { enabled: false }, throttle: { enabled: false } },
  });
  return {
    async convert(code, signal) {
      const app = parseResponse(Conversion, await request(code, signal), 'the registered App');
      return {
        appId: app.id,
        slug: app.slug,
        name: app.name,
        owner: app.owner?.login ?? app.owner?.slug ?? null,
        pageUrl: app.html_url,
        permissions: app.permissions,
        privateKey: app.pem,
        webhookSecret: app.webhook_secret,
      };
    },
  };

  async function request(code: string, signal: AbortSignal): Promise<unknown> {
    try {
      const { data } = await octokit.request(ROUTE, {
        code,
        headers: { 'x-github-api-version': API_VERSION },
        request: { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]), redirect: 'error' },
      });
      return data;
    } catch (error) {
      throw toGitHubError(error, ROUTE, options.clock.now());
    }
  }
}
