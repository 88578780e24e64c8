import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SETUP_STYLE } from '../core/setup/render-setup-page.ts';

const STYLE_HASH = createHash('sha256').update(SETUP_STYLE).digest('base64');

/**
 * Sends a page that runs no script, loads nothing, cannot be framed, is not kept, and tells no other site its address. Its forms go to
 * this server and to GitHub (`site`, an origin).
 */
export function sendPage(
  response: ServerResponse,
  { status, html, site }: { readonly status: number; readonly html: string; readonly site: string },
): void {
  response.writeHead(status, {
    ...toSafeHeaders(site),
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
  });
  response.end(html);
}

/** Headers of each answer of the set-up pages. */
export function toSafeHeaders(site: string): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${site}; frame-ancestors 'none'; base-uri 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
