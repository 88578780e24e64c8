import type { IncomingMessage } from 'node:http';
import type { BodyRoom } from './body-room.ts';
import { type Refusal, refuse } from './refusal.ts';

/** A complete body, or why there is none. The caller calls `leave` once it no longer needs the chunks. */
export type BodyRead = { readonly bytes: number; readonly leave: () => void } & (
  | { readonly kind: 'body'; readonly chunks: readonly Buffer[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The peer closed the connection, so no answer is possible. */
  | { readonly kind: 'aborted' }
);

type BodyEnd =
  | { readonly kind: 'body' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Reads the body of `request` and passes each chunk to `onChunk`. Counts the bytes that arrive, because a chunked body
 * has no Content-Length. Takes room for them as they arrive: otherwise a few idle connections with large
 * Content-Lengths would use it up. Never rejects. If it stops early, the request stays open for an answer.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, room }: { readonly maxBytes: number; readonly room: BodyRoom },
  onChunk: (chunk: Buffer) => void,
): Promise<BodyRead> {
  const { promise, resolve } = Promise.withResolvers<BodyEnd>();
  const place = room.enter({
    address: request.socket.remoteAddress ?? null,
    declaredBytes: toDeclaredBytes(request.headers['content-length']),
    onEvicted: () => resolve({ kind: 'refused', refusal: refuse('TOO_BUSY') }),
  });
  if (place === null) return { kind: 'refused', refusal: refuse('TOO_BUSY'), bytes: 0, leave: () => undefined };
  let chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    if (bytes + chunk.length > maxBytes) {
      resolve({ kind: 'refused', refusal: refuse('BODY_TOO_LARGE') });
    } else if (place.take(chunk.length)) {
      bytes += chunk.length;
      chunks.push(chunk);
      onChunk(chunk);
    } else {
      resolve({ kind: 'refused', refusal: refuse('TOO_BUSY') });
    }
  };
  const onEnd = (): void => resolve({ kind: 'body' });
  const onGone = (): void => resolve({ kind: 'aborted' });
  request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  const end = await promise;
  request.off('data', onData).off('end', onEnd).off('close', onGone).pause();
  if (end.kind !== 'body') chunks = [];
  return end.kind === 'body' ? { ...end, chunks, bytes, leave: place.leave } : { ...end, bytes, leave: place.leave };
}

function toDeclaredBytes(header: string | undefined): number | null {
  return header === undefined ? null : Number(header);
}
