import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Site, SiteCommand, SiteOutcome, SiteRelay, SiteRequest } from '../../../src/ports/site.ts';
import { listenOnSocket } from '../../../src/system/listen-on-socket.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { IS_ROOT, SLOT_GID } from '../sandbox/sandbox-fixture.ts';
import { createSiteFixture, type SiteFixture, type SiteKind } from './site-fixture.ts';

const PORT = 4001;
const STREAMS = 20;
const STREAM_BYTES = 1024 * 1024;

/** A service of ours on a socket. */
interface Service {
  readonly relay: SiteRelay;
  readonly server: Server;
  /** Ends it, with all of its connections. */
  readonly stop: () => Promise<void>;
}

let folder: string;
let removeFolder: () => Promise<void>;
let count = 0;

beforeAll(async () => {
  const made = await createTempFolder();
  [folder, removeFolder] = [join(made.path, 'sockets'), made.remove];
  await mkdir(folder, { mode: 0o711 });
});

afterAll(async () => {
  await removeFolder();
});

async function serve(onConnection: (socket: Socket) => void, change?: Partial<SiteRelay>): Promise<Service> {
  count += 1;
  const socketPath = join(folder, `${String(count)}.sock`);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    onConnection(socket);
  });
  await listenOnSocket(server, socketPath, IS_ROOT ? SLOT_GID : null);
  const stop = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    if (server.listening) await new Promise((resolve) => void server.close(resolve));
  };
  onTestFinished(stop);
  return { relay: { name: 'model', socketPath, port: PORT, ...change }, server, stop };
}

function echo(socket: Socket): void {
  socket.pipe(socket);
}

/** A program for the Node of the site, with `connect(port)` in scope. */
function toProgram(script: string): string {
  return `const net = require('node:net'); const connect = (port = ${String(PORT)}) => net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });\n${script}`;
}

it('a site in a checkout has no relays', async () => {
  const fixture = await createSiteFixture('checkout');
  onTestFinished(fixture.remove);
  const relays: readonly SiteRelay[] = [{ name: 'model', socketPath: join(folder, 'none'), port: PORT }];

  expect(fixture.sites.promises).not.toContain('relays');
  await expect(fixture.open({ network: 'relays', relays })).rejects.toMatchObject({
    code: 'CANNOT_KEEP',
    message: 'this place to run in does not promise relays',
  });
});

