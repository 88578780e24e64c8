import { type Attempt, type Config, exchange, exchangePatiently, toRequest } from './exchange.ts';

const USUAL = [
  ['host', '127.0.0.1'],
  ['connection', 'close'],
] as const;

/** Reads a package, as a well-behaved package manager does. */
export function readPackage({ registryPort }: Config): Promise<string> {
  return exchangePatiently(registryPort, toRequest('GET /left-pad HTTP/1.1', USUAL));
}

/** Opens a tunnel to the host that operator and policy allow. */
export function openTunnel({ registryPort }: Config): Promise<string> {
  return exchangePatiently(
    registryPort,
    toRequest('CONNECT allowed.test:443 HTTP/1.1', USUAL),
    'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  );
}

/** Every way through the registry proxy that somebody thought of. */
export function toRegistryAttempts(config: Config): readonly Attempt[] {
  return [...toRequests(config), ...toTunnels(config)];
}

function toRequests({ registryPort, forbiddenPort }: Config): readonly Attempt[] {
  const elsewhere = `127.0.0.1:${String(forbiddenPort)}`;
  const at =
    (toTarget: (mark: string) => string, method = 'GET') =>
    (mark: string) =>
      exchange(registryPort, toRequest(`${method} ${toTarget(mark)} HTTP/1.1`, USUAL));
  const withHeaders =
    (toThem: (mark: string) => readonly (readonly [string, string])[], body: string | null = null) =>
    (mark: string) =>
      exchange(
        registryPort,
        toRequest('GET /left-pad HTTP/1.1', [...USUAL, ...toThem(mark)], body?.replace('MARK', mark) ?? null),
      );
  const inside = (mark: string): string => `PUT /${mark} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;
  const attempts: readonly (readonly [string, Attempt['run']])[] = [
    ...['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
      (method) => [`method ${method}`, at((mark) => `/${mark}`, method)] as const,
    ),
    ['a login', at((mark) => `/-/user/org.couchdb.user:${mark}`, 'PUT')],
    ['an API of the account', at((mark) => `/-/npm/v1/tokens/${mark}`)],
    ['a search', at((mark) => `/-/v1/search?text=${mark}`)],
    ['an audit', at((mark) => `/-/npm/v1/security/audits/${mark}`)],
    ['a query', at((mark) => `/left-pad?${mark}`)],
    ['a path that goes up', at((mark) => `/left-pad/../../${mark}`)],
    ['a path that goes up, encoded', at((mark) => `/left-pad/%2e%2e/${mark}`)],
    ['a path that goes up, encoded twice', at((mark) => `/left-pad/%252e%252e/${mark}`)],
    ['a scope that goes up', at((mark) => `/@a%2f..%2f..%2f${mark}`)],
    ['a backslash', at((mark) => `/left-pad\\..\\${mark}`)],
    ['a NUL', at((mark) => `/left-pad%00${mark}`)],
    ['two slashes', at((mark) => `//${mark}.test/left-pad`)],
    ['userinfo', at((mark) => `@${mark}.test/left-pad`)],
    ['a fragment', at((mark) => `/left-pad#${mark}`)],
    ['a path that is far too long', at((mark) => `/${'a'.repeat(3000)}${mark}`)],
    ['an absolute address', at((mark) => `http://${elsewhere}/${mark}`)],
    ['an absolute address of the metadata service', at((mark) => `http://169.254.169.254/latest/${mark}`)],
    ['an absolute address with TLS', at((mark) => `https://${mark}.test/`)],
    ['another protocol', at((mark) => `ftp://${elsewhere}/${mark}`)],
    ['a file of another host', at((mark) => `/_files/npm/${elsewhere}/${mark}.tgz`)],
    ['a file of a host by userinfo', at((mark) => `/_files/npm/a@${elsewhere}/${mark}.tgz`)],
    ['a file that goes up', at((mark) => `/_files/npm/${elsewhere}/a/%2e%2e/${mark}.tgz`)],
    ['a file of another kind', at((mark) => `/_files/cargo/${elsewhere}/${mark}.tgz`)],
    ['a Python project that goes up', at((mark) => `/_pypi/simple/../${mark}/`)],
    ['another page of the Python index', at((mark) => `/_pypi/pypi/${mark}/json`)],
    ['a Go module that goes up', at((mark) => `/_go/a/../../${mark}/@v/list`)],
    ['another checksum database', at((mark) => `/_go/sumdb/${mark}.test/supported`)],
    ['a crate that goes up', at((mark) => `/_cargo/index/../${mark}`)],
    ['a crate from elsewhere, as its index says', at(() => '/_cargo/dl/elsewhere/1.0.0/download')],
    ['a redirect to another server', at(() => '/redirect-elsewhere')],
    ['a redirect to the metadata service', at(() => '/redirect-metadata')],
    ['a redirect in circles', at(() => '/redirect-circle')],
    ['a redirect to a file of the machine', at(() => '/redirect-file')],
    ['a tarball at another server', at(() => '/tarball-elsewhere')],
    ['a header of its own', withHeaders((mark) => [['x-escape', mark]])],
    [
      'credentials',
      withHeaders((mark) => [
        ['authorization', `Bearer ${mark}`],
        ['npm-otp', mark],
      ]),
    ],
    ['a cookie', withHeaders((mark) => [['cookie', mark]])],
    ['a second host', withHeaders((mark) => [['host', `${mark}.test`]])],
    ['a user agent', withHeaders((mark) => [['user-agent', mark]])],
    ['a line feed in a header', withHeaders((mark) => [['accept', `*/*\nx-escape: ${mark}`]])],
    ['a carriage return in a header', withHeaders((mark) => [['accept', `*/*\rx-escape: ${mark}`]])],
    ['what it accepts, with more', withHeaders((mark) => [['accept', `*/*; ${'q=1;'.repeat(200)}${mark}`]])],
    ['a body of a GET', withHeaders(() => [], 'MARK')],
    [
      'an upgrade',
      withHeaders((mark) => [
        ['connection', 'upgrade'],
        ['upgrade', `websocket, ${mark}`],
      ]),
    ],
    ['an expectation', withHeaders((mark) => [['expect', `100-continue, ${mark}`]])],
    [
      'smuggled: a body that is a request',
      (mark) =>
        exchange(
          registryPort,
          toRequest('GET /left-pad HTTP/1.1', [
            ['host', 'x'],
            ['content-length', String(inside(mark).length)],
          ]) + inside(mark),
        ),
    ],
    [
      'smuggled: chunks and length',
      (mark) =>
        exchange(
          registryPort,
          toRequest('GET /left-pad HTTP/1.1', [
            ['host', 'x'],
            ['transfer-encoding', 'chunked'],
            ['content-length', '4'],
          ]) + `0\r\n\r\n${inside(mark)}`,
        ),
    ],
    [
      'pipelined: a second request',
      (mark) => exchange(registryPort, toRequest('GET /left-pad HTTP/1.1', [['host', 'x']]) + inside(mark)),
    ],
  ];
  return attempts.map(([name, run]) => ({ group: 'registry', name: `registry: ${name}`, run }));
}

