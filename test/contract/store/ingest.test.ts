import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckRuns } from '../../../src/adapters/store/check-runs.ts';
import { createCommands } from '../../../src/adapters/store/commands.ts';
import { createDeliveries } from '../../../src/adapters/store/deliveries.ts';
import { ingestDeliveries } from '../../../src/adapters/store/ingest.ts';
import { openDatabase } from '../../../src/adapters/store/open-database.ts';
import { createRepositories } from '../../../src/adapters/store/repositories.ts';
import { createWakeups } from '../../../src/adapters/store/wakeups.ts';
import { createWorkspaces } from '../../../src/adapters/store/workspaces.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { parseDeliveryId, parsePullRequestKey, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { Delivery, Store } from '../../../src/ports/store.ts';
import {
  aDelivery,
  aRepository,
  fakeSha,
  memoryStore,
  NOTHING_OLD,
  pullRequestChanged,
  recordingLog,
} from '../../support/store.ts';

const queue = 'evaluate';
const key = parsePullRequestKey('100#7');
const comment = { kind: 'issue_comment', id: 55, body: '/ratchet enable' } as const;
const author = { id: 9, login: 'ann', kind: 'user' } as const;
const commentCreated: Event = { kind: 'comment_created', repository: aRepository(), number: 7, comment, author };

let store: Store;
beforeEach(() => {
  store = memoryStore();
});
afterEach(() => store.close());

function due(): readonly string[] {
  return store.dueWakeups(queue, Number.MAX_SAFE_INTEGER, 100);
}

/** Runs every due key once, so that only what happens later is due. */
function drain(): void {
  for (const dueKey of due()) {
    const leaseId = store.claimWakeup(queue, dueKey, 1, 1_000);
    if (leaseId !== null) store.finishWakeup(queue, dueKey, leaseId, null);
  }
}

