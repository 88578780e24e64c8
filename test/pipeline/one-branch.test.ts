import { beforeEach, describe, expect, it } from 'vitest';
import { parseCommands } from '../../src/core/commands/parse-commands.ts';
import { type PullRequestKey, parsePullRequestKey } from '../../src/core/model/ids.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { evaluatePullRequest } from '../../src/pipeline/evaluate/evaluate-pull-request.ts';
import { runFixup } from '../../src/pipeline/fixup/run-fixup.ts';
import type { GitHub } from '../../src/ports/github.ts';
import { aCheck, aRepository, aThread, fakeSha, NO_RULES } from '../support/builders.ts';
import type { FakeGitHub } from '../support/fake-github.ts';
import { MINUTE_MS, type Pipeline, startPipeline, WRITER } from '../support/pipeline-fixture.ts';
import { aDelivery } from '../support/store.ts';

const FIRST = parsePullRequestKey('10#7');
const SECOND = parsePullRequestKey('10#8');

/** Two open pull requests with one head branch, #7 into `main` and #8 into `release`; both are enabled. */
interface Twins extends Pipeline {
  readonly say: (key: PullRequestKey, body: string) => void;
  readonly look: (key: PullRequestKey) => Promise<void>;
  /** Runs the only live fixup. */
  readonly work: () => Promise<void>;
  /** Facts that differ from those of the other. */
  readonly tellApart: (key: PullRequestKey, change: Partial<PullRequestFacts>) => void;
  readonly code: (key: PullRequestKey) => string | undefined;
  readonly launches: () => number;
}

function startTwins(change: Partial<PullRequestFacts> = {}): Twins {
  const own = new Map<number, Partial<PullRequestFacts>>([
    [7, { baseRef: 'main', beside: [8] }],
    [8, { baseRef: 'release', beside: [7] }],
  ]);
  const toGitHub = (github: FakeGitHub): GitHub => {
    const readPullRequest: GitHub['readPullRequest'] = async (ref, signal) => {
      const facts = await github.readPullRequest(ref, signal);
      return facts === null ? null : { ...facts, number: ref.number, ...own.get(ref.number) };
    };
    return { ...github, readPullRequest, readTogether: (ref, _others, signal) => readPullRequest(ref, signal) };
  };
  const pipeline = startPipeline(change, toGitHub);
  const { deps, store } = pipeline;
  const signal = new AbortController().signal;
  let deliveries = 0;
  const { headSha, headRef } = pipeline.github.facts();
  const where = { repository: aRepository(), number: 8, headSha, headRef, baseRef: 'release' };
  store.ingest([aDelivery('second', { kind: 'pull_request_changed', ...where })]);
  return {
    ...pipeline,
    say: (key, body) => {
      deliveries += 1;
      const number = key === FIRST ? 7 : 8;
      const comment = { kind: 'issue_comment', id: 1000 + deliveries, body } as const;
      const event = { kind: 'comment_created', repository: aRepository(), number, comment, author: WRITER } as const;
      const commands = parseCommands(body);
      store.ingest([aDelivery(`say-${String(deliveries)}`, event, { commands, receivedAt: deps.clock.now() })]);
    },
    look: async (key) => {
      await evaluatePullRequest(deps, key, { leaseId: 'lease', signal });
    },
    work: async () => {
      const [session] = store.liveOnBranch(FIRST);
      if (session === undefined) throw new Error('no fixup works');
      const leaseId = store.claimWakeup('fixup', session.id, deps.clock.now(), MINUTE_MS) ?? '';
      await runFixup(deps, session.id, { leaseId, signal });
    },
    tellApart: (key, more) => {
      const number = key === FIRST ? 7 : 8;
      own.set(number, { ...own.get(number), ...more });
    },
    code: (key) => store.transitions(key, 1)[0]?.code,
    launches: () => pipeline.log.filter(({ message }) => message === 'fixup launched').length,
  };
}

let twins: Twins;

async function enableBoth(): Promise<void> {
  for (const key of [FIRST, SECOND]) {
    twins.say(key, '/ratchet enable');
    await twins.look(key);
  }
}

