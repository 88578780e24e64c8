import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup, resolve4 } from 'node:dns/promises';
import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Attempt, type Config, exchange } from './exchange.ts';

const TIMEOUT_MS = 5000;

/** Ways past the relays: other sockets, other namespaces, the kernel. */
export function toMachineAttempts(config: Config): readonly Attempt[] {
  return [...toConnections(config), ...toFiles(config), ...toKernel(config)].map((attempt) => ({
    ...attempt,
    group: 'machine' as const,
    name: `machine: ${attempt.name}`,
  }));
}

type Try = Omit<Attempt, 'group'>;

const greet = (mark: string): string => `GET /${mark} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;

function toConnections({ forbiddenPort: port, forbiddenUdpPort, forbiddenAbstract }: Config): readonly Try[] {
  const to = (host: string) => (mark: string) => exchange({ host, port }, greet(mark));
  return [
    { name: 'a port of 127.0.0.1', run: to('127.0.0.1') },
    { name: 'a port of localhost', run: to('localhost') },
    { name: 'a port of ::1', run: to('::1') },
    { name: 'a port of the unspecified address', run: to('0.0.0.0') },
    { name: 'a port of a mapped address', run: to('::ffff:127.0.0.1') },
    { name: 'a port of another loopback address', run: to('127.0.0.9') },
    {
      name: 'the metadata service',
      needsWalls: true,
      run: (mark) => exchange({ host: '169.254.169.254', port: 80 }, greet(mark)),
    },
    {
      name: 'an address of the internet',
      needsWalls: true,
      run: (mark) => exchange({ host: '192.0.2.1', port: 443 }, greet(mark)),
    },
    { name: 'an abstract socket', run: (mark) => exchange({ path: `\u0000${forbiddenAbstract}` }, greet(mark)) },
    { name: 'a datagram', run: (mark) => sendDatagram(forbiddenUdpPort, mark) },
    {
      name: 'a name',
      needsWalls: true,
      run: (mark) => lookup(`${mark}.test`).then(({ address }) => `ESCAPED to ${address}`, String),
    },
    {
      name: 'a name server',
      needsWalls: true,
      run: (mark) => resolve4(`${mark}.test`).then((found) => `ESCAPED to ${found.join()}`, String),
    },
  ];
}

function sendDatagram(port: number, mark: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (text: string): void => {
      clearTimeout(limit);
      socket.close();
      resolve(text);
    };
    const limit = setTimeout(end, 500, '[silence]');
    socket.on('error', (error) => end(String(error)));
    socket.on('message', (message) => end(message.toString()));
    socket.send(mark, port, '127.0.0.1');
  });
}

/** Sockets by their paths, as the machine has them. */
function toFiles({ forbiddenSocket, otherSocket }: Config): readonly Try[] {
  const at = (toPath: () => Promise<string> | string) => async (mark: string) =>
    exchange({ path: await toPath() }, greet(mark));
  return [
    { name: 'a socket of the machine', run: at(() => forbiddenSocket) },
    { name: 'a socket by /proc/self/root', run: at(() => `/proc/self/root${forbiddenSocket}`) },
    { name: 'a socket by the root of the first process', run: at(() => `/proc/1/root${forbiddenSocket}`) },
    {
      name: 'a socket by the folder of the first process',
      run: at(() => `/proc/1/cwd/../../../../..${forbiddenSocket}`),
    },
    { name: 'a socket by a path that goes up', run: at(() => `/run/ratchet/../../../..${forbiddenSocket}`) },
    {
      name: 'a socket by a link',
      run: at(async () => {
        const link = join(process.env['HOME'] ?? '/tmp', `escape-${String(process.pid)}`);
        await symlink(forbiddenSocket, link);
        return link;
      }),
    },
    {
      name: 'the sockets beside our own',
      run: async (mark) => {
        const found = await readdir('/run/ratchet').catch(() => []);
        const others = found.filter((name) => !/^(?:model|registry)\.sock$/.test(name));
        const seen = await Promise.all(others.map((name) => exchange({ path: `/run/ratchet/${name}` }, greet(mark))));
        return seen.join('\n');
      },
    },
    {
      name: 'the folder of all sessions',
      needsWalls: true,
      run: () => readdir(dirname(dirname(otherSocket))).then((names) => `ESCAPED ${names.join()}`, String),
    },
    {
      name: "the machine's list of sockets",
      needsWalls: true,
      run: async () => {
        const list = await readFile('/proc/net/unix', 'utf8').catch(String);
        return list.includes(otherSocket) || list.includes(forbiddenSocket) ? `ESCAPED ${list}` : '';
      },
    },
    { name: "the service's environment", needsWalls: true, run: () => readOthers('environ') },
    { name: "the service's descriptors", needsWalls: true, run: () => readOthers('fd') },
    {
      name: 'Redis and Docker, where they usually are',
      needsWalls: true,
      run: async (mark) =>
        (
          await Promise.all(
            [
              '/var/run/docker.sock',
              '/run/docker.sock',
              '/run/redis/redis.sock',
              '/run/dbus/system_bus_socket',
              '/run/systemd/private',
            ].map((path) => exchange({ path }, greet(mark))),
          )
        )
          .filter((seen) => !seen.startsWith('['))
          .map((seen) => `ESCAPED ${seen}`)
          .join(),
    },
  ];
}

/** What can be read of processes that are not ours. Of descriptors only files: a pipe would never end. */
async function readOthers(what: 'environ' | 'fd'): Promise<string> {
  const own = String(process.pid);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== own);
  const descriptors = await Promise.all(
    pids.map(async (pid) => {
      const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
      return names.map((name) => `/proc/${pid}/fd/${name}`);
    }),
  );
  const paths = what === 'environ' ? pids.map((pid) => `/proc/${pid}/environ`) : descriptors.flat();
  const seen = await Promise.all(
    paths
      .map(async (path) => ((await stat(path)).isFile() ? readFile(path, 'latin1') : ''))
      .map((read) => read.catch(() => '')),
  );
  return seen.join('\n').slice(0, 50_000);
}

/** System calls by Perl, which every Debian has. Each prints "escaped" if the kernel let it. */
function toKernel({ forbiddenPort, modelPort }: Config): readonly Try[] {
  const port = String(forbiddenPort);
  const perl =
    (script: string): Attempt['run'] =>
    (mark) =>
      run('/usr/bin/perl', ['-MSocket', '-e', script, port, mark]);
  const http =
    'connect(S, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) or exit; syswrite S, "GET /$ARGV[1] HTTP/1.0\\r\\n\\r\\n"; print while <S>;';
  return [
    { name: 'a connection by another program', run: perl(`socket(S, AF_INET, SOCK_STREAM, 0) or exit; ${http}`) },
    {
      name: 'vsock to the host',
      needsWalls: true,
      run: perl(
        'socket(S, 40, 1, 0) and print "ESCAPED"; connect(S, pack("SSLLx4", 40, 0, 1024, 2)) and print "ESCAPED"',
      ),
    },
    { name: 'raw packets', needsWalls: true, run: perl('socket(S, 17, 3, 0x300) and print "ESCAPED"') },
    { name: 'raw IP', needsWalls: true, run: perl('socket(S, AF_INET, SOCK_RAW, 1) and print "ESCAPED"') },
    {
      name: 'the network of the first process',
      needsWalls: true,
      run: (mark) =>
        run('/usr/bin/nsenter', [
          '-t',
          '1',
          '-n',
          '/usr/bin/perl',
          '-MSocket',
          '-e',
          `socket(S, AF_INET, SOCK_STREAM, 0); ${http}`,
          port,
          mark,
        ]),
    },
    {
      name: 'a network of its own',
      needsWalls: true,
      run: () => run('/usr/bin/unshare', ['-rn', '/bin/echo', 'ESCAPED']),
    },
    {
      name: 'a mount of the socket',
      needsWalls: true,
      run: () => run('/bin/mount', ['--bind', '/', '/tmp']).then((seen) => (seen === '' ? 'ESCAPED' : seen)),
    },
    {
      name: 'descriptors that the gateway would pass',
      needsWalls: true,
      run: (mark) => run('/usr/bin/perl', ['-e', PASS_DESCRIPTORS, String(modelPort), mark]),
    },
  ];
}

/** Sends a descriptor over the gateway's socket, and looks whether one comes back. */
const PASS_DESCRIPTORS = `
use Socket; my ($send, $receive) = ((uname())[4] // "") eq "aarch64" ? (211, 212) : (46, 47);
sub uname { require POSIX; POSIX::uname() }
exit unless -S "/run/ratchet/model.sock";
socket(S, AF_UNIX, SOCK_STREAM, 0) or exit; connect(S, sockaddr_un("/run/ratchet/model.sock")) or exit;
open(F, "<", "/etc/passwd") or exit;
my $data = "GET /v1/files/$ARGV[1] HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n"; my $control = pack("QllLx4", 20, 1, 1, fileno(F));
my $io = pack("PQ", $data, length $data); my $message = pack("QQPQPQlx4", 0, 0, $io, 1, $control, length $control, 0);
syscall($send, fileno(S), $message, 0);
my $back = "\\0" x 4096; my $controlBack = "\\0" x 256;
my $ioBack = pack("PQ", $back, length $back); my $messageBack = pack("QQPQPQlx4", 0, 0, $ioBack, 1, $controlBack, length $controlBack, 0);
$SIG{ALRM} = sub { exit }; alarm 2;
syscall($receive, fileno(S), $messageBack, 0);
my (undef, undef, undef, undef, undef, $got) = unpack("QQQQQQ", $messageBack);
print $back; print "ESCAPED with $got bytes" if $got > 0;
`;

function run(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, [...args], { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
}
