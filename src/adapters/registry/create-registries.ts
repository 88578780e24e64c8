import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { PROXY, REGISTRY_PORT } from '../../core/install/install-environment.ts';
import type { RegistryRoots } from '../../core/registry/registry-roots.ts';
import { restoreAddresses } from '../../core/registry/restore-addresses.ts';
import type { NewId } from '../../ports/clock.ts';
import type { OpenRegistries, Registries } from '../../ports/registries.ts';
import { listenOnSocket } from '../../system/listen-on-socket.ts';
import { refuseConnection } from '../../system/refuse-connection.ts';
import { answerRequest } from './answer-request.ts';
import { openTunnel } from './open-tunnel.ts';
import {
  createRegistrySession,
  DEFAULT_LIMITS,
  type RegistryLimits,
  type RegistrySession,
} from './registry-session.ts';
import { PUBLIC_ONLY, type Resolution } from './resolve-host.ts';

/** Options of `createRegistries`. */
export interface RegistriesOptions {
  readonly roots: RegistryRoots;
  /** Hosts that the operator allows for CONNECT. */
  readonly hosts: readonly string[];
  /** Folder for the sockets. Created if it is missing. */
  readonly socketsDir: string;
  /** Group of the sandbox's users. Null if the service does not run as root. */
  readonly slotGid: number | null;
  readonly newId: NewId;
  readonly limits?: Partial<RegistryLimits>;
  /** For tests. In production only public addresses are connected to, and those of `roots`. */
  readonly resolution?: Resolution;
  /** For tests: the port of tunnels, instead of 443. */
  readonly tunnelPort?: number;
}

const HEADERS_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;
const MAX_CONNECTIONS = 256;
const PASS_THROUGH_MODE = 0o711;

/** Creates the proxies to the registries of packages: one socket for each run of `setup`. */
export function createRegistries(options: RegistriesOptions): Registries {
  const { roots, hosts } = options;
  return {
    identity: JSON.stringify(roots),
    hosts,
    restoreAddresses: (lockfile, before) => restoreAddresses(lockfile, { proxy: PROXY, roots, before }),
    open: (wanted) =>
      open(
        options,
        wanted.filter((host) => hosts.includes(host)),
      ),
  };
}

async function open(options: RegistriesOptions, hosts: readonly string[]): Promise<OpenRegistries> {
  const { roots, socketsDir, slotGid, newId } = options;
  const session = createRegistrySession({
    roots,
    hosts,
    proxy: `http://127.0.0.1:${String(REGISTRY_PORT)}`,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    resolution: options.resolution ?? PUBLIC_ONLY,
    ownOrigins: Object.values(roots).map((root: string) => new URL(root).origin),
  });
  const server = createProxy(session, options.tunnelPort);
  await mkdir(socketsDir, { recursive: true, mode: PASS_THROUGH_MODE });
  const socketPath = join(socketsDir, `${newId()}.sock`);
  await listenOnSocket(server, socketPath, slotGid);
  let closing: Promise<void> | null = null;
  return {
    relay: { name: 'registry', socketPath, port: REGISTRY_PORT },
    close: async () => {
      await (closing ??= stop(server, session));
      return session.use();
    },
  };
}

function createProxy(session: RegistrySession, tunnelPort: number | undefined): Server {
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => void answerRequest(session, request, response));
  // Without a handler, Node would ask for the body, or treat an upgrade as a plain request.
  server.on('checkContinue', (request, response) => void answerRequest(session, request, response));
  server.on('checkExpectation', (request, response) => void answerRequest(session, request, response));
  server.on('upgrade', (request, socket) => {
    session.refuse(`${request.method ?? ''} ${request.url ?? ''}`, 'an upgrade is not allowed');
    refuseConnection(socket, '426 Upgrade Required');
  });
  server.on('connect', (request, socket, head) => {
    if (!(socket instanceof Socket)) return;
    const port = tunnelPort === undefined ? {} : { port: tunnelPort };
    void openTunnel(session, { target: request.url ?? '', socket, head, ...port });
  });
  server.on('clientError', (_error, socket) => refuseConnection(socket, '400 Bad Request'));
  return server;
}

async function stop(server: Server, { tunnels }: RegistrySession): Promise<void> {
  const closed = new Promise((resolve) => void server.close(resolve));
  server.closeAllConnections();
  for (const socket of tunnels) socket.destroy();
  await closed;
}
