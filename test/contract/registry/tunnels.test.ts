import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RegistriesOptions } from '../../../src/adapters/registry/create-registries.ts';
import { isPublicAddress } from '../../../src/adapters/registry/is-public-address.ts';
import { createRegistryFixture, type RegistryFixture, serveTcp, toClose } from './registry-fixture.ts';

const HOST = 'files.example';

/** A proxy that resolves every name to this machine. */
async function createTunnels(
  onConnection: (socket: Socket) => void,
  change: Partial<RegistriesOptions> & { readonly wanted?: readonly string[] } = {},
): Promise<RegistryFixture> {
  const tunnelPort = await serveTcp(onConnection);
  const resolution = { resolve: () => Promise.resolve(['127.0.0.1']), isAllowed: () => true };
  const fixture = { hosts: [HOST], wanted: [HOST], resolution, tunnelPort };
  return createRegistryFixture((_request, response) => void response.end('REACHED'), { ...fixture, ...change });
}

function echo(socket: Socket): void {
  socket.pipe(socket);
}

/** The next bytes. */
function toText(socket: Socket): Promise<string> {
  return new Promise((resolve) => void socket.once('data', (data: Buffer) => resolve(data.toString())));
}

/** Opens a tunnel and returns the head of the answer. */
async function open(
  { dial }: RegistryFixture,
  target = `${HOST}:443`,
): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = dial();
  socket.on('error', () => undefined);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
  return { socket, head: await toText(socket) };
}

describe('tunnels to hosts', () => {
  it('carry bytes both ways, and count them', async () => {
    const fixture = await createTunnels(echo);

    const { socket, head } = await open(fixture);
    socket.end('hello');
    const back = await toText(socket);

    expect([head, back]).toEqual(['HTTP/1.1 200 Connection Established\r\n\r\n', 'hello']);
    await toClose(socket);
    expect(await fixture.registries.close()).toEqual({ requests: 1, bytes: 5, refused: [] });
  });

  it('pass on what came with the request', async () => {
    const fixture = await createTunnels(echo);

    const answer = fixture.send(`CONNECT ${HOST}:443 HTTP/1.1\r\nhost: x\r\n\r\nearly`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await fixture.registries.close();

    expect(await answer).toContain('early');
  });

  it.each([
    ['only the policy', { hosts: [], wanted: [HOST] }],
    ['only the operator', { hosts: [HOST], wanted: [] }],
    ['nobody', { hosts: [], wanted: [] }],
  ])('T37 are not opened where %s lists the host', async (_who, change) => {
    const fixture = await createTunnels(echo, change);

    const { head } = await open(fixture);

    expect(head).toContain('HTTP/1.1 403 Forbidden');
    expect((await fixture.registries.close()).refused).toEqual([
      `CONNECT ${HOST}:443: ${HOST} is not listed by both RATCHET_SETUP_HOSTS and install.hosts`,
    ]);
  });

  it('T37 connect to the address that was checked, and resolve the name once', async () => {
    const asked: string[] = [];
    const connected: string[] = [];
    const resolution = {
      resolve: (host: string) => {
        asked.push(host);
        // A rebinding server answers otherwise the second time.
        return Promise.resolve(asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2']);
      },
      isAllowed: (address: string) => address === '127.0.0.1',
    };
    const fixture = await createTunnels((socket) => connected.push(String(socket.localAddress)), { resolution });

    expect((await open(fixture)).head).toContain(' 200 ');
    expect((await open(fixture)).head).toContain(`${HOST} leads to 127.0.0.2, which is no public address`);
    expect([asked.length, connected]).toEqual([2, ['127.0.0.1']]);
  });

  it('T37 are not opened to a name with one private address, or none', async () => {
    const addresses = [['192.0.2.1', '10.0.0.1'], []];
    const resolution = {
      resolve: () => Promise.resolve(addresses.shift() ?? []),
      isAllowed: (address: string) => !address.startsWith('10.'),
    };
    const fixture = await createTunnels(echo, { resolution });

    expect((await open(fixture)).head).toContain('leads to 10.0.0.1');
    expect((await open(fixture)).head).toContain('has no address');
  });

  it('try the next address, and answer 502 where none answers', async () => {
    const both = { resolve: () => Promise.resolve(['127.0.0.3', '127.0.0.1']), isAllowed: () => true };
    const none = { resolve: () => Promise.resolve(['127.0.0.3']), isAllowed: () => true };

    expect((await open(await createTunnels(echo, { resolution: both }))).head).toContain(' 200 ');
    expect((await open(await createTunnels(echo, { resolution: none }))).head).toContain('502 Bad Gateway');
  });

  it.each([
    ['received', { maxBytes: 100_000 }],
    ['sent', { maxSentBytes: 100_000 }],
  ])('end when too much was %s', async (_what, limits) => {
    const fixture = await createTunnels(echo, { limits });
    const { socket } = await open(fixture);
    let got = 0;
    socket.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    socket.write(Buffer.alloc(1_000_000));

    await toClose(socket);

    expect(got).toBeLessThan(1_000_000);
  });

  it.each([
    ['are silent for too long', { idleMs: 200 }],
    ['are open for too long', { deadlineMs: 200 }],
  ])('end when they %s', async (_what, limits) => {
    const fixture = await createTunnels(() => undefined, { limits });
    const { socket } = await open(fixture);

    await toClose(socket.resume());

    expect(socket.destroyed).toBe(true);
  });

  it('are limited in number, and a closed one makes room', async () => {
    const fixture = await createTunnels(echo, { limits: { maxTunnels: 1 } });
    const first = await open(fixture);

    expect((await open(fixture)).head).toContain('too many open tunnels');
    first.socket.end();
    await toClose(first.socket);
    expect((await open(fixture)).head).toContain(' 200 ');
  });

  it('end with the session', async () => {
    const fixture = await createTunnels(echo);
    const { socket } = await open(fixture);

    await Promise.all([toClose(socket.resume()), fixture.registries.close()]);

    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['a refused tunnel', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a refused upgrade', 'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['what is no request', 'nothing\r\n\r\n'],
  ])('let no session wait for somebody who keeps his side of %s open', async (_what, request) => {
    const { registries } = await createTunnels(echo);
    const socket = connect({ path: registries.relay.socketPath, allowHalfOpen: true }).resume();
    onTestFinished(() => void socket.destroy());
    socket.write(request);
    await once(socket, 'end');

    expect(await registries.close()).toMatchObject({ bytes: 0 });
  });
});

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '104.16.0.1', '172.32.0.1', '192.167.255.255', '223.255.255.255', '2606:4700::1111', '2a00::1'])(
    'T37 knows %s as public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.0.1', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::ffff:1.1.1.1', '::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::101:101', '64:ff9b:1::1'],
    ...['100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1'],
    ...['fe80::1%eth0', 'fec0::1', 'ff02::1', '', 'localhost', '127.1', '0x7f000001'],
  ])('T37 knows %j as not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
