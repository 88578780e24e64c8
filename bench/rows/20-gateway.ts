import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { toCommand } from '../../src/pipeline/prepare/with-site.ts';
import { createSiteFixture, type SiteFixture } from '../../test/contract/site/site-fixture.ts';
import { type Child, startChild } from '../child.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

const DIRECT = 'the same program, connected to the model directly';

/** Row 20: the gateway to models, from inside the sandbox. */
export const gateway: Row = {
  number: 20,
  name: 'gateway to models',
  metrics: [
    {
      ...{ kind: 'added', name: 'a call, p50', ours: 'call-inside', targetMs: 2 },
      peer: { side: 'call-direct', name: DIRECT },
    },
    {
      ...{ kind: 'rate', name: 'slowest of 20 streams, 200 events a second each', ours: 'paced-inside', target: 0.95 },
      peer: { side: 'paced-direct', name: DIRECT },
    },
    { kind: 'duration', name: 'a MB, as fast as it goes', ours: 'fast-inside' },
    { kind: 'duration', name: 'a MB, as fast as it goes, direct', ours: 'fast-direct' },
    { kind: 'amount', name: 'memory of the process, 20 streaming sessions', ours: 'memory', unit: 'MiB' },
  ],
  open: openRow,
};

const GATEWAY = new URL('../programs/gateway.ts', import.meta.url);
const MODELS = new URL('../programs/models.ts', import.meta.url);
const CLIENT = join(import.meta.dirname, '../programs/model-client.ts');
const PORT = 4001;
/** Two sites of ten streams: a session has at most sixteen calls open. */
const SITES = 2;
const STREAMS_OF_SITE = 10;
const SESSIONS = 20;
const MEBIBYTE = 1024 * 1024;
const FAST_BYTES = 4000;
const FIRST_CHUNKS = 50;
const TIMEOUT_MS = 100_000;

const Sessions = z.array(z.object({ socketPath: z.string(), token: z.string() }));
const Called = z.object({ p50Ms: z.number() });
const Streamed = z.object({
  slowest: z.object({ ms: z.number(), events: z.number() }),
  ...{ bytes: z.number(), wallMs: z.number() },
});

interface Stage {
  readonly models: Child;
  readonly gateway: Child;
  readonly modelPort: number;
  readonly sessions: z.infer<typeof Sessions>;
  readonly fixture: SiteFixture;
  readonly calls: number;
}

async function openRow({ quick, diskDir }: RowContext): Promise<OpenRow> {
  const models = startChild(MODELS, {
    pacedEvents: quick ? 100 : 2_000,
    fastEvents: quick ? 500 : 10_000,
    fastBytes: FAST_BYTES,
  });
  const { port: modelPort = 0 } = await models.ask('port');
  const { gatewayChild, sessions } = await startGateway(diskDir, modelPort);
  const fixture = await createSiteFixture('bubblewrap');
  const stage: Stage = { models, gateway: gatewayChild, modelPort, sessions, fixture, calls: quick ? 50 : 1_000 };
  return {
    notes: [
      'ours: a program in the real sandbox, the bridge to the socket, the gateway as a process of its own, its ledger on the disk',
      `${String(SITES)} sandboxes with ${String(STREAMS_OF_SITE)} streams each; events of a paced stream carry 40 bytes of text`,
      'CPU: of the gateway alone; of direct: of the model',
    ],
    takeTurn: (index) => takeTurn(stage, index),
    explain: async () => [],
    close: async () => {
      await gatewayChild.stop();
      await models.stop();
      await fixture.remove();
    },
  };
}

async function startGateway(
  diskDir: string,
  modelPort: number,
): Promise<{ readonly gatewayChild: Child; readonly sessions: z.infer<typeof Sessions> }> {
  const folder = join(diskDir, `g${randomBytes(3).toString('hex')}`);
  mkdirSync(folder);
  for (const path of [join(diskDir, '..'), diskDir, folder]) chmodSync(path, 0o711);
  const [keyFile, sessionsFile] = [join(folder, 'key'), join(folder, 'sessions.json')];
  writeFileSync(keyFile, 'key-of-the-benchmark', { mode: 0o600 });
  const gatewayChild = startChild(
    GATEWAY,
    {
      ...{ url: `http://127.0.0.1:${String(modelPort)}`, database: join(folder, 'ratchet.db') },
      ...{ folder: join(folder, 's'), keyFile, sessionsFile, sessions: SESSIONS },
    },
    ['--expose-gc'],
  );
  await gatewayChild.ask('ready');
  return { gatewayChild, sessions: Sessions.parse(JSON.parse(readFileSync(sessionsFile, 'utf8'))) };
}

