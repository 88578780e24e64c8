import { chmod, chown } from 'node:fs/promises';
import type { Server } from 'node:net';

/** The kernel's limit for the path of a Unix socket, without the final zero. */
const MAX_PATH_BYTES = 107;

/**
 * Listens on a new Unix socket. Only the service's user may connect, and the group `gid` (that of the sandbox's users) unless it is
 * null. The folder must exist. Throws if the path is too long or taken.
 */
export async function listenOnSocket(server: Server, path: string, gid: number | null): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new Error(`the path of a socket has at most ${String(MAX_PATH_BYTES)} bytes: ${path}`);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (gid !== null) await chown(path, 0, gid);
  await chmod(path, gid === null ? 0o600 : 0o660);
}
