import type { Socket } from 'node:net';
import { toShareKey } from './share-key.ts';

/** Limits the connections that wait for nothing of ours: without a request, or with one that was answered. */
export interface ConnectionGuard {
  /** Counts a new connection as idle. Closes another idle one if there are too many. */
  readonly open: (socket: Socket) => void;
  /** A request of the connection is being served: it is not closed. */
  readonly busy: (socket: Socket) => void;
  /** The request was served. What is left of the connection is idle. */
  readonly idle: (socket: Socket) => void;
}

/** An address may have this part of the idle connections; beyond it, its oldest is the first to go. */
const SHARE = 1 / 4;

/**
 * Creates a guard for at most `maxIdle` idle connections. Without it, sockets that send no request, or its headers one
 * by one, would fill the listener, and Node would close each new connection instead.
 */
export function createConnectionGuard(maxIdle: number): ConnectionGuard {
  // Insertion order: the longest idle one first.
  const idle = new Map<Socket, string>();
  const counts = new Map<string, number>();

  function remove(socket: Socket): void {
    const sharer = idle.get(socket);
    if (sharer === undefined) return;
    idle.delete(socket);
    const left = (counts.get(sharer) ?? 0) - 1;
    if (left > 0) counts.set(sharer, left);
    else counts.delete(sharer);
  }

  function add(socket: Socket): void {
    if (socket.destroyed || idle.has(socket)) return;
    const sharer = toShareKey(socket.remoteAddress ?? null);
    idle.set(socket, sharer);
    counts.set(sharer, (counts.get(sharer) ?? 0) + 1);
    if (idle.size > maxIdle) closeOne();
  }

  function closeOne(): void {
    let victim: Socket | undefined;
    for (const [socket, sharer] of idle) {
      victim ??= socket;
      if ((counts.get(sharer) ?? 0) > maxIdle * SHARE) {
        victim = socket;
        break;
      }
    }
    if (victim === undefined) return;
    remove(victim);
    victim.destroy();
  }

  return {
    open: (socket) => {
      socket.once('close', () => remove(socket));
      add(socket);
    },
    busy: remove,
    idle: add,
  };
}
