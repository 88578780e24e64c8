import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** A redis-server of the test's own, on a loopback port of its own, that keeps nothing on disk. */
export interface TestRedis {
  readonly url: string;
  /** Kills the server as a power cut would; what it held is gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, empty. */
  readonly restart: () => Promise<void>;
  readonly flushAll: () => Promise<void>;
  /** Freezes or thaws the server: connections stay open, nothing is answered. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Stops the server and removes its folder. */
  readonly stop: () => Promise<void>;
}

const startTimeoutMs = 5_000;

/** @throws when redis-server is not installed or does not start: these tests are never skipped. */
export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-redis-'));
  const port = await findFreePort();
  let server = await launch(port, folder);

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${String(port)}/0`,
    kill,
    restart: async () => {
      await kill();
      server = await launch(port, folder);
    },
    flushAll: async () => {
      const client = new Redis(port, '127.0.0.1');
      await client.flushall();
      client.disconnect();
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const failed = once(server, 'error').then(([cause]) => {
    throw new Error('redis-server cannot be started: install Redis 7 to run the contract tests of the queue', {
      cause,
    });
  });
  await Promise.race([failed, waitForPort(port, Date.now() + startTimeoutMs)]);
  return server;
}

async function waitForPort(port: number, deadline: number): Promise<void> {
  while (Date.now() < deadline) {
    if (await answers(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`redis-server does not answer on port ${String(port)}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const answered = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return answered;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port on loopback');
  return address.port;
}