describe('two pull requests with one head branch (S18, L5)', () => {
  beforeEach(async () => {
    twins = startTwins();
    await enableBoth();
  });

  it('have one fixup at a time, and the other says where it works', async () => {
    const { store } = twins;

    expect(store.liveOnBranch(SECOND).map(({ key }) => key)).toEqual([FIRST]);
    expect(store.transitions(SECOND, 1)[0]).toMatchObject({
      code: 'WORKING_SESSION',
      reason: 'A session is working on #7, which has the same branch. Ratchet starts nothing else meanwhile.',
    });
    expect(twins.launches()).toBe(1);
  });

  it('share one budget, whoever of them is looked at, and reset nothing by the pushes for the other', async () => {
    for (const key of [SECOND, FIRST, SECOND, FIRST]) {
      if (twins.store.liveOnBranch(FIRST).length > 0) await twins.work();
      await twins.look(SECOND);
      await twins.look(FIRST);
      twins.reportCi('failure');
      await twins.look(key);
      await twins.look(FIRST);
    }

    expect([twins.code(FIRST), twins.code(SECOND)]).toContain('ATTEMPTS_EXHAUSTED');
    await twins.look(SECOND);
    expect([twins.code(FIRST), twins.code(SECOND)]).toEqual(['ATTEMPTS_EXHAUSTED', 'ATTEMPTS_EXHAUSTED']);
    expect(twins.launches()).toBe(3);
    expect(twins.git.pushed).toHaveLength(3);
    expect(twins.github.calls).not.toContain('readPushes');
  });

  it('renew their budget together when a person pushes, and only once', async () => {
    await twins.work();
    await twins.look(FIRST);
    twins.pushFromOutside(fakeSha('person'));
    await twins.look(SECOND);
    await twins.look(FIRST);

    for (const key of [FIRST, SECOND]) {
      expect(twins.store.workspace(key)).toMatchObject({ consecutiveAttempts: 0, freshStarts: 3 });
    }
    expect(twins.github.calls.filter((call) => call === 'readPushes')).toHaveLength(1);
  });

  it('both wait for CI to start on a push that was made for one of them', async () => {
    await twins.work();
    await twins.look(FIRST);
    await twins.look(SECOND);

    expect([twins.code(FIRST), twins.code(SECOND)]).toEqual(['STALE_CI_RUN', 'STALE_CI_RUN']);
  });

  it('both stop where a fixup for the same cause ended without a push; a retry on either lifts it', async () => {
    twins.agent.answer('failure', 'no idea');
    await twins.work();
    await twins.look(SECOND);
    await twins.look(FIRST);

    expect([twins.code(FIRST), twins.code(SECOND)]).toEqual(['STOPPED_SAME_CAUSE', 'STOPPED_SAME_CAUSE']);
    expect(twins.launches()).toBe(1);

    twins.say(SECOND, '/ratchet retry');
    await twins.look(SECOND);
    expect(twins.launches()).toBe(2);
    await twins.look(FIRST);
    expect(twins.code(FIRST)).toBe('WORKING_SESSION');
  });

  it('are woken when the fixup of one of them ends', async () => {
    await twins.work();

    expect(twins.store.isWoken('evaluate', SECOND)).toBe(true);
  });

  it('are paused and resumed together, and say where it was asked for', async () => {
    twins.agent.answer('failure', 'no idea');
    await twins.work();
    twins.say(SECOND, '/ratchet pause');
    await twins.look(SECOND);
    twins.say(FIRST, '/ratchet retry');
    await twins.look(FIRST);

    expect(twins.store.transitions(FIRST, 1)[0]).toMatchObject({
      code: 'PAUSED',
      reason: 'CI failed, but Ratchet is paused on #8, which has the same branch.',
    });
    twins.say(FIRST, '/ratchet resume');
    await twins.look(FIRST);
    expect(twins.store.workspace(SECOND)?.pause).toBeNull();
    expect(twins.launches()).toBe(2);
  });

  it('push nothing once the other is paused', async () => {
    twins.say(SECOND, '/ratchet pause');
    await twins.look(SECOND);
    await twins.work();

    expect(twins.git.pushed).toEqual([]);
    expect(twins.endedSessions()[0]?.outcome).toMatchObject({ kind: 'superseded', why: 'paused' });
  });

  it('are stopped by a stop on either', async () => {
    twins.say(SECOND, '/ratchet stop');
    await twins.look(SECOND);
    await twins.look(FIRST);

    expect(twins.store.liveOnBranch(FIRST)).toEqual([]);
    expect([twins.code(FIRST), twins.code(SECOND)]).toEqual(['STOPPED_SAME_CAUSE', 'STOPPED_SAME_CAUSE']);
    expect(twins.launches()).toBe(1);
  });

  it('go on in one when the other is disabled', async () => {
    twins.say(FIRST, '/ratchet disable');
    await twins.look(FIRST);
    await twins.work();
    await twins.look(SECOND);

    expect(twins.git.pushed).toEqual([]);
    expect(twins.store.liveOnBranch(SECOND).map(({ key }) => key)).toEqual([SECOND]);
  });

  it('are told of on both: check run and status', async () => {
    twins.say(SECOND, '/ratchet status');
    await twins.look(SECOND);
    const line = (own: number, other: number): string =>
      `- #${String(own)} has the same branch as #${String(other)}: one fixup at a time and one budget of attempts`;

    expect(twins.github.checkRuns().map(({ content }) => content.summary)).toEqual([
      expect.stringContaining(line(7, 8)),
      expect.stringContaining(line(8, 7)),
    ]);
    expect(twins.replies().join()).toContain(line(8, 7));
  });

  it('count the launches of a day together', async () => {
    expect(twins.store.launchesSince(SECOND, 0)).toBe(1);
  });

  it('leave each other alone where only the name of the branch is the same: the head of one is in a fork', async () => {
    const { headSha } = twins.github.facts();
    const fork = { repository: aRepository(), number: 9, headSha, headRef: null, baseRef: 'main' };
    twins.store.ingest([aDelivery('fork', { kind: 'pull_request_changed', ...fork })]);

    expect(twins.store.branchKeys(parsePullRequestKey('10#9'))).toEqual(['10#9']);
    expect(twins.store.branchKeys(FIRST)).toEqual([FIRST, SECOND]);
  });

  it('wait for a person who announced themselves on the other', async () => {
    twins.agent.answer('failure', 'no idea');
    await twins.work();
    twins.announceSession({ key: SECOND, kind: 'user', label: 'grace', fixup: null });
    await twins.look(FIRST);

    expect(twins.code(FIRST)).toBe('WORKING_SESSION');
  });
});