async function takeTurn(stage: Stage, index: number): Promise<Turn> {
  const turn: Record<string, Sample> = {};
  const sides = index % 2 === 0 ? (['inside', 'direct'] as const) : (['direct', 'inside'] as const);
  await stage.models.ask('atOnce');
  for (const side of sides) turn[`call-${side}`] = await takeCalls(stage, side);
  await stage.models.ask('paced');
  for (const side of sides) turn[`paced-${side}`] = await takePaced(stage, side);
  turn['memory'] = await takeMemory(stage);
  await stage.models.ask('fast');
  for (const side of sides) turn[`fast-${side}`] = await takeFast(stage, side);
  return turn;
}

type Side = 'inside' | 'direct';
type Work = { readonly calls: number; readonly streams: number };

async function takeCalls(stage: Stage, side: Side): Promise<Sample> {
  const child = side === 'inside' ? stage.gateway : stage.models;
  const { cpuUs: before = 0 } = await child.ask('cpu');
  const [text = ''] = await runClients(stage, side, { sites: 1, work: { calls: stage.calls, streams: 0 } });
  const { cpuUs: after = 0 } = await child.ask('cpu');
  return { wallMs: Called.parse(JSON.parse(text)).p50Ms, operations: 1, cpuUs: (after - before) / stage.calls };
}

async function takePaced(stage: Stage, side: Side): Promise<Sample> {
  const work = { calls: 0, streams: STREAMS_OF_SITE };
  const texts = await runClients(stage, side, { sites: SITES, work });
  const slowest = texts
    .map((text) => Streamed.parse(JSON.parse(text)).slowest)
    .toSorted((left, right) => left.events / left.ms - right.events / right.ms)[0];
  if (slowest === undefined) throw new NotMeasuredError('there was no stream');
  return { wallMs: slowest.ms, operations: slowest.events, cpuUs: null };
}

async function takeFast(stage: Stage, side: Side): Promise<Sample> {
  const child = side === 'inside' ? stage.gateway : stage.models;
  const { cpuUs: before = 0 } = await child.ask('cpu');
  const [text = ''] = await runClients(stage, side, { sites: 1, work: { calls: 0, streams: 1 } });
  const { cpuUs: after = 0 } = await child.ask('cpu');
  const { bytes, wallMs } = Streamed.parse(JSON.parse(text));
  return { wallMs, operations: bytes / MEBIBYTE, cpuUs: after - before };
}

/** The resident memory of the gateway's process while each session has a paced stream. */
async function takeMemory({ gateway: child, sessions }: Stage): Promise<Sample> {
  const streams = await Promise.all(sessions.map(openStream));
  const { bytes = 0 } = await child.ask('memory');
  for (const stream of streams) stream.destroy();
  return { wallMs: 0, operations: bytes / MEBIBYTE, cpuUs: null };
}

/** A stream of which the first chunks were read. */
async function openStream({ socketPath, token }: Stage['sessions'][number]): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'x-api-key': token };
  const sent = request({ socketPath, method: 'POST', path: '/v1/messages', headers, agent: false });
  const messages = [{ role: 'user', content: 'hello' }];
  sent.end(JSON.stringify({ model: 'model-1', max_tokens: 10_000_000, stream: true, messages }));
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  message.on('error', () => undefined);
  for (let chunks = 0; chunks < FIRST_CHUNKS; chunks += 1) await once(message, 'data');
  return message;
}

async function runClients(
  stage: Stage,
  side: Side,
  { sites, work }: { readonly sites: number; readonly work: Work },
): Promise<readonly string[]> {
  const each = Array.from({ length: sites }, (_, index) =>
    side === 'direct' ? runClient({ port: stage.modelPort, token: 'any' }, work) : runInside(stage, index, work),
  );
  return Promise.all(each);
}

type Address = { readonly port: number } | { readonly socketPath: string };

async function runClient(to: Address & { readonly token: string }, work: Work): Promise<string> {
  const argv = [CLIENT, JSON.stringify({ ...to, ...work })];
  return (await execa(process.execPath, argv, { timeout: TIMEOUT_MS })).stdout;
}

async function runInside({ fixture, sessions }: Stage, index: number, work: Work): Promise<string> {
  const session = sessions[index];
  if (session === undefined) throw new NotMeasuredError('there is no session');
  const relays = [{ name: 'model', socketPath: session.socketPath, port: PORT }] as const;
  const inputs = { 'model-client.ts': readFileSync(CLIENT, 'utf8') };
  const site = await fixture.open({ network: 'relays', relays, inputs });
  try {
    const { layout } = fixture.sites;
    const input = JSON.stringify({ port: PORT, token: session.token, ...work });
    const argv = [layout.nodePath, `${layout.inputs}/model-client.ts`, input];
    const command = toCommand({ argv, timeoutMs: TIMEOUT_MS, maxOutputBytes: MEBIBYTE });
    const outcome = await site.run({ ...command, network: 'relays' }, AbortSignal.timeout(TIMEOUT_MS));
    if (outcome.kind !== 'exited' || outcome.exitCode !== 0) {
      throw new NotMeasuredError(`the program in the sandbox failed: ${outcome.stderrTail}`);
    }
    return outcome.stdoutTail;
  } finally {
    await site.close();
  }
}
