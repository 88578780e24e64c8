import { createHmac, timingSafeEqual } from 'node:crypto';

/** Reads a body chunk by chunk, then says whether its signature is valid. */
export interface SignatureCheck {
  readonly update: (chunk: Buffer) => void;
  /** Call once, after the last chunk. Takes the same time for every result. */
  readonly isRight: () => boolean;
}

/**
 * The 32 bytes of an `X-Hub-Signature-256` header, or null if it is missing or malformed. SHA-1 alone is not accepted.
 */
export function parseSignatureHeader(value: string | readonly string[] | undefined): Buffer | null {
  const match = typeof value === 'string' ? /^sha256=([0-9a-f]{64})$/.exec(value) : null;
  return match?.[1] === undefined ? null : Buffer.from(match[1], 'hex');
}

/**
 * HMAC-SHA256 over the raw bytes under every active secret (two during a rotation). Computed while the body arrives, so
 * a forged body is never assembled.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export function createSignatureCheck(secrets: readonly string[], expected: Buffer): SignatureCheck {
  const macs = secrets.map((secret) => createHmac('sha256', secret));
  return {
    update: (chunk) => {
      for (const mac of macs) mac.update(chunk);
    },
    isRight: () => {
      // No early return: the time must not reveal which secret matched.
      const answers = macs.map((mac) => timingSafeEqual(mac.digest(), expected));
      return answers.includes(true);
    },
  };
}
