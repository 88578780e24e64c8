import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether a request brings the bearer token. Takes constant time for a token of any length. */
export function isAuthorized(request: IncomingMessage, token: string): boolean {
  const given = /^Bearer (?<token>\S+)$/i.exec(request.headers.authorization ?? '')?.groups?.['token'] ?? '';
  return timingSafeEqual(toDigest(given), toDigest(token));
}

function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
