import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { refuseConnection } from '../../system/refuse-connection.ts';
import { handleRequest } from './handle-request.ts';
import type { SessionContext } from './session-context.ts';

/** The longest path of a Unix socket on Linux. */
const MAX_SOCKET_PATH = 107;
const SOCKET = 'model';

/** The path of a new folder for one session: its name is a secret of 128 bits. */
export function newSessionFolder(folder: string): string {
  return join(folder, randomBytes(16).toString('base64url'));
}

/** Whether sockets can be in such folders. */
export function hasRoomForSockets(folder: string): boolean {
  return Buffer.byteLength(join(newSessionFolder(folder), SOCKET)) <= MAX_SOCKET_PATH;
}

/** The socket of one session. */
export interface SessionServer {
  readonly socketPath: string;
  /** Ends all connections, waits for the ends of their calls, and removes the socket. */
  readonly close: () => Promise<void>;
}

const MAX_CONNECTIONS = 64;

/**
 * Serves a session on a socket in the new folder `folder`. Every user of the machine could connect who knows the folder's
 * name, since the user of a sandbox must. So the name is a secret, and nobody else can list the folder around it.
 */
export async function serveSession(context: SessionContext, folder: string): Promise<SessionServer> {
  const socketPath = join(folder, SOCKET);
  await mkdir(folder, { mode: 0o711 });
  await chmod(folder, 0o711);
  const running = new Set<Promise<void>>();
  const server = createServer(
    { maxHeaderSize: 65_536, requestTimeout: context.limits.uploadMs, headersTimeout: context.limits.uploadMs },
    (request, response) => {
      const handled = handleRequest(context, { request, response });
      running.add(handled);
      void handled.finally(() => running.delete(handled));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  refuseOthers(server);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(socketPath);
  await once(server, 'listening');
  await chmod(socketPath, 0o666);
  return {
    socketPath,
    close: async () => {
      const { promise: closed, resolve } = Promise.withResolvers<undefined>();
      server.close(() => resolve(undefined));
      // Those that became no plain request, too: the server itself forgets them, and would wait for their peers.
      for (const socket of sockets) socket.destroy();
      await closed;
      await Promise.all(running);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is no plain request. */
function refuseOthers(server: Server): void {
  server.on('upgrade', (_, socket) => refuseConnection(socket, '426 Upgrade Required'));
  server.on('connect', (_, socket) => refuseConnection(socket, '405 Method Not Allowed'));
  server.on('clientError', (_, socket) => refuseConnection(socket, '400 Bad Request'));
}