describe.each<SiteKind>(['bubblewrap', 'another process'])('a site with relays: %s', (kind) => {
  const isHere = kind === 'bubblewrap';
  let fixture: SiteFixture;

  beforeAll(async () => {
    fixture = await createSiteFixture(kind);
  });

  afterAll(async () => {
    await fixture.remove();
  });

  async function open(relays: readonly SiteRelay[], change?: Partial<SiteRequest>): Promise<Site> {
    const site = await fixture.open({ network: 'relays', relays, ...change });
    onTestFinished(() => site.close());
    return site;
  }

  const exec = (site: Site, argv: readonly string[], change?: Partial<SiteCommand>): Promise<SiteOutcome> =>
    fixture.exec(site, argv, { network: 'relays', ...change });
  const sh = (site: Site, script: string, change?: Partial<SiteCommand>): Promise<SiteOutcome> =>
    exec(site, ['/bin/sh', '-c', script], change);
  const node = (site: Site, script: string, change?: Partial<SiteCommand>): Promise<SiteOutcome> =>
    exec(site, [fixture.sites.layout.nodePath, '-e', toProgram(script)], change);

  it.each<[string, Partial<SiteRequest>, string]>([
    ['no relays', { relays: [] }, 'need each other'],
    ['no network for them', { network: 'none' }, 'need each other'],
    ['a port of the system', { relays: [{ name: 'model', socketPath: '/s', port: 80 }] }, 'from 1024'],
    ['half a port', { relays: [{ name: 'model', socketPath: '/s', port: 4000.5 }] }, 'from 1024'],
    ...(['name', 'port'] as const).map((same): [string, Partial<SiteRequest>, string] => [
      `one ${same} for two`,
      {
        relays: [
          { name: 'model', socketPath: '/s', port: PORT },
          { name: same === 'name' ? 'model' : 'registry', socketPath: '/t', port: same === 'port' ? PORT : PORT + 1 },
        ],
      },
      'the same name or port',
    ]),
  ])('is not opened with %s', async (_what, change, message) => {
    const relays: readonly SiteRelay[] = [{ name: 'model', socketPath: '/s', port: PORT }];

    const opening = fixture.open({ network: 'relays', relays, ...change });

    await expect(opening).rejects.toMatchObject({ code: 'CANNOT_KEEP' });
    await expect(opening).rejects.toThrow(message);
  });

  it('leads each port to its service, in each of its commands', async () => {
    const [model, registry] = [
      await serve((socket) => socket.end('the model')),
      await serve((socket) => socket.end('the registry'), { name: 'registry', port: PORT + 1 }),
    ];
    const site = await open([model.relay, registry.relay]);
    const read = `for (const port of [${String(PORT)}, ${String(PORT + 1)}]) connect(port).on('data', (d) => console.log(port, String(d))).on('end', function () { this.end() })`;

    const outcomes = [await node(site, read), await node(site, read)];

    for (const { stdoutTail } of outcomes) {
      expect(stdoutTail.split('\n').toSorted()).toEqual(['', '4001 the model', '4002 the registry']);
    }
  });

  it('changes nothing else for a command', async () => {
    const { relay } = await serve(echo);
    const script = 'cat; env | sort; pwd; ls /proc/self/fd; ulimit -a; echo error >&2; exit 3';
    const plain = await fixture.sh(await fixture.open(), script, { stdin: 'input\n' });

    const bridged = await sh(await open([relay]), script, { stdin: 'input\n' });

    const { kind: ended, exitCode, signal, processesLeft, stdoutTail, stderrTail } = plain;
    expect(bridged).toMatchObject({ kind: ended, exitCode, signal, processesLeft, stdoutTail, stderrTail });
    expect([exitCode, stdoutTail.split('\n', 1), stderrTail]).toEqual([3, ['input'], 'error\n']);
  });

  it.runIf(isHere).each<[string, string, object]>([
    ['exits', 'exit 7', { kind: 'exited', exitCode: 7 }],
    ['is killed', 'kill -KILL $$', { kind: 'exited', exitCode: 137 }],
    ['dies of a signal', 'kill -TERM $$', { kind: 'exited', exitCode: 143 }],
    ['ends before what it started', '(sleep 60) & exit 0', { kind: 'exited', exitCode: 0 }],
    ['kills the bridge', 'kill -KILL $PPID; sleep 60', { kind: 'exited', exitCode: 137 }],
  ])('ends when a command %s, and leaves no process', async (_what, script, expected) => {
    const { relay } = await serve(echo);
    const site = await open([relay]);

    expect(await sh(site, script)).toMatchObject({ ...expected, processesLeft: 0 });
    expect((await sh(site, 'echo on')).stdoutTail).toBe('on\n');
  });

  it.runIf(isHere)('gives a command no debugger of the bridge', async () => {
    const { relay } = await serve(echo);
    const script = 'kill -USR1 $PPID; sleep 0.3; (exec 3<>/dev/tcp/127.0.0.1/9229) && echo REACHED; echo done';

    expect((await exec(await open([relay]), ['bash', '-c', script])).stdoutTail).toBe('done\n');
  });

  it.runIf(isHere).each([
    ['no-such-program', 'ENOENT'],
    ['/workspace/src/a.txt', 'EACCES'],
  ])('says that %s was not started', async (program, why) => {
    const { relay } = await serve(echo);

    expect(await exec(await open([relay]), [program])).toMatchObject({
      ...{ kind: 'not_started', exitCode: null, processesLeft: 0 },
      stderrTail: why,
    });
  });

  it.runIf(isHere)('asks the command to end before it is killed', async () => {
    const { relay } = await serve(echo);
    const script = "trap 'echo asked; exit 9' TERM; echo up; sleep 60 & wait";

    const outcome = await exec(await open([relay]), ['bash', '-c', script], { timeoutMs: 5_000 });

    expect(outcome).toMatchObject({ kind: 'timed_out', stdoutTail: 'up\nasked\n', processesLeft: 0 });
  });

  it('closes the connections of a command that ended', async () => {
    const closed: Promise<unknown>[] = [];
    const { relay } = await serve((socket) => {
      closed.push(once(socket, 'close'));
      socket.write('hello');
      socket.resume().on('end', () => socket.end());
    });

    const outcome = await node(await open([relay]), `connect().on('data', () => process.exit(5))`);
    await Promise.all(closed);

    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 5, processesLeft: 0 });
    expect(closed).toHaveLength(1);
  });

  it('keeps a connection half open, in both directions', async () => {
    const { relay } = await serve((socket) => {
      let got = '';
      socket.on('data', (data: Buffer) => {
        got += data.toString();
        if (got === 'bye first') socket.end('ended first');
      });
      socket.on('end', () => {
        if (!socket.writableEnded) socket.end(`answer to ${got}`);
      });
    });
    const script = `
      const a = connect(); let text = '';
      a.on('data', (d) => { text += d }).on('end', () => console.log('a:', text)); a.end('question');
      const b = connect(); b.write('bye first');
      b.on('data', (d) => console.log('b:', String(d))).on('end', () => b.end('still written', () => console.log('b: done')));`;

    const { stdoutTail, exitCode } = await node(await open([relay]), script);

    expect([exitCode, stdoutTail.trim().split('\n').toSorted()]).toEqual([
      0,
      ['a: answer to question', 'b: done', 'b: ended first'],
    ]);
  });

  it(`carries ${String(STREAMS)} streams at once in both directions, at the pace of a slow reader`, async () => {
    const { relay } = await serve(echo);
    const script = `
      const { createHash } = require('node:crypto');
      const bytes = Buffer.alloc(${String(STREAM_BYTES)}, 'stream '); const one = createHash('sha256').update(bytes).digest('hex');
      let open = ${String(STREAMS)}, good = 0;
      for (let i = 0; i < ${String(STREAMS)}; i++) {
        const socket = connect(), hash = createHash('sha256');
        socket.end(bytes);
        if (i === 0) { socket.pause(); setTimeout(() => socket.resume(), 300); }
        socket.on('data', (d) => hash.update(d)).on('end', () => { good += hash.digest('hex') === one; if (--open === 0) console.log(good, one); });
      }`;

    const { stdoutTail } = await node(await open([relay]), script);

    const one = createHash('sha256').update(Buffer.alloc(STREAM_BYTES, 'stream ')).digest('hex');
    expect(stdoutTail).toBe(`${String(STREAMS)} ${one}\n`);
  });

  it.runIf(isHere)('does not read ahead of a command that does not read', async () => {
    let written = 0;
    const { relay } = await serve((socket) => {
      const block = Buffer.alloc(64 * 1024);
      const write = (): void => {
        while (socket.write(block)) written += block.length;
        socket.once('drain', write);
      };
      write();
    });

    await node(await open([relay]), `connect().once('readable', () => setTimeout(() => process.exit(0), 500))`);

    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(8 * 1024 * 1024);
  });

  it.runIf(isHere)('has a limit of connections', async () => {
    let accepted = 0;
    const { relay } = await serve((socket) => {
      accepted += 1;
      socket.write('x');
    });
    const script = `
      let got = 0, closed = 0; const tell = () => { if (got + closed === 140) { console.log(got, closed); process.exit(0); } };
      for (let i = 0; i < 140; i++) connect().on('data', () => { got++; tell(); }).on('error', () => {}).on('end', () => { closed++; tell(); });`;

    const { stdoutTail } = await node(await open([relay]), script);

    expect([stdoutTail, accepted]).toEqual(['128 12\n', 128]);
  });

  it('ends a connection that its service cuts off, and one to a service that is gone', async () => {
    const gone = await serve(echo);
    const cutting = await serve(
      (socket) => {
        socket.write('half');
        // Not before the other side has read that and written more than is read here.
        socket.once('readable', () => setTimeout(() => void gone.stop().then(() => socket.destroy()), 100));
      },
      { name: 'registry', port: PORT + 1 },
    );
    const script = `
      const watch = (socket, then) => socket.on('end', () => console.log('end')).on('error', (e) => console.log(e.code)).on('close', then);
      const cut = connect(${String(PORT + 1)}).on('end', () => cut.destroy());
      cut.on('data', (d) => { console.log(String(d)); cut.write(Buffer.alloc(4e6)); });
      watch(cut, () => { const none = connect().on('end', () => none.destroy()).resume(); watch(none, () => {}); });`;

    const { stdoutTail } = await node(await open([gone.relay, cutting.relay]), script);

    // A Unix socket knows a reset only while data is unread, and the way to another process begins with one.
    expect(stdoutTail).toMatch(
      isHere ? /^half\nECONNRESET\nECONNRESET\n$/u : /^half\n(?:end|ECONNRESET)\n(?:end|ECONNRESET)\n$/u,
    );
  });

  it.runIf(isHere)('does not start a command whose service is gone', async () => {
    const { relay, stop } = await serve(echo);
    const site = await open([relay]);
    await stop();

    const { kind: ended, stderrTail } = await sh(site, 'true');

    expect(ended).toBe('not_started');
    expect(stderrTail).toContain('cannot be reached (ENOENT)');
  });

  it.runIf(isHere)('has no other network, and shows nothing but its sockets', async () => {
    const [own] = [await serve(echo), await serve(echo)];
    const site = await open([own.relay]);
    const host = createServer().listen(0, '127.0.0.1');
    await once(host, 'listening');
    onTestFinished(() => void host.close());
    const { port } = toAddress(host);
    const script = `
      for (const where of [{ port: ${String(port)}, host: '127.0.0.1' }, { port: 80, host: '192.0.2.1' }, { path: '${own.relay.socketPath}' }])
        net.connect(where).on('connect', () => console.log('REACHED', where)).on('error', (e) => console.log(e.code));`;

    const looked = await sh(
      site,
      `ls -A /run /run/ratchet; grep -c : /proc/net/dev; ls ${folder} 2>&1 | grep -c 'No such'`,
    );
    const { stdoutTail } = await node(site, script);

    expect(looked.stdoutTail).toBe('/run:\nratchet\n\n/run/ratchet:\nmodel.sock\n1\n1\n');
    expect(stdoutTail.trim().split('\n').toSorted()).toEqual(['ECONNREFUSED', 'ENETUNREACH', 'ENOENT']);
  });

  it.runIf(isHere)('is the only one with a bridge and sockets', async () => {
    const { relay } = await serve(echo);
    const script = `ls -A /run; ls /proc | grep -c '^[0-9]'`;
    await sh(await open([relay]), 'true');

    const plain = await fixture.sh(await fixture.open(), script);

    // bubblewrap's first process, the shell, ls and grep.
    expect(plain.stdoutTail).toBe('4\n');
  });
});

function toAddress(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return address;
}
