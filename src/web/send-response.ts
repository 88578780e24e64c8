import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from './refusal.ts';

/** How long and how many bytes of a refused body are still read, so that the sender can receive the response. */
export interface LingerLimits {
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

/** Sends `body` as JSON and ends the response. */
export function sendJson(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/**
 * Refuses a request. If its body is still arriving, the response is sent at once and the socket is closed
 * afterwards. Until then the body is read and dropped within the limits, because closing with unread data would reset
 * the connection before the response arrives.
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  limits: LingerLimits,
): void {
  const text = JSON.stringify({ outcome: 'refused', code: refusal.code });
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(refusal.status === 405 ? { allow: 'POST' } : {}),
    ...(refusal.code === 'TOKEN_WRONG' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refusal.status === 503 ? { 'retry-after': '30' } : {}),
    ...(request.complete ? {} : { connection: 'close' }),
  });
  if (request.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  dropRest(request, limits, () => response.end());
}

function dropRest(request: IncomingMessage, limits: LingerLimits, done: () => void): void {
  let bytesLeft = limits.lingerBytes;
  const timer = setTimeout(finish, limits.lingerMs);
  function onData(chunk: Buffer): void {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) finish();
  }
  function finish(): void {
    clearTimeout(timer);
    request.off('data', onData).off('close', finish).off('end', finish);
    done();
  }
  request.on('data', onData).once('close', finish).once('end', finish);
  request.resume();
}
