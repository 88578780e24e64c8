import { createHmac, timingSafeEqual } from 'node:crypto';

/** Takes a body chunk by chunk and says at the end whether its signature is right. */
export interface SignatureCheck {
  readonly update: (chunk: Buffer) => void;
  /** Once, after the last chunk. Takes the same time for every answer. */
  readonly isRight: () => boolean;
}

/** The 32 bytes of an `X-Hub-Signature-256` header; null when it is missing or no such signature (SHA-1 alone is none). */
export function parseSignatureHeader(value: string | readonly string[] | undefined): Buffer | null {
  const match = typeof value === 'string' ? /^sha256=([0-9a-f]{64})$/.exec(value) : null;
  return match?.[1] === undefined ? null : Buffer.from(match[1], 'hex');
}

/**
 * HMAC-SHA256 over the raw bytes under every secret in use (two while a secret is being rotated), counted while the body
 * still arrives: a forged body is never put together.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export function createSignatureCheck(secrets: readonly string[], expected: Buffer): SignatureCheck {
  const macs = secrets.map((secret) => createHmac('sha256', secret));
  return {
    update: (chunk) => {
      for (const mac of macs) mac.update(chunk);
    },
    isRight: () => {
      // No early end: the time must not tell which secret came close.
      const answers = macs.map((mac) => timingSafeEqual(mac.digest(), expected));
      return answers.includes(true);
    },
  };
}
