import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createTempFolder } from '../../support/git-repository.ts';

/** What servers that nobody may reach answer with. */
export const SECRET = `secret-${randomBytes(8).toString('hex')}`;
/** The address of the one host that tunnels may lead to. It is no other server's. */
export const ALLOWED_ADDRESS = '127.0.0.9';

/** A server that keeps every byte that it gets. */
export interface Recorder {
  readonly port: number;
  readonly raw: () => string;
  readonly requests: readonly {
    readonly line: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  readonly close: () => void;
}

/** Everything outside of the sandbox. */
export interface Outside {
  readonly models: Recorder;
  readonly registry: Recorder;
  /** The end of an allowed tunnel. */
  readonly allowed: Recorder;
  /** One entry for each contact with a server that nobody may reach. */
  readonly contacts: readonly string[];
  readonly forbiddenPort: number;
  readonly forbiddenUdpPort: number;
  readonly forbiddenSocket: string;
  readonly forbiddenAbstract: string;
  readonly close: () => Promise<void>;
}

/** Starts the servers. Addresses in what the registry answers lead to the forbidden one. */
export async function startOutside(): Promise<Outside> {
  const { path, remove } = await createTempFolder();
  const forbidden = await startForbidden(path);
  const elsewhere = `http://127.0.0.1:${String(forbidden.forbiddenPort)}`;
  const models = await startRecorder((_request, response, body) => answerAsModel(response, body, elsewhere));
  const registry = await startRecorder((request, response) => answerAsRegistry(response, request.url ?? '', elsewhere));
  const allowed = await startRecorder((_request, response) => response.end('allowed'), {
    host: ALLOWED_ADDRESS,
    port: forbidden.forbiddenPort,
  });
  return {
    ...{ models, registry, allowed },
    ...forbidden,
    close: async () => {
      for (const { close } of [models, registry, allowed, forbidden]) close();
      await remove();
    },
  };
}

async function startRecorder(
  onRequest: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  at: ListenOptions = { host: '127.0.0.1', port: 0 },
): Promise<Recorder> {
  const requests: Recorder['requests'][number][] = [];
  const sockets = new Set<Socket>();
  let raw = '';
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString('latin1');
      requests.push({ line: `${method} ${url}`, headers, body });
      onRequest(request, response, body);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => {
      // Enough of a body of 40 MB to find a mark in it.
      raw += chunk.toString('latin1').slice(0, 100_000);
    });
  });
  const port = await listen(server, at);
  return { port, requests, raw: () => raw, close: () => stop(server, sockets) };
}

function answerAsModel(response: ServerResponse, body: string, elsewhere: string): void {
  const to = /REDIRECT (?<to>[\w-]+)/.exec(body)?.groups?.['to'];
  if (to !== undefined) response.writeHead(307, { location: `${elsewhere}/${to}` });
  else response.setHeader('content-type', 'application/json');
  const answer = {
    ...{ type: 'message', object: 'response', content: [], output: [], choices: [], candidates: [] },
    usage: { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1 },
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  };
  response.end(JSON.stringify(answer));
}

function answerAsRegistry(response: ServerResponse, target: string, elsewhere: string): void {
  const redirects: Readonly<Record<string, string>> = {
    '/redirect-elsewhere': `${elsewhere}/`,
    '/redirect-metadata': 'http://169.254.169.254/latest/',
    '/redirect-circle': '/redirect-circle',
    '/redirect-file': 'file:///etc/passwd',
  };
  const location = redirects[target];
  if (location !== undefined) response.writeHead(302, { location });
  if (target.endsWith('/config.json')) response.end(JSON.stringify({ dl: `${elsewhere}/crates` }));
  else response.end(JSON.stringify({ name: 'left-pad', dist: { tarball: `${elsewhere}/left-pad.tgz` } }));
}