/** Relays by CONNECT. Each greets who answers with its mark. */
function toTunnels(config: Config): readonly Attempt[] {
  const { registryPort, tunnelPort, forbiddenPort } = config;
  const to =
    (target: string, headers: readonly (readonly [string, string])[] = USUAL) =>
    (mark: string) =>
      exchange(
        registryPort,
        toRequest(`CONNECT ${target} HTTP/1.1`, headers),
        `GET /${mark} HTTP/1.1\r\nhost: a\r\n\r\n`,
      );
  const port = String(forbiddenPort);
  const attempts: readonly (readonly [string, Attempt['run']])[] = [
    ['an address of the machine', to(`127.0.0.1:${port}`)],
    ['an address of the machine, at 443', to('127.0.0.1:443')],
    ['localhost', to(`localhost:${port}`)],
    ['localhost, at 443', to('localhost:443')],
    ['IPv6', to(`[::1]:${port}`)],
    ['IPv6, at 443', to('[::1]:443')],
    ['IPv4 in IPv6', to(`[::ffff:127.0.0.1]:${port}`)],
    ['a decimal address', to(`2130706433:${port}`)],
    ['a hexadecimal address', to(`0x7f000001:${port}`)],
    ['an octal address', to(`0177.0.0.1:${port}`)],
    ['a short address', to(`127.1:${port}`)],
    ['the unspecified address', to(`0.0.0.0:${port}`)],
    ['the metadata service', to('169.254.169.254:80')],
    ['a private address', to('10.0.0.1:443')],
    ['a host that nobody lists', to('other.test:443')],
    ['a host below a listed one', to('a.allowed.test:443')],
    ['a host that ends like a listed one', to('notallowed.test:443')],
    ['a listed host at another port', to('allowed.test:22')],
    ['a listed host at the port behind', to(`allowed.test:${String(tunnelPort)}`)],
    ['a listed host in capitals', to('ALLOWED.test:443')],
    ['a listed host with a dot behind', to('allowed.test.:443')],
    ['a listed host without a port', to('allowed.test')],
    ['a port of nothing', to('allowed.test:')],
    ['a port with zeros', to('allowed.test:00443')],
    ['two ports', to(`allowed.test:443:${port}`)],
    ['userinfo', to(`allowed.test:443@127.0.0.1:${port}`)],
    ['a NUL', to(`127.0.0.1:${port}\u0000.allowed.test:443`)],
    ['a NUL, encoded', to(`127.0.0.1:${port}%00allowed.test:443`)],
    ['a path behind the host', to(`127.0.0.1:${port}/allowed.test:443`)],
    ['an absolute address', to(`http://127.0.0.1:${port}/`)],
    ['letters of another alphabet', to('\u00E3\u0080\u0082allowed.test:443')],
    ['a listed host in the header only', to(`127.0.0.1:${port}`, [['host', 'allowed.test:443']])],
    ['a host that leads to the machine', to('rebind.test:443')],
    ['a host with one private address of two', to('mixed.test:443')],
    ['a host that leads to the metadata service', to('meta.test:443')],
    ['a host that leads to IPv6 of the machine', to('v6.test:443')],
    ['a host that leads to a mapped address', to('mapped.test:443')],
    ['a host that leads to a unique local address', to('local.test:443')],
    [
      'a host that changes after it was checked',
      () =>
        exchange(
          registryPort,
          toRequest('CONNECT flip.test:443 HTTP/1.1', USUAL),
          'GET /flip HTTP/1.1\r\nhost: a\r\n\r\n',
        ),
    ],
    [
      'HTTP/1.0',
      (mark) => exchange(registryPort, `CONNECT 127.0.0.1:${port} HTTP/1.0\r\n\r\n`, `GET /${mark} HTTP/1.0\r\n\r\n`),
    ],
    [
      'in another case',
      (mark) =>
        exchange(
          registryPort,
          `connect 127.0.0.1:${port} HTTP/1.1\r\nhost: a\r\n\r\n`,
          `GET /${mark} HTTP/1.0\r\n\r\n`,
        ),
    ],
    [
      'behind a good request',
      (mark) =>
        exchange(
          registryPort,
          toRequest('GET /left-pad HTTP/1.1', [['host', 'x']]),
          toRequest(`CONNECT 127.0.0.1:${port} HTTP/1.1`, USUAL),
          `GET /${mark} HTTP/1.0\r\n\r\n`,
        ),
    ],
    [
      'SOCKS 5',
      (mark) =>
        exchange(
          registryPort,
          Buffer.from([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, forbiddenPort >> 8, forbiddenPort & 255]),
          mark,
        ),
    ],
    [
      'the PROXY protocol',
      (mark) =>
        exchange(registryPort, `PROXY TCP4 127.0.0.1 127.0.0.1 1 ${port}\r\nGET /${mark} HTTP/1.1\r\nhost: a\r\n\r\n`),
    ],
  ];
  return attempts.map(([name, run]) => ({ group: 'tunnel', name: `tunnel: ${name}`, run }));
}
