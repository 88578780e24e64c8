import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey, toRunId } from '../../../src/core/model/ids.ts';
import { EVALUATE_QUEUE, FIXUP_QUEUE } from '../../../src/core/model/queues.ts';
import { REMEMBERED_SESSIONS } from '../../../src/core/model/session.ts';
import type { WorkspacePatch } from '../../../src/core/model/workspace.ts';
import type { Store, StoredCheckRun } from '../../../src/ports/store.ts';
import {
  aDelivery,
  aRepository,
  aSession,
  aTransition,
  fakeSha,
  memoryStore,
  NOTHING_OLD,
  pullRequestChanged,
} from '../../support/store.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW = 1_000 * DAY_MS;
const key = toPullRequestKey(aRepository().repositoryId, 7);

let store: Store;
beforeEach(() => {
  store = memoryStore({ now: () => NOW });
});
afterEach(() => store.close());

/** Pull request 7, of which an event told at that time. */
function open(receivedAt: number, patch: WorkspacePatch = {}): void {
  store.ingest([aDelivery(`at ${String(receivedAt)}`, pullRequestChanged(), { receivedAt })]);
  store.updateWorkspace(key, patch);
  settleWakeups();
}

function aCheckRun(head: string, completed: boolean): StoredCheckRun {
  const content = { generation: 0, checkRunId: 1, contentHash: null, completed, conclusion: null };
  return { key, headSha: fakeSha(head), name: 'Ratchet', series: '', ...content };
}

function settleWakeups(): void {
  const leaseId = store.claimWakeup(EVALUATE_QUEUE, key, NOW, 1_000) ?? '';
  store.finishWakeup(EVALUATE_QUEUE, key, leaseId, null);
}

/** A fixup that was launched and has ended. */
function runSession(id: string, at: number): void {
  const wake = { queue: FIXUP_QUEUE, key: id, notBefore: null };
  const session = aSession(id, { key, startedAt: at });
  store.launchSession({ session, transition: aTransition({ key, createdAt: at }), patch: {}, wake });
  const leaseId = store.claimWakeup(FIXUP_QUEUE, id, NOW, 1_000) ?? '';
  store.endSession(parseSessionId(id), {
    outcome: { kind: 'declined', answers: [], summary: '' },
    at,
    patch: {},
    transition: aTransition({ key, createdAt: at }),
    wake: { queue: EVALUATE_QUEUE, key, notBefore: null },
  });
  store.finishWakeup(FIXUP_QUEUE, id, leaseId, null);
  settleWakeups();
}

function addCommand(at: number, name: string): void {
  const author = { id: 1, login: 'ada', kind: 'user' } as const;
  const comment = { kind: 'issue_comment', id: at, body: '' } as const;
  const event = { kind: 'comment_created', repository: aRepository(), number: 7, comment, author } as const;
  store.ingest([aDelivery(name, event, { receivedAt: at, commands: [{ name: 'enable', args: [] }] })]);
  settleWakeups();
}

const workspaceGoes = (): boolean => {
  store.prune({ ...NOTHING_OLD, workspaces: NOW - 90 * DAY_MS }, 100);
  return store.workspace(key) === null;
};

describe('a pull request goes with all its rows', () => {
  it.each<[string, WorkspacePatch]>([
    ['that nobody enabled', {}],
    ['that is disabled', { enablement: 'disabled' }],
    ['that is closed, though it is enabled', { enablement: 'enabled', state: 'closed' }],
  ])('%s, once no event has named it for long', (_what, patch) => {
    open(NOW - 91 * DAY_MS, patch);
    runSession('s1', NOW - 91 * DAY_MS);
    store.saveCheckRun(aCheckRun('h', false));
    store.appendTransition(aTransition({ key }));

    expect(workspaceGoes()).toBe(true);
    expect(store.session(parseSessionId('s1'))).toBeNull();
    expect(store.transitions(key, 9)).toEqual([]);
    expect(store.openCheckRuns(key, 'Ratchet')).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['it is enabled and open', () => open(NOW - 91 * DAY_MS, { enablement: 'enabled' })],
    [
      'an event named it since',
      () => {
        open(NOW - 91 * DAY_MS);
        open(NOW - 1 * DAY_MS);
      },
    ],
    [
      'somebody works on it',
      () => {
        open(NOW - 91 * DAY_MS);
        store.addUserSession({ ...aSession('u1', { key }), kind: 'user', fixup: null, label: 'ada' });
      },
    ],
    [
      'a look at it is due',
      () => {
        open(NOW - 91 * DAY_MS);
        store.markWakeup(EVALUATE_QUEUE, key, null);
      },
    ],
  ])('but not where %s', (_what, make) => {
    make();

    expect(workspaceGoes()).toBe(false);
  });

  it('with what is known of its branch', () => {
    open(NOW - 91 * DAY_MS, { consecutiveAttempts: 2 });
    expect(workspaceGoes()).toBe(true);
    store.prune(NOTHING_OLD, 100);

    open(NOW);

    expect(store.workspace(key)?.consecutiveAttempts).toBe(0);
  });

  it('and leaves what is known of a branch while it is there', () => {
    open(NOW, { consecutiveAttempts: 2 });
    store.prune(NOTHING_OLD, 100);

    expect(store.workspace(key)?.consecutiveAttempts).toBe(2);
  });

  it('but counts as touched now where an earlier version did not record it', () => {
    open(0);

    expect(workspaceGoes()).toBe(false);
  });
});