describe('two pull requests with one head branch of which one is green (S18)', () => {
  beforeEach(async () => {
    twins = startTwins({ checks: [aCheck()] });
    twins.tellApart(SECOND, { threads: [aThread()] });
    await enableBoth();
    twins.clock.advance(5 * MINUTE_MS);
  });

  it('show no success at their head before both are', async () => {
    twins.agent.answerItems({ status: 'fixed' });
    await twins.look(SECOND);
    await twins.look(FIRST);

    expect([twins.code(FIRST), twins.code(SECOND)]).toEqual(['WORKING_SESSION', 'REVIEW_COMMENTS']);
    await twins.work();
    twins.reportCi('success');
    await twins.look(FIRST);
    await twins.look(SECOND);
    twins.clock.advance(2 * MINUTE_MS);
    twins.tellApart(SECOND, { threads: [aThread({ isResolved: true })] });
    await twins.look(FIRST);
    const checks = () => twins.github.checkRuns().map(({ content }) => [content.title, content.conclusion]);
    expect(checks()).toContainEqual(['Green here · #8 of this branch is not green yet', null]);
    expect(twins.store.workspace(FIRST)?.consecutiveAttempts).toBe(1);

    await twins.look(SECOND);
    expect(twins.store.isWoken('evaluate', FIRST)).toBe(true);
    await twins.look(FIRST);
    expect(checks().slice(-2)).toEqual([
      ['All green', 'success'],
      ['All green', 'success'],
    ]);
    expect(twins.store.workspace(FIRST)?.consecutiveAttempts).toBe(0);
  });

  it('ask for a person on both where one needs one', async () => {
    twins.tellApart(SECOND, { threads: [], merge: 'conflict' });
    await twins.look(SECOND);
    await twins.look(FIRST);

    const titles = twins.github.checkRuns().map(({ content }) => [content.title, content.conclusion]);
    expect(titles).toEqual([
      ['Green here · #8 of this branch needs a person', 'action_required'],
      ['The branch has another pull request', 'action_required'],
    ]);
  });
});

describe('two pull requests with one head branch and different bases (S18)', () => {
  it.each([
    ['a conflict', { merge: 'conflict' as const }],
    [
      'a branch that must be up to date',
      {
        merge: 'behind' as const,
        rules: { ...NO_RULES, mustBeUpToDate: true },
      },
    ],
  ])('leave a merge of one base to a person, since it would reach the other: %s', async (_what, change) => {
    twins = startTwins(change);
    twins.say(FIRST, '/ratchet enable');
    await twins.look(FIRST);

    expect(twins.store.transitions(FIRST, 1)[0]).toMatchObject({ action: 'CLEANUP_ONLY', code: 'BRANCH_SHARED' });
    expect(twins.store.transitions(FIRST, 1)[0]?.reason).toContain('the branch also belongs to #8');
    expect([twins.launches(), twins.github.asked]).toEqual([0, []]);
  });

  it('merge again once the other is closed', async () => {
    twins = startTwins({ merge: 'conflict' });
    await enableBoth();
    twins.tellApart(SECOND, { state: 'closed' });
    twins.tellApart(FIRST, { beside: [] });
    await twins.look(SECOND);
    await twins.look(FIRST);

    expect(twins.code(FIRST)).toBe('MERGE_CONFLICT');
  });
});
