import { setTimeout as sleep } from 'node:timers/promises';
import { type AppStage, startApp, toApiCalls } from '../app-stage.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Turn } from '../row.ts';

/** Row 6: reads of GitHub that a storm of events about one pull request causes. */
export const eventStorm: Row = {
  number: 6,
  name: 'coalescing of events',
  metrics: [
    {
      ...{ kind: 'count', name: 'reads of GitHub / check_run events', ours: 'reads', target: 0.03, unit: 'calls' },
      peer: { side: 'events', name: 'one read an event' },
    },
    {
      ...{ kind: 'count', name: 'all API calls / check_run events', ours: 'calls', target: 0.06, unit: 'calls' },
      peer: { side: 'events', name: 'one call an event' },
    },
    { kind: 'duration', name: 'last event to the check run that it makes green', ours: 'last' },
  ],
  countedTurns: 3,
  open: openRow,
};

const REPO = 'acme/widget';
const PERSON = 'maintainer';
const SHARDS = 10;
const LAST_TIMEOUT_MS = 30_000;
/** A storm that takes longer than this factor would allow more looks for the same number of events. */
const MAX_STRETCH = 1.25;
const POLICY = 'ci:\n  settleSeconds: 1\nvalidate:\n  - "true"\n';

/** How many events, over how long. */
interface Storm {
  readonly events: number;
  readonly forMs: number;
}

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const stage = await startApp({ steps: [] });
  const storm = quick ? { events: 200, forMs: 12_000 } : { events: 1_000, forMs: 60_000 };
  await stage.world.createRepository({
    owner: 'acme',
    name: 'widget',
    files: { 'README.md': '# widget\n', '.github/ratchet.yml': POLICY },
  });
  stage.world.installApp(REPO);
  stage.world.createUser(PERSON);
  stage.world.setPermission(REPO, PERSON, 'write');
  return {
    notes: [
      `${storm.events} check_run events of another App, and one more, over ${storm.forMs / 1000} s, evenly, ten jobs that start and end again and again`,
      'the App is a process of its own with its defaults; it goes on reading while the events come: nothing is compressed',
      'the very last event makes CI green: a turn fails unless that is seen without a timed look',
    ],
    takeTurn: async (index) => takeTurn(stage, storm, index),
    explain: async () => [],
    close: stage.close,
  };
}

async function takeTurn(stage: AppStage, storm: Storm, index: number): Promise<Turn> {
  const { world } = stage;
  const number = await enablePullRequest(stage, `storm-${index}`);
  world.calls.reset();
  const deliveriesBefore = world.deliveries.length;
  const startedAt = performance.now();
  await sendStorm(stage, number, storm);
  const stormMs = performance.now() - startedAt;
  if (stormMs > storm.forMs * MAX_STRETCH) {
    throw new NotMeasuredError(
      `the events took ${Math.round(stormMs / 1000)} s: the machine is too busy to send them in time`,
    );
  }
  const lastAt = performance.now();
  await world.setCheck({ repo: REPO, at: number, name: 'gate', conclusion: 'success' });
  await untilGreen(stage, number);
  const lastMs = performance.now() - lastAt;
  const { reads, writes } = toApiCalls(world.calls.read());
  const events = world.deliveries.slice(deliveriesBefore).filter(({ event }) => event === 'check_run').length;
  await world.closePullRequest({ repo: REPO, number, login: PERSON });
  return {
    reads: { wallMs: stormMs, operations: reads, cpuUs: null },
    calls: { wallMs: stormMs, operations: reads + writes, cpuUs: null },
    events: { wallMs: stormMs, operations: events, cpuUs: null },
    last: { wallMs: lastMs, operations: 1, cpuUs: null },
  };
}

/** Opens a pull request with a running check `gate`, and waits until Ratchet waits for CI. */
async function enablePullRequest({ world, ratchet }: AppStage, branch: string): Promise<number> {
  await world.commit({ repo: REPO, branch, from: 'main', files: { 'a.txt': branch }, login: PERSON });
  const number = await world.openPullRequest({ repo: REPO, head: branch, login: PERSON, title: branch });
  await world.setCheck({ repo: REPO, at: number, name: 'gate', conclusion: null });
  world.comment({ repo: REPO, number, login: PERSON, body: '/ratchet enable' });
  const headSha = await world.headSha(REPO, number);
  await ratchet.untilLog(
    (line) => line.msg === 'action determined' && line['headSha'] === headSha && line['code'] === 'CI_RUNNING',
    'Ratchet to wait for CI',
  );
  return number;
}

/**
 * Starts all jobs one after the other, and completes them in the next round. `events` is a multiple of two rounds, so
 * all jobs end. Each event is sent at its own time, independent of the duration of earlier ones.
 */
async function sendStorm({ world }: AppStage, number: number, { events, forMs }: Storm): Promise<void> {
  const startedAt = performance.now();
  for (let event = 0; event < events; event += 1) {
    const dueInMs = startedAt + (event * forMs) / events - performance.now();
    if (dueInMs > 1) await sleep(dueInMs);
    const isStart = Math.floor(event / SHARDS) % 2 === 0;
    await world.setCheck({
      repo: REPO,
      at: number,
      name: `shard ${event % SHARDS}`,
      conclusion: isStart ? null : 'success',
    });
  }
}

async function untilGreen({ world }: AppStage, number: number): Promise<void> {
  await world.until(
    async () =>
      (await world.checkRuns(REPO, number, { name: 'Ratchet' })).some(({ conclusion }) => conclusion === 'success'),
    { what: 'Ratchet to see the last event', timeoutMs: LAST_TIMEOUT_MS },
  );
  if (world.violations.length > 0)
    throw new NotMeasuredError(`the local GitHub complains: ${world.violations[0] ?? ''}`);
}
