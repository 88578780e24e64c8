import type { IncomingMessage } from 'node:http';

/** Memory for the bodies of one session. */
export interface BodyMemory {
  readonly take: (bytes: number) => boolean;
  readonly free: (bytes: number) => void;
}

export function createBodyMemory(maxBytes: number): BodyMemory {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    free: (bytes) => {
      taken -= bytes;
    },
  };
}

/** A body and its place in the memory; null: it is too long, or the peer went away. */
export type ReadRequestBody =
  | { readonly kind: 'body'; readonly bytes: Buffer; readonly free: () => void }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'gone' };

/** Reads a body of at most `maxBytes`. What is too long is not kept. Never rejects. */
export async function readRequestBody(
  request: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
): Promise<ReadRequestBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { kind: 'too_large' };
  const { promise, resolve } = Promise.withResolvers<'body' | 'too_large' | 'gone'>();
  let chunks: Buffer[] = [];
  let taken = 0;
  const onData = (chunk: Buffer): void => {
    if (taken + chunk.length > maxBytes || !memory.take(chunk.length)) {
      resolve('too_large');
      return;
    }
    taken += chunk.length;
    chunks.push(chunk);
  };
  const onEnd = (): void => resolve('body');
  const onGone = (): void => resolve('gone');
  request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  const end = await promise;
  request.off('data', onData).off('end', onEnd).off('close', onGone).pause();
  if (end === 'body') return { kind: 'body', bytes: Buffer.concat(chunks), free: () => memory.free(taken) };
  memory.free(taken);
  chunks = [];
  return { kind: end };
}