describe('ingest', () => {
  it('stores the delivery, the repository, the workspace and the wake-up of a new pull request', () => {
    const outcomes = store.ingest([aDelivery('a', pullRequestChanged())]);

    expect(outcomes).toEqual([{ kind: 'accepted', wakes: [key], sweeps: [] }]);
    expect(store.repository(100)).toEqual({ ...aRepository(), active: true });
    expect(store.workspace(key)).toMatchObject({ enablement: 'never', headRef: 'feature', baseRef: 'main' });
    expect(due()).toEqual([key]);
  });

  it('keeps the head of an event as a hint only', () => {
    store.ingest([aDelivery('a', pullRequestChanged())]);

    expect(store.workspace(key)).toMatchObject({ seenHeadSha: null, lastPushSha: null });
  });

  it.each([
    { what: 'the same GUID', twin: aDelivery('a', pullRequestChanged(), { bodyHash: 'f'.repeat(64) }) },
    {
      what: 'the same body under another GUID and event name',
      twin: aDelivery('a', commentCreated, {
        id: parseDeliveryId('00000000-0000-0000-0000-000000000001'),
        eventName: 'issue_comment',
        commands: [{ name: 'enable', args: [] }],
      }),
    },
  ])('takes $what for a repetition, which changes nothing (trap 41)', ({ twin }) => {
    store.ingest([aDelivery('a', pullRequestChanged())]);
    drain();

    expect(store.ingest([twin])).toEqual([{ kind: 'duplicate' }]);
    expect(due()).toEqual([]);
    expect(store.pendingCommands(key)).toEqual([]);
  });

  it('stores an event that Ratchet does not use, so that its repetition is known', () => {
    expect(store.ingest([aDelivery('a', null), aDelivery('a', null)])).toEqual([
      { kind: 'ignored' },
      { kind: 'duplicate' },
    ]);
    expect(due()).toEqual([]);
  });

  it('follows a rename of the repository', () => {
    store.ingest([aDelivery('a', pullRequestChanged())]);
    store.ingest([aDelivery('b', pullRequestChanged({ repository: aRepository({ owner: 'new', name: 'lib' }) }))]);

    expect(store.workspace(key)?.repository).toEqual(aRepository({ owner: 'new', name: 'lib' }));
  });

  it('stores the commands of a comment in their order, with their author', () => {
    const commands = [
      { name: 'enable', args: [] },
      { name: 'unknown', written: 'enabel', nearest: 'enable' },
    ] as const;

    store.ingest([aDelivery('a', commentCreated, { commands, receivedAt: 5 })]);

    expect(store.pendingCommands(key)).toMatchObject([
      { command: commands[0], author, comment: { kind: 'issue_comment', id: 55 }, receivedAt: 5 },
      { command: commands[1] },
    ]);
  });

  it('does not lose the others to a delivery that cannot be stored, and takes its redelivery again', () => {
    const { log, lines } = recordingLog();
    store.close();
    store = memoryStore({ log });
    const bad = aDelivery('bad', pullRequestChanged({ number: 0 }));

    const outcomes = store.ingest([aDelivery('a', pullRequestChanged()), bad, aDelivery('c', commentCreated)]);

    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'ignored', 'accepted']);
    expect(lines).toMatchObject([{ level: 'error', fields: { deliveryId: bad.id } }]);
    const mended = { ...bad, event: pullRequestChanged({ number: 8 }) };
    expect(store.ingest([mended])).toEqual([{ kind: 'accepted', wakes: ['100#8'], sweeps: [] }]);
  });

  it('rolls the whole batch back when the database itself fails, so that nothing of it is acknowledged', () => {
    const { db, close } = openDatabase({ path: ':memory:', migrationsDir: null, log: null });
    const deliveries = createDeliveries(db);
    const workspaces = createWorkspaces(db);
    const wakeups = createWakeups(db, { now: () => 1, newLeaseId: () => 'lease' });
    const addDelivery = (delivery: Delivery): boolean => {
      if (delivery.action === 'full') throw Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' });
      return deliveries.addDelivery(delivery);
    };
    const checkRuns = createCheckRuns(db);
    const writers = {
      repositories: createRepositories(db),
      workspaces,
      commands: createCommands(db),
      wakeups,
      checkRuns,
    };
    const deps = { ...writers, db, deliveries: { ...deliveries, addDelivery }, log: null };
    const good = aDelivery('a', pullRequestChanged());

    const ingestBoth = (): unknown => ingestDeliveries(deps, [good, aDelivery('b', null, { action: 'full' })]);

    expect(ingestBoth).toThrow('disk is full');
    expect(workspaces.workspace(key)).toBeNull();
    expect(wakeups.dueWakeups(queue, 1e15, 10)).toEqual([]);
    expect(ingestDeliveries(deps, [good])).toEqual([{ kind: 'accepted', wakes: [key], sweeps: [] }]);
    close();
  });

  it('ends in the same state for every order and repetition of the same deliveries (traps 10 and 41)', () => {
    const deliveries: readonly Delivery[] = [
      aDelivery('a', pullRequestChanged()),
      aDelivery('b', commentCreated, { commands: [{ name: 'enable', args: [] }] }),
      aDelivery('c', { kind: 'review_changed', repository: aRepository(), number: 8 }),
      aDelivery('d', null),
    ];
    const orders = fc
      .array(fc.nat(deliveries.length - 1), { maxLength: 12 })
      .chain((extra) => fc.shuffledSubarray([0, 1, 2, 3, ...extra], { minLength: 4 + extra.length }));

    fc.assert(
      fc.property(orders, fc.integer({ min: 1, max: 5 }), (order, batchSize) => {
        const one = memoryStore();
        const batch = order.flatMap((index) => deliveries[index] ?? []);
        const outcomes = Array.from({ length: Math.ceil(batch.length / batchSize) }, (_, nth) =>
          one.ingest(batch.slice(nth * batchSize, (nth + 1) * batchSize)),
        ).flat();

        expect(outcomes.filter(({ kind }) => kind !== 'duplicate')).toHaveLength(deliveries.length);
        expect(one.pendingCommands(key)).toHaveLength(1);
        expect(one.workspace(key)).toMatchObject({ headRef: 'feature', baseRef: 'main' });
        expect([...one.dueWakeups(queue, 1e15, 10)].toSorted()).toEqual(['100#7', '100#8']);
        one.close();
      }),
      { numRuns: 50 },
    );
  });

  it('prunes the deliveries received before an instant, and only those', () => {
    const event = pullRequestChanged();
    const old = aDelivery('old', event, { receivedAt: 99 });
    const young = aDelivery('young', event, { receivedAt: 100 });
    store.ingest([old, young]);

    expect(store.prune({ ...NOTHING_OLD, deliveries: 100 }, 9)).toBe(1);
    expect(store.ingest([old, young]).map(({ kind }) => kind)).toEqual(['accepted', 'duplicate']);
  });
});

