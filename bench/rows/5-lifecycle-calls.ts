import { FULL } from '../../demo/scenarios/full.ts';
import { MAINTAINER, REPOSITORY } from '../../demo/scenarios/scenario.ts';
import { type ApiCalls, type AppStage, renderOperations, startApp, toApiCalls } from '../app-stage.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, Sample, Turn } from '../row.ts';

/** Row 5: GitHub API calls over the life of a pull request, against a polling loop. */
export const lifecycleCalls: Row = {
  number: 5,
  name: 'calls of a whole life',
  metrics: [
    {
      ...{ kind: 'count', name: 'reads / decisions', ours: 'reads', target: 3, unit: 'calls' },
      peer: { side: 'decisions', name: 'one read a decision' },
    },
    {
      ...{ kind: 'count', name: 'reads of the pull request / decisions', ours: 'pull-reads', target: 1, unit: 'calls' },
      peer: { side: 'decisions', name: 'one read a decision' },
    },
    {
      ...{ kind: 'count', name: 'calls without timed looks / polling', ours: 'calls', target: 0.02, unit: 'calls' },
      peer: { side: 'polling', name: 'three calls every 2 min' },
    },
    {
      ...{
        kind: 'count',
        name: 'calls with timed looks / polling',
        ours: 'calls-and-timed',
        target: 0.035,
        unit: 'calls',
      },
      peer: { side: 'polling', name: 'three calls every 2 min' },
    },
    {
      ...{ kind: 'count', name: 'GraphQL points / reads', ours: 'points', target: 1, unit: 'points' },
      peer: { side: 'reads', name: 'one point a read' },
    },
    {
      ...{ kind: 'count', name: 'writes / pushes', ours: 'writes', target: 6, unit: 'calls' },
      peer: { side: 'pushes', name: 'commits that Ratchet pushed' },
    },
  ],
  countedTurns: 3,
  open: openRow,
};

/** Real durations of the phases of a pull request, and whether Ratchet rests meanwhile. */
const HOURS = [
  { what: 'CI of the head that was opened', minutes: 15, isAtRest: false },
  { what: 'three fixups of ten minutes', minutes: 30, isAtRest: false },
  { what: 'CI after each of them', minutes: 45, isAtRest: false },
  { what: 'green, till somebody merges it', minutes: 22 * 60, isAtRest: true },
] as const;
/** The App's defaults: a timed look every five minutes, and every ninety at rest. */
const TIMED_LOOK_MINUTES = { underWay: 5, atRest: 90 } as const;
const POLL_MINUTES = 2;
const CALLS_PER_POLL = 3;
const GREEN_TIMEOUT_MS = 120_000;

async function openRow(): Promise<OpenRow> {
  const operationTexts: string[] = [];
  return {
    notes: [
      'counted at the local GitHub: opened with a conflict, red CI and a review comment; enabled; three fixups; green; merged',
      `the peer polls over the ${toMinutes() / 60} hours that this takes elsewhere (${HOURS.map(({ what, minutes }) => `${what}: ${minutes} min`).join('; ')})`,
      'git’s own traffic and the minting of tokens are not counted; timed looks that fall into those hours are added by the intervals',
    ],
    takeTurn: async () => {
      const { turn, operations } = await playLife();
      operationTexts.push(operations);
      return turn;
    },
    explain: async () => operationTexts.slice(-1),
    close: async () => undefined,
  };
}

/** Plays one life on a new GitHub with a new App. */
async function playLife(): Promise<{ readonly turn: Turn; readonly operations: string }> {
  const stage = await startApp(FULL.agentScript);
  try {
    const number = await FULL.openPullRequest(stage.world);
    await stage.world.settled();
    stage.world.calls.reset();
    const startedAt = performance.now();
    await play(stage, number);
    const counts = stage.world.calls.read();
    const calls = toApiCalls(counts);
    const decisions = stage.ratchet.lines.filter(({ msg }) => msg === 'action determined').length;
    const pushes = stage.world.pushes.filter(({ login }) => login === stage.world.botUser.login).length;
    const wallMs = performance.now() - startedAt;
    const pullReads = counts.byOperation.get('graphql PullRequest')?.calls ?? 0;
    return { turn: toTurn({ calls, pullReads, decisions, pushes, wallMs }), operations: renderOperations(counts) };
  } finally {
    await stage.close();
  }
}

/** From the enable command to the merge. */
async function play({ world, ratchet }: AppStage, number: number): Promise<void> {
  world.comment({ repo: REPOSITORY, number, login: MAINTAINER, body: '/ratchet enable' });
  await world.until(
    async () =>
      (await world.checkRuns(REPOSITORY, number, { name: 'Ratchet' })).some(
        ({ conclusion }) => conclusion === 'success',
      ),
    { what: 'green', timeoutMs: GREEN_TIMEOUT_MS },
  );
  await world.merge({ repo: REPOSITORY, number, login: MAINTAINER });
  await ratchet.untilLog(
    ({ msg, ...line }) => msg === 'action determined' && line['code'] === 'PR_NOT_OPEN',
    'Ratchet to see the merge',
  );
  await world.settled();
  if (world.violations.length > 0)
    throw new NotMeasuredError(`the local GitHub complains: ${world.violations[0] ?? ''}`);
}

function toTurn(life: {
  readonly calls: ApiCalls;
  readonly pullReads: number;
  readonly decisions: number;
  readonly pushes: number;
  readonly wallMs: number;
}): Turn {
  const { reads, writes, points } = life.calls;
  const count = (operations: number): Sample => ({ wallMs: life.wallMs, operations, cpuUs: null });
  return {
    reads: count(reads),
    'pull-reads': count(life.pullReads),
    writes: count(writes),
    points: count(points),
    calls: count(reads + writes),
    'calls-and-timed': count(reads + writes + countTimedLooks()),
    decisions: count(life.decisions),
    pushes: count(life.pushes),
    polling: count((toMinutes() / POLL_MINUTES) * CALLS_PER_POLL),
  };
}

function toMinutes(): number {
  return HOURS.reduce((sum, { minutes }) => sum + minutes, 0);
}

/** An upper limit, because each event delays the next timed look. Looks at rest come at fixed instants: one more may fit. */
function countTimedLooks(): number {
  const { atRest, underWay } = TIMED_LOOK_MINUTES;
  return HOURS.reduce(
    (sum, { minutes, isAtRest }) => sum + (isAtRest ? Math.ceil(minutes / atRest) : Math.floor(minutes / underWay)),
    0,
  );
}
