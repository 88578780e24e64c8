import { createPublicKey, verify } from 'node:crypto';
import { type JsonObject, numberAt, parseJson } from '../json.ts';
import type { AppIdentity } from '../world-context.ts';

const MAX_LIFETIME_SECONDS = 600;
const CLOCK_DRIFT_SECONDS = 60;

/** Returns GitHub's error message for an invalid App JWT; null if it is valid. */
export function checkAppJwt(app: AppIdentity, jwt: string, nowMs: number): string | null {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const key = createPublicKey(app.privateKey);
  const isSigned = verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  if (!isSigned || decode(header)['alg'] !== 'RS256') return 'A JSON web token could not be decoded';
  const claims = decode(payload);
  const issuer = claims['iss'];
  if (![app.id, String(app.id), `Iv23li${app.id}`].some((known) => known === issuer)) {
    return "'Issuer' claim ('iss') must be an Integer";
  }
  return checkLifetime(claims, nowMs / 1000);
}

function checkLifetime(claims: JsonObject, now: number): string | null {
  const expires = numberAt(claims, 'exp') ?? 0;
  const issued = numberAt(claims, 'iat') ?? 0;
  if (issued > now + CLOCK_DRIFT_SECONDS) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  if (expires <= now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  return expires - now > MAX_LIFETIME_SECONDS ? "'Expiration time' claim ('exp') is too far in the future" : null;
}

function decode(part: string): JsonObject {
  try {
    return parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return {};
  }
}
