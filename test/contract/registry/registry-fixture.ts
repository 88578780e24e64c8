import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createRegistries, type RegistriesOptions } from '../../../src/adapters/registry/create-registries.ts';
import { PUBLIC_REGISTRIES } from '../../../src/core/registry/registry-roots.ts';
import type { OpenRegistries } from '../../../src/ports/registries.ts';
import { createTempFolder } from '../../support/git-repository.ts';

/** What a request was answered with. `cut`: the connection ended before the answer did; with status 0, before its headers. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly cut: boolean;
}

/** A registry on this machine, and the proxy in front of it. */
export interface RegistryFixture {
  /** Origin of the registry. */
  readonly origin: string;
  /** Requests that came to the registry. */
  readonly seen: IncomingMessage[];
  readonly registries: OpenRegistries;
  readonly get: (
    path: string,
    change?: { readonly method?: string; readonly headers?: object; readonly body?: string },
  ) => Promise<Answer>;
  /** Sends raw bytes and reads to the end. */
  readonly send: (bytes: string) => Promise<string>;
  /** Opens a connection to the proxy. */
  readonly dial: () => Socket;
}

/** Starts a registry that answers with `onRequest`, and a proxy. */
export async function createRegistryFixture(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  change: Partial<RegistriesOptions> & { readonly wanted?: readonly string[] } = {},
): Promise<RegistryFixture> {
  const { wanted = [], ...options } = change;
  const { path, remove } = await createTempFolder();
  const seen: IncomingMessage[] = [];
  const server = createServer((message, response) => {
    seen.push(message);
    onRequest(message, response);
  });
  const origin = `http://127.0.0.1:${String(await listen(server))}`;
  const roots = {
    npm: `${origin}/`,
    pypi: `${origin}/simple/`,
    go: `${origin}/go/`,
    sumdb: `${origin}/sum/`,
    cargo: `${origin}/index/`,
  };
  const registries = await createRegistries({
    ...{ roots, hosts: [], socketsDir: join(path, 'sockets'), slotGid: null, newId: () => 'one' },
    ...options,
  }).open(wanted);
  const { socketPath } = registries.relay;
  onTestFinished(async () => {
    await registries.close();
    server.closeAllConnections();
    server.close();
    await remove();
  });
  return {
    ...{ origin, seen, registries },
    get: (target, { method = 'GET', headers = {}, body } = {}) =>
      ask({ socketPath, path: target, method, headers: { ...headers } }, body),
    send: async (bytes) => {
      const socket = connect(socketPath);
      socket.on('error', () => undefined);
      socket.write(bytes);
      return text(socket).catch(() => '');
    },
    dial: () => connect(socketPath),
  };
}

/** Roots that nobody but the public registries has. */
export const ROOTS = PUBLIC_REGISTRIES;

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return toPort(server.address());
}

/** A server of TCP that ends with the test. Returns its port. */
export async function serveTcp(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
}

function toPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function ask(options: RequestOptions, body: string | undefined): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request(options, (response) => {
      let got = '';
      response.on('data', (chunk: Buffer) => {
        got += chunk.toString('latin1');
      });
      const end = (cut: boolean) => (): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: got, cut });
      response.on('end', end(false)).on('error', end(true));
    });
    sent.on('error', () => resolve({ status: 0, headers: {}, body: '', cut: true }));
    sent.end(body);
  });
}

/** Resolves when the socket is closed, however. */
export function toClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.on('error', () => undefined).on('close', () => resolve()));
}
