import net from 'node:net';

/**
 * No test leaves this machine: a connection to any host but this one fails at once, whoever asks for it (`fetch`,
 * `node:http`, `node:tls` and database drivers all end in `Socket.connect`).
 */

const connect: unknown = Reflect.get(net.Socket.prototype, 'connect');

/** The host that a call of `Socket.connect` asks for; null for a path in the file system and for the default, this machine. */
export function hostOf(args: readonly unknown[]): string | null {
  // Node passes its own normalised `[options, callback]` array as the one argument.
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'object' && first !== null) {
    const host: unknown = Reflect.get(first, 'host');
    const path: unknown = Reflect.get(first, 'path');
    return typeof host === 'string' && typeof path !== 'string' ? host : null;
  }
  return typeof first === 'number' && typeof args[1] === 'string' ? args[1] : null;
}

/** Whether `host` is this machine: `localhost`, 127.0.0.0/8, ::1 or the unspecified address. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|::1?|\[::1?\])$/i.test(host);
}

function guardedConnect(this: net.Socket, ...args: unknown[]): net.Socket {
  const host = hostOf(args);
  if (host !== null && !isLoopback(host)) {
    const error = new Error(`a test tried to connect to ${host}: tests must not leave this machine`);
    queueMicrotask(() => this.destroy(error));
    return this;
  }
  if (typeof connect !== 'function') throw new TypeError('Socket.connect is no function');
  Reflect.apply(connect, this, args);
  return this;
}

// At import, before the test file itself is loaded: a library that answers in place of the network (nock) patches the same
// method on its own import and must stand above this guard. A worker that runs several files is guarded once, below it.
const GUARDED = Symbol.for('ratchet.network-guard');
if (!Reflect.has(net.Socket.prototype, GUARDED)) {
  Reflect.set(net.Socket.prototype, GUARDED, true);
  Reflect.set(net.Socket.prototype, 'connect', guardedConnect);
}
