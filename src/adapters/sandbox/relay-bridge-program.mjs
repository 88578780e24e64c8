// Leads ports of 127.0.0.1 to Unix sockets while it runs a command. The command's exit code becomes its own, and the command has
// its stdin, stdout and stderr.
//
//   node relay-bridge-program.mjs PORT=SOCKET… -- COMMAND ARGUMENT…
//
// Prints one line to descriptor 4 if the command cannot be started; the command does not get that descriptor.
//
// One file, Node's own modules only: it runs inside the sandbox. It can do nothing that the command cannot do itself: the sockets
// are visible to both, and both have the same user and limits.

import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const REPORT_FD = 4;
/** Of one relay. Further connections are closed at once. */
const MAX_CONNECTIONS = 128;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'];

// The global `process`: an import of `node:process` would open stdin, which belongs to the command.
const args = process.argv.slice(2);
const cut = args.indexOf('--');
await Promise.all(args.slice(0, cut).map(openRelay));
runCommand(args.slice(cut + 1));

function openRelay(relay) {
  const [port, path] = relay.split(/=(.*)/s);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => join(inner, path));
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', resolve);
  });
}

/** Each direction ends by itself. An error of one side resets the other one: what was cut must not look complete. */
function join(inner, path) {
  const outer = connect({ path, allowHalfOpen: true });
  const cutOff = () => {
    outer.destroy();
    inner.resetAndDestroy();
  };
  inner.on('error', cutOff);
  outer.on('error', cutOff);
  // Closed without an end: the peer is gone, although no error was reported.
  inner.on('close', () => outer.destroy());
  outer.on('close', () => outer.readableEnded || cutOff());
  inner.pipe(outer);
  outer.pipe(inner);
}

function runCommand([file, ...rest]) {
  const child = spawn(file, rest, { stdio: 'inherit' });
  for (const name of FORWARDED) process.on(name, () => child.kill(name));
  child.once('error', (error) => {
    writeSync(REPORT_FD, `${error.code ?? error.message}\n`);
    process.exit(127);
  });
  // As a shell reports it, and bubblewrap does.
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
