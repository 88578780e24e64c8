import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import { readTopSelfTimes } from '../cpu-profile.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Turn } from '../row.ts';
import { postAll, type SignedDelivery, signDeliveries, type WatchedPullRequest } from '../webhook-load.ts';

/** Row 1: signed webhooks acknowledged per second, each stored durably before its answer. */
export const webhookAcks: Row = {
  number: 1,
  name: 'webhook acknowledgements',
  metrics: [
    {
      ...{ kind: 'rate', name: 'acknowledged webhooks', ours: 'ratchet', target: 0.6 },
      peer: { side: 'octokit', name: '@octokit/webhooks createNodeMiddleware, no-op handler' },
    },
    {
      ...{ kind: 'rate', name: 'acknowledged webhooks (runs of 100 ms)', ours: 'ratchet-100ms', target: 0.6 },
      peer: { side: 'octokit', name: '@octokit/webhooks createNodeMiddleware, no-op handler' },
    },
    { kind: 'duration', name: 'handlers drained after the last answer', ours: 'drain' },
  ],
  open: openRow,
};

const EDGE = new URL('../programs/ratchet-edge.ts', import.meta.url);
const PEER = new URL('../programs/octokit-middleware.ts', import.meta.url);
const PATH = '/api/github/webhooks';
const PROFILE_LINES = 15;
const DISK_WRITES = 200;

interface Load {
  readonly warmUp: readonly SignedDelivery[];
  readonly measured: readonly SignedDelivery[];
  readonly watched: WatchedPullRequest;
  readonly secret: string;
  readonly diskDir: string;
}

async function openRow(context: RowContext): Promise<OpenRow> {
  const counts = context.quick ? { warmUp: 100, measured: 500 } : { warmUp: 2_000, measured: 20_000 };
  const secret = 'the-secret-of-the-benchmark';
  const count = counts.warmUp + counts.measured;
  const { deliveries, watched } = signDeliveries({ count, secret, seed: 1 });
  const load: Load = {
    ...{ watched, secret, diskDir: context.diskDir },
    warmUp: deliveries.slice(0, counts.warmUp),
    measured: deliveries.slice(counts.warmUp),
  };
  return {
    notes: [
      `${counts.measured} deliveries of ${deliveries[0]?.body.length ?? 0} bytes, 50 connections, after ${counts.warmUp} to warm up`,
      'ratchet: edge, group commit (synchronous=FULL), Probot, embedded queue; log level info to /dev/null',
      'runs of the queue do nothing (the most claims that a webhook can cause), or last 100 ms (a quick answer of GitHub)',
      `the disk takes ${measureDisk(context.diskDir)} writes of 4 KiB with fdatasync a second, one after another`,
    ],
    takeTurn: async (index) => {
      let turn: Turn = {};
      const sides = index % 2 === 0 ? SIDES : SIDES.toReversed();
      for (const side of sides) turn = { ...turn, ...(await takeSide(load, side)).turn };
      return turn;
    },
    explain: () => explain(load),
    close: async () => undefined,
  };
}

const SIDES = ['ratchet', 'octokit', 'ratchet-100ms'] as const;
type Side = (typeof SIDES)[number];

/** Small durable writes per second: the limit for transactions one after another. */
function measureDisk(folder: string): number {
  const file = openSync(join(folder, 'fdatasync'), 'w');
  const block = Buffer.alloc(4096, 1);
  const startedAt = performance.now();
  for (let write = 0; write < DISK_WRITES; write += 1) {
    writeSync(file, block);
    fdatasyncSync(file);
  }
  closeSync(file);
  return Math.round(DISK_WRITES / ((performance.now() - startedAt) / 1000));
}

interface SideRun {
  readonly turn: Turn;
  /** Runs that the queue made for the measured deliveries. */
  readonly runs: number;
}

/** Measures one side in a new process, ours with a new database. */
async function takeSide(load: Load, side: Side, execArgv: readonly string[] = []): Promise<SideRun> {
  const child = startSide(load, side, execArgv);
  try {
    return await measureSide(child, side, load);
  } finally {
    await child.stop();
  }
}

function startSide({ secret, watched, diskDir }: Load, side: Side, execArgv: readonly string[]): Child {
  if (side === 'octokit') return startChild(PEER, { secret, path: PATH }, execArgv);
  const database = join(diskDir, `acks-${randomBytes(6).toString('hex')}.db`);
  const input = { secret, path: PATH, database, watched, runMs: side === 'ratchet' ? 0 : 100 };
  return startChild(EDGE, input, execArgv);
}

async function measureSide(child: Child, side: Side, { warmUp, measured }: Load): Promise<SideRun> {
  const { port = 0 } = await child.ask('port');
  const url = `http://127.0.0.1:${port}${PATH}`;
  await postAll(url, warmUp);
  const { runs: runsBefore = 0 } = await child.ask('drain');
  const { cpuUs: before = 0 } = await child.ask('cpu');
  const wallMs = await postAll(url, measured);
  const answeredAt = performance.now();
  const { handled = 0, runs = 0 } = await child.ask('drain');
  const drainMs = performance.now() - answeredAt;
  const { cpuUs: after = 0 } = await child.ask('cpu');
  const expected = warmUp.length + measured.length;
  // Each delivery woke its pull request: none was lost or taken for a duplicate.
  if (handled !== expected) throw new NotMeasuredError(`${side} handled ${handled} of ${expected} deliveries`);
  const sample = { wallMs, operations: measured.length, cpuUs: after - before };
  const drain = { wallMs: drainMs, operations: 1, cpuUs: null };
  return { turn: side === 'ratchet' ? { ratchet: sample, drain } : { [side]: sample }, runs: runs - runsBefore };
}

/** Runs our side once more with the profiler, not counted. */
async function explain(load: Load): Promise<readonly string[]> {
  const folder = join(load.diskDir, 'profile');
  mkdirSync(folder, { recursive: true });
  const { runs } = await takeSide(load, 'ratchet', ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
  return [
    `${runs} runs of the queue for ${load.measured.length} deliveries, each with two more durable transactions`,
    ...['self time of our process (waiting for the disk included):', ...readTopSelfTimes(folder, PROFILE_LINES)],
  ];
}
