import { connect, type Socket } from 'node:net';
import { toConnectTarget } from '../../core/registry/connect-target.ts';
import { refuseConnection } from '../../system/refuse-connection.ts';
import type { RegistrySession } from './registry-session.ts';
import { resolveOnce } from './resolve-host.ts';

const HTTPS_PORT = 443;
const CONNECT_MS = 10_000;

/**
 * Answers a CONNECT request. Only names that operator and policy both list are connected to, at port 443, at an address that was
 * resolved once and checked. `port` replaces 443 in tests.
 */
export async function openTunnel(
  session: RegistrySession,
  given: { readonly target: string; readonly socket: Socket; readonly head: Uint8Array; readonly port?: number },
): Promise<void> {
  const { target, socket, head, port = HTTPS_PORT } = given;
  session.countRequest();
  socket.on('error', () => undefined);
  const refuse = (reason: string): void => {
    session.refuse(`CONNECT ${target}`, reason);
    refuseConnection(socket, '403 Forbidden', `ratchet: ${reason}\n`);
  };
  const wanted = toConnectTarget(target, session.hosts);
  if (wanted.kind === 'refused') {
    refuse(wanted.reason);
    return;
  }
  if (session.tunnels.size >= session.limits.maxTunnels) {
    refuse('too many open tunnels');
    return;
  }
  session.tunnels.add(socket);
  socket.on('close', () => session.tunnels.delete(socket));
  const resolved = await resolveOnce(wanted.host, session.resolution);
  if (resolved.kind === 'refused') {
    refuse(resolved.reason);
    return;
  }
  const outer = await connectToOne(resolved.addresses, port);
  if (outer === null) refuseConnection(socket, '502 Bad Gateway', `ratchet: ${wanted.host} cannot be reached\n`);
  else if (socket.destroyed) outer.destroy();
  else join(session, socket, outer, head);
}

/** Connects to the first address that answers. */
async function connectToOne(addresses: readonly string[], port: number): Promise<Socket | null> {
  for (const host of addresses) {
    const outer = connect({ host, port, allowHalfOpen: true, timeout: CONNECT_MS });
    const isOpen = await new Promise<boolean>((resolve) => {
      outer.once('connect', () => resolve(true));
      outer.once('timeout', () => resolve(false));
      outer.once('error', () => resolve(false));
    });
    if (isOpen) return outer;
    outer.destroy();
  }
  return null;
}

function join(session: RegistrySession, inner: Socket, outer: Socket, head: Uint8Array): void {
  const { idleMs, deadlineMs } = session.limits;
  const end = (): void => {
    clearTimeout(deadline);
    inner.destroy();
    outer.destroy();
  };
  const deadline = setTimeout(end, deadlineMs);
  for (const side of [inner, outer]) {
    side.setTimeout(idleMs, end);
    side.on('error', end);
    side.on('close', end);
  }
  outer.on('data', (chunk: Uint8Array) => {
    if (!session.receive(chunk.length)) end();
  });
  inner.on('data', (chunk: Uint8Array) => {
    if (!session.send(chunk.length)) end();
  });
  inner.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (session.send(head.length)) outer.write(head);
  inner.pipe(outer);
  outer.pipe(inner);
}