describe('rows of a pull request that goes on', () => {
  const before = { ...NOTHING_OLD, commands: NOW - 30 * DAY_MS, sessions: NOW - 30 * DAY_MS };

  it('lose settled commands, and keep pending ones, however old', () => {
    open(NOW, { enablement: 'enabled' });
    addCommand(1_000, 'settled');
    addCommand(2_000, 'pending');
    const [settled] = store.pendingCommands(key);
    store.settleCommand(settled?.id ?? 0, 'done', 3_000);

    expect(store.prune(before, 100)).toBeGreaterThan(0);

    expect(store.pendingCommands(key).map(({ receivedAt }) => receivedAt)).toEqual([2_000]);
    expect(store.settledComments(key, 1, 0)).toBe(0);
  });

  it('keep a settled command whose reaction is owed', () => {
    open(NOW, { enablement: 'enabled' });
    addCommand(1_000, 'settled');
    store.settleCommand(store.pendingCommands(key)[0]?.id ?? 0, 'done', 3_000, '+1');

    store.prune(before, 100);

    expect(store.owedReactions(key)).toHaveLength(1);
  });

  it('lose ended sessions and their intents, and keep what the loop remembers', () => {
    open(NOW, { enablement: 'enabled' });
    for (let nth = 0; nth < REMEMBERED_SESSIONS + 3; nth += 1) runSession(`s${String(nth)}`, 1_000 + nth);

    store.prune(before, 100);
    store.prune(before, 100);

    const kept = store.endedSessions(key, 1_000).map(({ id }) => id);
    expect(kept).toHaveLength(REMEMBERED_SESSIONS);
    expect(kept).not.toContain('s2');
    expect(kept).toContain('s3');
    expect(store.ownerOf(toRunId(parseSessionId('s2')))).toBeNull();
    expect(store.ownerOf(toRunId(parseSessionId('s3')))).toBe(key);
  });

  it('keep a session that works, and recent ones', () => {
    open(NOW, { enablement: 'enabled' });
    for (let nth = 0; nth < REMEMBERED_SESSIONS + 3; nth += 1) runSession(`s${String(nth)}`, NOW - DAY_MS + nth);

    store.prune(before, 100);

    expect(store.endedSessions(key, 1_000)).toHaveLength(REMEMBERED_SESSIONS + 3);
  });

  it('lose check runs of older heads, but none that is open', () => {
    open(NOW, { enablement: 'enabled' });
    const save = (head: string, completed: boolean): void => store.saveCheckRun(aCheckRun(head, completed));
    save('open', false);
    for (let nth = 0; nth < 60; nth += 1) save(`head ${String(nth)}`, true);

    store.prune(before, 100);

    expect(store.openCheckRuns(key, 'Ratchet')).toHaveLength(1);
    expect(store.checkRun(aCheckRun('head 59', true))).not.toBeNull();
    expect(store.checkRun(aCheckRun('head 0', true))).toBeNull();
  });

  it('keep a wake-up that is due later, and lose one that nobody waits for', () => {
    open(NOW, { enablement: 'enabled' });
    store.markWakeup(EVALUATE_QUEUE, key, NOW + DAY_MS);
    store.markWakeup(FIXUP_QUEUE, 'gone', null);
    store.finishWakeup(FIXUP_QUEUE, 'gone', store.claimWakeup(FIXUP_QUEUE, 'gone', NOW, 1_000) ?? '', null);

    store.prune(before, 100);

    expect(store.nextWakeupAt(EVALUATE_QUEUE)).toBe(NOW + DAY_MS);
    expect(store.prune(before, 100)).toBe(0);
  });
});

it('deletes no more rows at once than it may', () => {
  for (let nth = 0; nth < 25; nth += 1) store.ingest([aDelivery(String(nth), null, { receivedAt: 1 })]);
  const before = { ...NOTHING_OLD, deliveries: 2 };

  expect([store.prune(before, 10), store.prune(before, 10), store.prune(before, 10)]).toEqual([10, 10, 5]);
});