describe('the wake-ups of an event', () => {
  const other = parsePullRequestKey('100#8');
  const foreign = parsePullRequestKey('200#7');
  const repository = aRepository();

  beforeEach(() => {
    store.ingest([
      aDelivery('1', pullRequestChanged()),
      aDelivery('2', pullRequestChanged({ number: 8, headSha: fakeSha('other'), headRef: 'other', baseRef: 'next' })),
      aDelivery('3', pullRequestChanged({ repository: aRepository({ repositoryId: 200, name: 'fork' }) })),
    ]);
    drain();
  });

  it.each<{ what: string; event: Event; wakes: readonly string[] }>([
    { what: 'a changed pull request', event: pullRequestChanged(), wakes: [key] },
    { what: 'a comment', event: commentCreated, wakes: [key] },
    { what: 'a review', event: { kind: 'review_changed', repository, number: 8 }, wakes: [other] },
    { what: 'a review of an unknown one', event: { kind: 'review_changed', repository, number: 9 }, wakes: ['100#9'] },
    {
      what: 'CI at a head that only a webhook named (trap 39)',
      event: { kind: 'ci_changed', repository, headSha: fakeSha('head'), headRef: null },
      wakes: [key],
    },
    {
      what: 'CI at an unknown commit of a known branch',
      event: { kind: 'ci_changed', repository, headSha: fakeSha('newer'), headRef: 'other' },
      wakes: [other],
    },
    {
      what: 'CI at one head and the branch of another (trap 69)',
      event: { kind: 'ci_changed', repository, headSha: fakeSha('head'), headRef: 'other' },
      wakes: [key, other],
    },
    {
      what: 'CI at a base branch',
      event: { kind: 'ci_changed', repository, headSha: fakeSha('newer'), headRef: 'main' },
      wakes: [],
    },
    {
      what: 'a re-run',
      event: {
        ...{ kind: 'rerun_requested', repository, headSha: fakeSha('other'), headRef: null },
        ...{ checkRunId: 9, author: { id: 9, login: 'ann', kind: 'user' } },
      },
      wakes: [other],
    },
    {
      what: 'a push to a head branch',
      event: { kind: 'branch_pushed', repository, branch: 'feature', headSha: fakeSha('x') },
      wakes: [key],
    },
    {
      what: 'a push to a base branch of what nobody has enabled',
      event: { kind: 'branch_pushed', repository, branch: 'next', headSha: fakeSha('x') },
      wakes: [],
    },
    {
      what: 'a label',
      event: {
        ...{ kind: 'label_changed', repository, number: 8, headSha: fakeSha('x'), headRef: 'other', baseRef: 'next' },
        ...{ label: 'ratchet', change: 'added', author: { id: 9, login: 'ann', kind: 'user' } },
      },
      wakes: [other],
    },
    {
      what: 'a push to another branch',
      event: { kind: 'branch_pushed', repository, branch: 'none', headSha: fakeSha('x') },
      wakes: [],
    },
    {
      what: 'another repository with the same branch (traps 130 and 147)',
      event: {
        kind: 'branch_pushed',
        repository: aRepository({ repositoryId: 300 }),
        branch: 'main',
        headSha: fakeSha('x'),
      },
      wakes: [],
    },
  ])('of $what go to the pull requests it concerns and to no other', ({ event, wakes }) => {
    const [outcome] = store.ingest([aDelivery('event', event)]);

    expect(outcome).toEqual(wakes.length === 0 ? { kind: 'ignored' } : { kind: 'accepted', wakes, sweeps: [] });
    expect(due()).toEqual(wakes);
    expect(due()).not.toContain(foreign);
  });

  it('of a push that changes the policy of a base wake what nobody enabled there, one after the other', () => {
    const push = { kind: 'branch_pushed', repository, branch: 'next', headSha: fakeSha('x') } as const;
    const opened = { repository, headSha: fakeSha('nine'), headRef: 'nine', baseRef: 'next' } as const;
    store.ingest([aDelivery('nine', { kind: 'pull_request_changed', ...opened, number: 9 })]);
    const nine = toPullRequestKey(repository.repositoryId, 9);
    drain();
    store.settleHint(nine, fakeSha('before nine'));
    expect(store.openHint(nine)).toBe(fakeSha('nine'));
    store.settleHint(nine, fakeSha('nine'));
    expect(store.openHint(nine)).toBeNull();
    const delivery = aDelivery('policy', { ...push, changesPolicy: true });

    expect(store.ingest([aDelivery('plain', push)])).toEqual([{ kind: 'ignored' }]);
    expect(store.ingest([delivery])).toEqual([{ kind: 'accepted', wakes: [], sweeps: [] }]);
    expect(store.dueWakeups('evaluate', delivery.receivedAt + 2_999, 10)).toEqual([nine]);
    expect(store.dueWakeups('evaluate', delivery.receivedAt + 3_000, 10).toSorted()).toEqual([other, nine].toSorted());
    expect(store.openHint(nine)).toBe(fakeSha('nine'));

    store.updateWorkspace(other, { enablement: 'disabled' });
    store.updateWorkspace(nine, { enablement: 'enabled' });
    expect(store.ingest([{ ...delivery, ...aDelivery('policy again', null), event: delivery.event }])).toEqual([
      { kind: 'accepted', wakes: [], sweeps: ['100:next'] },
    ]);
  });

  it('of a push to the base of an enabled pull request wake one sweep, and none of its pull requests', () => {
    const push = { kind: 'branch_pushed', repository, branch: 'next', headSha: fakeSha('x') } as const;
    store.updateWorkspace(other, { enablement: 'enabled', baseRef: 'next' });

    expect(store.ingest([aDelivery('push', push)])).toEqual([{ kind: 'accepted', wakes: [], sweeps: ['100:next'] }]);
    expect(due()).toEqual([]);
    expect(store.dueWakeups('sweep', 1e15, 10)).toEqual(['100:next']);

    store.updateWorkspace(other, { state: 'closed' });
    expect(store.ingest([aDelivery('again', { ...push, headSha: fakeSha('y') })])).toEqual([{ kind: 'ignored' }]);
  });

  it.each(['label', 'rerun'] as const)('keep where a command was given: by a %s', (place) => {
    const author = { id: 9, login: 'ann', kind: 'user' } as const;
    const where = { repository, headSha: fakeSha('head'), headRef: 'feature' };
    const event: Event =
      place === 'label'
        ? { kind: 'label_changed', ...where, number: 7, baseRef: 'main', label: 'ratchet', change: 'added', author }
        : { kind: 'rerun_requested', ...where, checkRunId: 5, author };

    store.ingest([aDelivery('it', event, { commands: [{ name: 'enable', args: ['ratchet'] }] })]);

    expect(store.pendingCommands(key)).toMatchObject([
      { author, comment: { kind: place }, command: { name: 'enable', args: ['ratchet'] } },
    ]);
  });

  it('reach a head that the loop itself saw', () => {
    store.updateWorkspace(other, { seenHeadSha: fakeSha('pushed by us') });

    store.ingest([
      aDelivery('ci', { kind: 'ci_changed', repository, headSha: fakeSha('pushed by us'), headRef: null }),
    ]);

    expect(due()).toEqual([other]);
  });

  it('leave closed pull requests alone when their base branch is pushed (trap 128)', () => {
    store.updateWorkspace(key, { state: 'closed' });

    store.ingest([aDelivery('push', { kind: 'branch_pushed', repository, branch: 'main', headSha: fakeSha('x') })]);

    expect(due()).toEqual([]);
  });
});