type Forbidden = Pick<
  Outside,
  'contacts' | 'forbiddenPort' | 'forbiddenUdpPort' | 'forbiddenSocket' | 'forbiddenAbstract'
> & { readonly close: () => void };

async function startForbidden(folder: string): Promise<Forbidden> {
  const contacts: string[] = [];
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const serve = async (at: ListenOptions): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      contacts.push(JSON.stringify(at));
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => contacts.push(chunk.toString('latin1').slice(0, 200)));
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${SECRET}`);
    });
    servers.push(server);
    return listen(server, at);
  };
  const forbiddenPort = await serve({ host: '127.0.0.1', port: 0 });
  // Not every machine has IPv6.
  await serve({ host: '::1', port: forbiddenPort }).catch(() => 0);
  const [forbiddenSocket, forbiddenAbstract] = [join(folder, 'forbidden.sock'), `ratchet-${SECRET.slice(-8)}`];
  await serve({ path: forbiddenSocket, readableAll: true, writableAll: true });
  await serve({ path: `\u0000${forbiddenAbstract}` });
  const datagrams = createSocket('udp4');
  datagrams.on('message', (message, { port }) => {
    contacts.push(message.toString());
    datagrams.send(SECRET, port, '127.0.0.1');
  });
  datagrams.bind(0, '127.0.0.1');
  await once(datagrams, 'listening');
  return {
    ...{ contacts, forbiddenPort, forbiddenSocket, forbiddenAbstract },
    forbiddenUdpPort: datagrams.address().port,
    close: () => {
      datagrams.close();
      for (const server of servers) stop(server, sockets);
    },
  };
}

/** What stands in place of gateway and registry proxy where there are no walls: it does what it is asked to. */
export async function startOpenProxy(
  upstreamPort: number,
  resolve: (host: string) => readonly string[],
  tunnelPort: number,
): Promise<Pick<Recorder, 'port' | 'close'>> {
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    sockets.add(inner);
    inner.on('error', () => inner.destroy());
    inner.once('data', (first) => {
      const [method = '', target = ''] = first.toString('latin1').split(' ');
      const isTunnel = method.toUpperCase() === 'CONNECT';
      const url = isTunnel ? URL.parse(`tunnel://${target}`) : URL.parse(target);
      const at = url === null ? { host: '127.0.0.1', port: upstreamPort } : toLoopback(url, resolve, tunnelPort);
      if (at === null) {
        inner.destroy();
        return;
      }
      const outer = connect(at);
      sockets.add(outer);
      outer.on('error', () => inner.destroy());
      if (isTunnel) inner.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      outer.write(isTunnel ? first.subarray(first.indexOf('\r\n\r\n') + 4) : first);
      inner.pipe(outer);
      outer.pipe(inner);
    });
  });
  return { port: await listen(server, { host: '127.0.0.1', port: 0 }), close: () => stop(server, sockets) };
}

/** Where an address leads, if that is on this machine. */
function toLoopback(
  { host }: URL,
  resolve: (host: string) => readonly string[],
  tunnelPort: number,
): { readonly host: string; readonly port: number } | null {
  const plain = URL.parse(`http://${host}`);
  if (plain === null) return null;
  const name = plain.hostname
    .replace(/\.$/, '')
    .replace(/^\[(?:::ffff:7f00:1|::1)\]$/, '127.0.0.1')
    .replace('localhost', '127.0.0.1');
  const address = [name, ...resolve(name)].findLast((text) => /^(?:127\.|0\.0\.0\.0$|::1$|::ffff:127\.)/.test(text));
  const port = Number(plain.port === '' ? 80 : plain.port);
  return address === undefined ? null : { host: address, port: port === 443 || port === 80 ? tunnelPort : port };
}

async function listen(server: Server, at: ListenOptions): Promise<number> {
  server.listen(at);
  await once(server, 'listening');
  const address = server.address();
  return isAddress(address) ? address.port : 0;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function stop(server: Server, sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
  server.close();
}
