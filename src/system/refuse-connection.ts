import type { Duplex } from 'node:stream';

/**
 * Answers a connection that sent no plain request, and destroys it once the answer is sent. A server of Node no longer knows a
 * connection after CONNECT or an upgrade, and would wait for a peer that keeps its side open when it closes.
 */
export function refuseConnection(socket: Duplex, status: string, text = ''): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\n`;
  socket.end(`${head}content-length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`, () => socket.destroy());
}
