import { expect, it } from 'vitest';
import type { World } from '../../world/start-world.ts';
import { AT_ONCE, MANY_SLOTS, openStage } from '../support/e2e.ts';
import type { Ratchet } from '../support/ratchet-process.ts';
import {
  BROKEN_SUM,
  createCalculator,
  ownPushes,
  QUICK_POLICY,
  REPAIR,
  ratchetChecks,
  WRITER,
} from '../support/red-repository.ts';

/** Each owner has an installation, and so a pace of writes, of its own. */
const OWNERS = 20;
const EACH = 5;
/** Of the first owners, the first pull request has red CI, which a fixup repairs. */
const RED = 4;

interface Opened {
  readonly repo: string;
  readonly number: number;
  readonly branch: string;
  readonly isRed: boolean;
}

/** The same tenth of all deliveries in each run of this test. */
function createTenth(): () => boolean {
  let state = 20_261;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state < 2 ** 31 / 10;
  };
}

/** CI is the status of another system: nothing runs, and the test says what it finds. */
async function openPullRequests(world: World, owner: string, isFirstRed: boolean): Promise<readonly Opened[]> {
  await createCalculator(world, 'calculator', {
    owner,
    policy: QUICK_POLICY,
    files: { '.github/workflows/ci.yml': null },
  });
  const repo = `${owner}/calculator`;
  const opened: Opened[] = [];
  for (let nth = 0; nth < EACH; nth += 1) {
    const isRed = isFirstRed && nth === 0;
    const branch = `feature/${String(nth)}`;
    const files = isRed ? { 'sum.mjs': BROKEN_SUM } : { [`notes-${String(nth)}.txt`]: 'a note\n' };
    await world.commit({ repo, branch, from: 'main', files, message: 'Change it', login: WRITER });
    const number = await world.openPullRequest({ repo, head: branch, base: 'main', title: branch, login: WRITER });
    await world.setStatus({ repo, at: number, context: 'test', state: isRed ? 'failure' : 'success' });
    world.comment({ repo, number, login: WRITER, body: '/ratchet enable' });
    opened.push({ repo, number, branch, isRed });
  }
  return opened;
}

/** Waits until the log has told of a green check run of each. */
async function untilGreen(world: World, ratchet: Ratchet, opened: readonly Opened[]): Promise<void> {
  const keys = opened.map(async ({ repo, number }) => {
    const { repositoryId } = await world.pullRequest(repo, number);
    return `${String(repositoryId)}#${String(number)}`;
  });
  const waiting = new Set<unknown>(await Promise.all(keys));
  await ratchet.untilLog(
    (line) => {
      if (line.msg === 'check run updated' && line['conclusion'] === 'success') waiting.delete(line['key']);
      return waiting.size === 0;
    },
    `${String(opened.length)} pull requests to be green`,
  );
}

/** CI is green at what Ratchet pushes. */
async function turnGreenOnRepair(world: World, { repo, branch }: Opened): Promise<void> {
  await world.until(() => ownPushes(world, repo).length > 0, { what: `a repair of ${repo}` });
  const at = ownPushes(world, repo)[0]?.after ?? branch;
  await world.setStatus({ repo, at, context: 'test', state: 'success' });
}

it(
  'with a tenth of all deliveries lost, a hundred pull requests end as without (F17)',
  AT_ONCE,
  async ({ onTestFinished }) => {
    const stage = await openStage(onTestFinished);
    const { world } = stage;
    const env = { RATCHET_RECHECK_SECONDS: '8', LOG_LEVEL: 'info', RATCHET_EVALUATE_CONCURRENCY: '40', ...MANY_SLOTS };
    const ratchet = await stage.start({ script: { steps: [REPAIR] }, env });
    const isLost = createTenth();
    world.faults.dropDeliveries(isLost);

    const opened: Opened[] = [];
    const repaired: Promise<void>[] = [];
    for (let nth = 0; nth < OWNERS; nth += 1) {
      const more = await openPullRequests(world, `owner-${String(nth)}`, nth < RED);
      opened.push(...more);
      repaired.push(...more.filter(({ isRed }) => isRed).map((one) => turnGreenOnRepair(world, one)));
    }
    await Promise.all(repaired);
    await untilGreen(world, ratchet, opened);

    const lost = world.deliveries.filter(({ outcome }) => outcome === 'dropped');
    expect(lost.length).toBeGreaterThan(world.deliveries.length / 20);
    expect(lost.filter(({ event }) => event === 'issue_comment').length).toBeGreaterThan(3);
    expect(ratchet.lines.filter(({ msg }) => msg === 'command carried out')).toHaveLength(OWNERS * EACH);
    expect(opened.filter(({ isRed }) => isRed).map(({ repo }) => ownPushes(world, repo).length)).toEqual(
      Array(RED).fill(1),
    );
    expect(world.pushes.filter(({ login }) => login === world.botUser.login)).toHaveLength(RED);
    for (const one of opened) {
      expect((await ratchetChecks(world, one)).map(({ conclusion }) => conclusion)).toEqual(['success']);
      expect(world.comments(one.repo, one.number)).toHaveLength(1);
    }
    expect(world.violations).toEqual([]);
  },
);
