import { Agent, type IncomingMessage, request } from 'node:http';
import { argv, stdout } from 'node:process';

/**
 * The agent of row 20, inside the sandbox and outside. Makes calls one after the other, or reads streams side by side. Node's own
 * modules only.
 *
 *   node model-client.ts '{"port":…,"token":…,"calls":…,"streams":…}'
 */

interface Input {
  /** A port of 127.0.0.1, or the path of a socket. */
  readonly port?: number;
  readonly socketPath?: string;
  readonly token: string;
  /** Calls one after the other, or streams side by side; the other one is 0. */
  readonly calls: number;
  readonly streams: number;
}

// oxlint-disable-next-line ours/banned-syntax -- From the row that starts this program, which has no library in the sandbox.
const { port, socketPath, token, calls, streams } = JSON.parse(argv[2] ?? '') as Input;
const agent = new Agent({ keepAlive: true });

function send(isStream: boolean): Promise<IncomingMessage> {
  const messages = [{ role: 'user', content: 'a'.repeat(2000) }];
  const body = JSON.stringify({ model: 'model-1', max_tokens: 10_000_000, stream: isStream, messages });
  return new Promise((resolve, reject) => {
    const to = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
    const headers = { 'content-type': 'application/json', 'x-api-key': token, 'anthropic-version': '2023-06-01' };
    const sent = request({ ...to, method: 'POST', path: '/v1/messages', headers, agent }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

async function read(message: IncomingMessage): Promise<{ readonly events: number; readonly bytes: number }> {
  if (message.statusCode !== 200) throw new Error(`the model answered ${String(message.statusCode)}`);
  let events = 0;
  let bytes = 0;
  for await (const chunk of message) {
    const text = String(chunk);
    bytes += text.length;
    events += text.split('data: ').length - 1;
  }
  return { events, bytes };
}

async function timeCall(): Promise<number> {
  const begun = performance.now();
  await read(await send(false));
  return performance.now() - begun;
}

async function timeStream(): Promise<{ readonly ms: number; readonly events: number; readonly bytes: number }> {
  const message = await send(true);
  const begun = performance.now();
  const got = await read(message);
  return { ...got, ms: performance.now() - begun };
}

if (calls > 0) {
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await timeCall();
  const times: number[] = [];
  for (let nth = 0; nth < calls; nth += 1) times.push(await timeCall());
  times.sort((left, right) => left - right);
  stdout.write(JSON.stringify({ p50Ms: times[times.length >> 1] }));
} else {
  const begun = performance.now();
  const ended = await Promise.all(Array.from({ length: streams }, timeStream));
  const slowest = ended.toSorted((left, right) => left.events / left.ms - right.events / right.ms)[0];
  const bytes = ended.reduce((sum, stream) => sum + stream.bytes, 0);
  stdout.write(JSON.stringify({ slowest, bytes, wallMs: performance.now() - begun }));
}
agent.destroy();
