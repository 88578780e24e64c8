import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from './refusal.ts';

/** Bytes of bodies that are held in memory, over all requests at once. */
export interface ByteBudget {
  /** False when the bytes do not fit; nothing is taken then. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
}

/** A body that came whole, or why it did not. `bytes` were taken from the budget: the caller gives them back. */
export type BodyRead =
  | { readonly kind: 'body'; readonly chunks: readonly Buffer[]; readonly bytes: number }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly bytes: number }
  /** The peer went away: there is nobody to answer. */
  | { readonly kind: 'aborted'; readonly bytes: number };

/** A budget of `maxBytes`. */
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
 * Reads the body of `request`, counting what really comes (a chunked body announces no length). Bytes are taken from the
 * budget as they arrive, not as announced: else a few idle connections with big announcements would lock everybody out.
 * Shows each chunk to `onChunk`. Never rejects; leaves the request open when it stops early, so that it can be answered.
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
