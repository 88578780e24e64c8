import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createConnectionGuard } from '../../src/web/connection-guard.ts';

const server = createServer();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
});

/** A connection from `localAddress`, as the listener sees it. */
async function accept(localAddress: string): Promise<Socket> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const accepted = once(server, 'connection');
  connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  const socket: unknown = (await accepted)[0];
  if (!isSocket(socket)) throw new TypeError('no connection');
  return socket;
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'remoteAddress' in value;
}

it('closes the oldest connection of an address that has more than its share, before older ones of others', async () => {
  const guard = createConnectionGuard(8);
  const first = [await accept('127.0.0.1'), await accept('127.0.0.1')];
  const many: Socket[] = [];
  for (let count = 0; count < 7; count += 1) many.push(await accept('127.0.0.2'));
  for (const socket of [...first, ...many]) guard.open(socket);

  const closed = [...first, ...many].map(({ destroyed }) => destroyed);
  for (const socket of [...first, ...many]) socket.destroy();

  expect(closed).toEqual([false, false, true, ...Array<boolean>(6).fill(false)]);
});

it('spares a connection whose request is being served', async () => {
  const guard = createConnectionGuard(1);
  const [served, idle, next] = [await accept('127.0.0.1'), await accept('127.0.0.1'), await accept('127.0.0.1')];
  guard.open(served);
  guard.busy(served);
  for (const socket of [idle, next]) guard.open(socket);

  const closed = [served, idle, next].map(({ destroyed }) => destroyed);
  for (const socket of [served, idle, next]) socket.destroy();

  expect(closed).toEqual([false, true, false]);
});