describe('a changed installation', () => {
  const named = [aRepository()];
  const installation = { kind: 'installation_changed', installationId: 1 } as const;
  const isActive = (): boolean | undefined => store.repository(100)?.active;

  it.each([
    { what: 'a removed repository', change: { change: 'removed', repositories: named } },
    { what: 'a removed installation', change: { change: 'removed', repositories: [] } },
    { what: 'a suspension', change: { change: 'suspended', repositories: [] } },
  ] as const)('makes its repositories inactive: $what', ({ change }) => {
    store.ingest([aDelivery('a', pullRequestChanged())]);

    store.ingest([aDelivery('b', { ...installation, ...change })]);

    expect(isActive()).toBe(false);
  });

  it('brings back after a suspension what was active before, and nothing else', () => {
    const removed = aRepository({ repositoryId: 101, name: 'gone' });
    store.ingest([
      aDelivery('1', { ...installation, change: 'added', repositories: [...named, removed] }),
      aDelivery('2', { ...installation, change: 'removed', repositories: [removed] }),
      aDelivery('3', { ...installation, change: 'suspended', repositories: [] }),
      aDelivery('4', { ...installation, change: 'unsuspended', repositories: [] }),
    ]);

    expect(isActive()).toBe(true);
    expect(store.repository(101)?.active).toBe(false);
  });

  it('adds repositories, and takes removed ones up again', () => {
    store.ingest([
      aDelivery('1', { ...installation, change: 'added', repositories: named }),
      aDelivery('2', { ...installation, change: 'removed', repositories: named }),
      aDelivery('3', { ...installation, change: 'added', repositories: named }),
    ]);

    expect(isActive()).toBe(true);
  });

  it('does not let a late event of a removed repository make it active again', () => {
    store.ingest([
      aDelivery('1', { ...installation, change: 'added', repositories: named }),
      aDelivery('2', { ...installation, change: 'removed', repositories: named }),
      aDelivery('3', pullRequestChanged()),
    ]);

    expect(isActive()).toBe(false);
  });

  it('ignores a late removal from an installation that was replaced', () => {
    const moved = aRepository({ installationId: 2 });
    store.ingest([
      aDelivery('1', { ...installation, change: 'added', repositories: named }),
      aDelivery('2', { ...installation, installationId: 2, change: 'added', repositories: [moved] }),
      aDelivery('3', { ...installation, change: 'removed', repositories: named }),
    ]);

    expect(store.repository(100)).toEqual({ ...moved, active: true });
  });

  it('wakes its enabled pull requests, so that what runs for it ends', () => {
    store.ingest([aDelivery('a', pullRequestChanged()), aDelivery('b', pullRequestChanged({ number: 8 }))]);
    store.updateWorkspace(key, { enablement: 'enabled' });
    drain();

    const [outcome] = store.ingest([aDelivery('c', { ...installation, change: 'suspended', repositories: [] })]);

    expect(outcome).toEqual({ kind: 'accepted', wakes: [key], sweeps: [] });
    expect(due()).toEqual([key]);
  });
});
