import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from './refusal.ts';

/** Limits the bytes of bodies in memory over all requests. */
export interface ByteBudget {
  /** Takes the bytes. Returns false and takes nothing if they do not fit. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
}

/** A complete body, or why there is none. The caller returns `bytes` to the budget. */
export type BodyRead =
  | { readonly kind: 'body'; readonly chunks: readonly Buffer[]; readonly bytes: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly bytes: number }
  /** The peer closed the connection, so no answer is possible. */
  | { readonly kind: 'aborted'; readonly bytes: number };

/** Creates a budget of `maxBytes`. */
export function createByteBudget(maxBytes: number): ByteBudget {
  let takenBytes = 0;
  return {
    take: (bytes) => {
      if (takenBytes + bytes > maxBytes) return false;
      takenBytes += bytes;
      return true;
    },
    giveBack: (bytes) => {
      takenBytes -= bytes;
    },
  };
}

/**
 * Reads the body of `request` and passes each chunk to `onChunk`. Counts the bytes that arrive, because a chunked body
 * has no Content-Length. Takes them from the budget as they arrive: otherwise a few idle connections with large
 * Content-Lengths would use it up. Never rejects. If it stops early, the request stays open for an answer.
 */
export async function readBody(
  request: IncomingMessage,
  limits: { readonly maxBytes: number; readonly budget: ByteBudget },
  onChunk: (chunk: Buffer) => void,
): Promise<BodyRead> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) return { kind: 'refused', refusal: refuse('BODY_INCOMPLETE'), bytes };
      if (bytes + chunk.length > limits.maxBytes) return { kind: 'refused', refusal: refuse('BODY_TOO_LARGE'), bytes };
      if (!limits.budget.take(chunk.length)) return { kind: 'refused', refusal: refuse('TOO_BUSY'), bytes };
      bytes += chunk.length;
      chunks.push(chunk);
      onChunk(chunk);
    }
  } catch {
    return { kind: 'aborted', bytes };
  }
  return request.complete ? { kind: 'body', chunks, bytes } : { kind: 'aborted', bytes };
}
