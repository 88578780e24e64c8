import { describe, expect, it } from 'vitest';
import { GitHubError, RepositoryError } from '../../src/core/model/errors.ts';
import { runFixup } from '../../src/pipeline/fixup/run-fixup.ts';
import type { PushResult } from '../../src/ports/git.ts';
import { aCheck, aStatus, fakeSha } from '../support/builders.ts';
import { LIVE_SECRET, MINUTE_MS, type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';

const COMMIT = fakeSha('commit-1');
const UNKNOWN: PushResult = { kind: 'unknown', reason: 'connection reset' };

function unavailable(): GitHubError {
  return new GitHubError('UNAVAILABLE', 'GitHub is down', { retry: 'later' });
}

function liveId(pipeline: Pipeline) {
  const session = pipeline.liveSession();
  if (session === null) throw new Error('no session is live');
  return session.id;
}

/** The push was planned, and the run ended before it was made. */
async function startPlanned(): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.sites.during('npm test', () => pipeline.github.failNext('mintGitToken', unavailable()));
  await expect(pipeline.runFixup()).rejects.toThrow('GitHub is down');
  return pipeline;
}

/** The push was made, and it is not known whether it arrived. */
async function startUnknown(arrives: boolean): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.git.endNextPush(UNKNOWN, arrives);
  await expect(pipeline.runFixup()).rejects.toThrow('the fate of a push is unknown');
  return pipeline;
}

describe('a fixup', () => {
  it('needs to know who makes its commit, before an agent works (L31)', async () => {
    const pipeline = await startLaunched();
    pipeline.github.failNext('readCommitIdentity', unavailable());
    await pipeline.runFixup().catch((error: unknown) => expect(error).toMatchObject({ code: 'UNAVAILABLE' }));

    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });
});

/** The newest run of a plan for the pull request, as states by step. */
function toSteps({ store, workspace }: Pipeline): Readonly<Record<string, string | null>> {
  const [run] = store.planRuns(workspace().key, 1);
  return Object.fromEntries(store.planSteps(run?.id ?? '').map(({ key, result }) => [key, result?.state ?? null]));
}

function lastSummary({ github }: Pipeline): string {
  return github.checkRuns().at(-1)?.content.summary ?? '';
}

describe('the steps of a fixup (004.R31, R35)', () => {
  it('are a plan: its table is on the check run, and its graph an artifact', async () => {
    const pipeline = await startLaunched();
    await pipeline.runFixup();
    await pipeline.evaluate();

    const [session] = pipeline.endedSessions();
    const graph = pipeline.files.written.get(`${String(session?.id)}/plan.mmd`);
    expect(new Set(Object.values(toSteps(pipeline)))).toEqual(new Set(['completed']));
    expect(pipeline.store.planRuns(pipeline.workspace().key, 5)).toMatchObject([{ status: 'completed' }]);
    expect(lastSummary(pipeline)).toMatch(/^\| Make the change \| completed \| \d+\.\d s \|/mu);
    expect(lastSummary(pipeline)).toMatch(/^\| Judge, validate and prove the change \| completed /mu);
    expect(graph).toMatch(/^flowchart TD\n/u);
    expect(graph).toContain(':::completed');
  });

  it('that one of them ends are not reached any more, and nothing is changed or pushed', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.setProbe({ kind: 'unavailable', why: 'no bubblewrap' });
    await pipeline.runFixup();

    expect(toSteps(pipeline)).toMatchObject({
      ability: 'failed',
      ground: 'skipped',
      change: 'skipped',
      gate: 'skipped',
    });
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'rejected', code: 'SANDBOX_UNAVAILABLE' } }]);
  });
});

describe('a planned push that was interrupted (F2)', () => {
  it('stays open: nothing is counted, the plan and the due run are kept', async () => {
    const pipeline = await startPlanned();

    const id = liveId(pipeline);
    expect(pipeline.store.openIntents(id)).toMatchObject([{ effect: { kind: 'push', commitSha: COMMIT } }]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushSha: null });
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.git.removedSessions).toEqual([]);
    expect(pipeline.isDue('fixup')).toBe(true);
  });

  it('is made by the next run, once, without the agent', async () => {
    const pipeline = await startPlanned();

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.agent.requests).toHaveLength(1);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: COMMIT });
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed', commitSha: COMMIT } }]);
    expect(pipeline.isDue('fixup')).toBe(false);
  });

  it('is adopted where the remote is at its commit: counted once, not pushed a second time (002.R14, S1, trap 31)', async () => {
    const pipeline = await startUnknown(true);
    const pushes = pipeline.journal.filter((step) => step === 'git.pushKept').length;

    await pipeline.runFixup();

    expect(pipeline.journal.filter((step) => step === 'git.pushKept')).toHaveLength(pushes);
    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: COMMIT });
    expect(pipeline.transitions().filter(({ action }) => action === 'SESSION_ENDED')).toHaveLength(1);
  });

  it('is adopted though the pull request was closed meanwhile: what arrived has arrived', async () => {
    const pipeline = await startUnknown(true);
    pipeline.github.change({ state: 'closed' });

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
  });

  it('is adopted where somebody pushed on top of it before it was settled: nothing that is owed for it is lost (F2)', async () => {
    const pipeline = await startUnknown(true);
    pipeline.pushFromOutside(fakeSha('outside'));

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed', commitSha: COMMIT } }]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: COMMIT });
    expect(pipeline.git.remote.get('feature')).toBe(fakeSha('outside'));
  });

  it('is made where the remote is still at the old head', async () => {
    const pipeline = await startUnknown(false);

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
  });

  it.each<[string, (pipeline: Pipeline) => void, string]>([
    [
      'somebody else was faster',
      (pipeline: Pipeline) => {
        pipeline.pushFromOutside(fakeSha('outside'));
        pipeline.github.setMergeBase(null);
      },
      'head_moved',
    ],
    ['the branch is gone', (pipeline: Pipeline) => void pipeline.git.remote.delete('feature'), 'head_moved'],
    [
      'it was disabled',
      (pipeline: Pipeline) => pipeline.store.updateWorkspace(pipeline.key, { enablement: 'disabled' }),
      'disabled',
    ],
    ['it was closed', (pipeline: Pipeline) => pipeline.github.change({ state: 'closed' }), 'closed'],
    ['auto-merge was turned on (S16)', (pipeline: Pipeline) => pipeline.github.change({ autoMerge: true }), 'stopped'],
    ['the policy pushes no more', ({ github }) => github.change({ policyText: 'mode: suggest' }), 'stopped'],
    ['the policy was broken', ({ github }) => github.change({ policyText: 'mod: push' }), 'stopped'],
    ['the permission was withdrawn', (pipeline: Pipeline) => pipeline.github.permit('ada', 100, 'read'), 'permission'],
  ])('is dropped where %s: nothing is pushed or counted (traps 37 and 62)', async (_what, move, why) => {
    const pipeline = await startPlanned();
    move(pipeline);
    const remote = pipeline.git.remote.get('feature');

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why } }]);
    expect(pipeline.journal).not.toContain('git.pushKept');
    expect(pipeline.git.remote.get('feature')).toBe(remote);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushSha: null });
  });

  it('that the remote answers as moved is dropped, uncounted (002.R14)', async () => {
    const pipeline = await startLaunched();
    pipeline.git.endNextPush({ kind: 'stale', remoteSha: fakeSha('outside') });

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'head_moved' } }]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushAt: null, lastPushSha: null });
  });

  it('that GitHub refuses stops, uncounted, with GitHub’s reason (002.R14)', async () => {
    const pipeline = await startLaunched();
    pipeline.git.endNextPush({ kind: 'refused', reason: 'protected branch' });

    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'rejected', code: 'PUSH_REFUSED' } }]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushAt: null, stop: { code: 'NO_PUSH' } });
    expect(pipeline.workspace().stop?.reason).toContain('protected branch');
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
  });

  it('whose fate GitHub does not tell for a day is given up', async () => {
    const pipeline = await startUnknown(false);
    pipeline.clock.advance(26 * 60 * MINUTE_MS);

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'died' } }]);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('is given up where the mirror that held its commit is gone', async () => {
    const pipeline = await startPlanned();
    pipeline.git.dropMirror();

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'died' } }]);
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('a fixup after which the head is as before', () => {
  it('did not push: nothing is counted, and no push is remembered (002.R14)', async () => {
    const pipeline = await startLaunched();
    pipeline.git.agentLeaves({ changes: [] });

    await pipeline.runFixup();

    expect(pipeline.git.remote.get('feature')).toBe(fakeSha('head'));
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushAt: null, staleCiSince: null });
  });
});

describe('a run that is not alone any more', () => {
  it('writes nothing: what took over has recorded it, and no push is planned (F8)', async () => {
    const pipeline = await startLaunched();
    const { begun, end } = pipeline.sites.hang('agent');
    const zombie = pipeline.runFixup();
    await begun;
    pipeline.store.freeLeases('fixup');
    await pipeline.runFixup();
    const written = { transitions: pipeline.transitions(), workspace: pipeline.workspace() };
    end();

    await expect(zombie).rejects.toThrow('run by another process');

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'died' } }]);
    expect({ transitions: pipeline.transitions(), workspace: pipeline.workspace() }).toEqual(written);
    expect(pipeline.journal).not.toContain('git.pushKept');
  });
});

describe('a run that is shut down', () => {
  it('before a push was planned is superseded, uncounted, and launched anew (trap 123)', async () => {
    const pipeline = await startLaunched();
    const { begun } = pipeline.sites.hang('agent');
    const shutdown = new AbortController();
    const run = pipeline.runFixup({ signal: shutdown.signal });
    await begun;
    shutdown.abort();
    await run;

    const ended = pipeline.endedSessions();
    const workspace = pipeline.workspace();
    await pipeline.evaluate();

    expect(ended).toMatchObject([{ outcome: { kind: 'superseded', why: 'shutdown' } }]);
    expect(workspace).toMatchObject({ consecutiveAttempts: 0, stop: null, activeSessionId: null });
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 1 } });
  });

  it('says on its check run that it continues by itself, and the next look replaces that', async () => {
    const pipeline = await startLaunched();
    const { begun } = pipeline.sites.hang('agent');
    const shutdown = new AbortController();
    const run = pipeline.runFixup({ signal: shutdown.signal });
    await begun;
    const before = pipeline.github.checkRuns();
    shutdown.abort();
    await run;
    const told = pipeline.github.checkRuns();
    await pipeline.evaluate();

    expect(before.map(({ content }) => content.title)).toEqual(['Fixing 1 failing check · attempt 1 of 3']);
    expect(told).toMatchObject([
      { content: { title: 'Restarting · continues by itself', status: 'in_progress', conclusion: null } },
    ]);
    expect(pipeline.github.checkRuns()).toHaveLength(1);
    expect(pipeline.github.checkRuns()[0]?.content.title).not.toContain('Restarting');
  });

  it('ends as usual where GitHub does not take that', async () => {
    const pipeline = await startLaunched();
    const { begun } = pipeline.sites.hang('agent');
    const shutdown = new AbortController();
    const run = pipeline.runFixup({ signal: shutdown.signal });
    await begun;
    pipeline.github.failNext('updateCheckRun', unavailable());
    shutdown.abort();
    await run;

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'shutdown' } }]);
    expect(pipeline.log.map(({ message }) => message)).toContain('the restart could not be reported');
  });

  it('after a push was planned leaves it to the next run', async () => {
    const pipeline = await startLaunched();
    const shutdown = new AbortController();
    // The first token is for the fetch; the second one is asked for when the push is planned.
    pipeline.sites.during('npm test', () => {
      pipeline.github.during('mintGitToken', async () => shutdown.abort());
    });
    await expect(pipeline.runFixup({ signal: shutdown.signal })).rejects.toThrow();
    const open = pipeline.endedSessions().length;

    await pipeline.runFixup();

    expect(open).toBe(0);
    expect(pipeline.git.pushed).toEqual([COMMIT]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
    expect(pipeline.agent.requests).toHaveLength(1);
  });
});

describe('a wake-up of the fixup queue', () => {
  it.each(['of a session that has ended', 'of a session that nobody knows'])('%s does nothing', async (which) => {
    const pipeline = await startLaunched();
    const id = liveId(pipeline);
    await pipeline.runFixup();
    const calls = pipeline.journal.length;
    const lease = { leaseId: 'any', signal: new AbortController().signal };

    const result = await runFixup(pipeline.deps, which.includes('ended') ? id : 'unknown', lease);

    expect(result).toEqual({ nextCheckAt: null });
    expect(pipeline.journal).toHaveLength(calls);
  });
});

describe('a workspace that cannot be made', () => {
  it.each([
    ['REPO_TOO_LARGE', 'never', { kind: 'rejected', code: 'WORKSPACE_FAILED' }],
    ['FETCH_FAILED', 'never', { kind: 'rejected', code: 'WORKSPACE_FAILED' }],
    ['GIT_FAILED', 'later', { kind: 'died' }],
  ] as const)('by %s ends as it should, and its token is given back (trap 125)', async (code, retry, outcome) => {
    const pipeline = await startLaunched();
    pipeline.git.failNext('ensureMirror', new RepositoryError(code, 'no', { retry }));

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome }]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.github.revoked).toEqual(pipeline.github.tokens.map(({ token }) => token));
    expect(pipeline.sites.heldSlots()).toBe(0);
  });
});

describe('the tokens for git', () => {
  it('are one to read, and one to push when the change is through the gate; both end with their use', async () => {
    const pipeline = await startLaunched();
    const atAgent: string[] = [];
    pipeline.sites.during('agent', () => {
      atAgent.push(...pipeline.github.tokens.map(({ purpose }) => purpose));
      expect(pipeline.github.revoked).toHaveLength(1);
    });

    await pipeline.runFixup();

    expect(atAgent).toEqual(['read']);
    expect(pipeline.github.tokens.map(({ purpose }) => purpose)).toEqual(['read', 'push']);
    expect(pipeline.github.revoked).toHaveLength(2);
  });

  it('are seen by no agent and no validation', async () => {
    const pipeline = await startLaunched();

    await pipeline.runFixup();

    const seen = JSON.stringify(pipeline.sites.commands);
    for (const { token } of pipeline.github.tokens) expect(seen).not.toContain(token);
    expect(seen).not.toContain(LIVE_SECRET);
  });
});

describe('evidence', () => {
  it.each(['readJobLog', 'readAllAnnotations'] as const)(
    'that %s does not give does not stop the attempt',
    async (call) => {
      const pipeline = await startLaunched();
      pipeline.github.failNext(call, unavailable());

      await pipeline.runFixup();

      expect(pipeline.git.pushed).toEqual([COMMIT]);
      expect(pipeline.sites.evidence.get('check-1.txt')).toContain('Check: build');
    },
  );

  it('says where no log can be read', async () => {
    const pipeline = await startLaunched();
    pipeline.github.setJobLog(null);

    await pipeline.runFixup();

    expect([...pipeline.sites.evidence.values()].join('\n')).toContain('(no log can be read)');
  });

  it('of a commit status asks for no log', async () => {
    const pipeline = await startLaunched({ checks: [aStatus({ conclusion: 'failure' })] });

    await pipeline.runFixup();

    expect(pipeline.github.calls).not.toContain('readJobLog');
    expect(pipeline.git.pushed).toEqual([COMMIT]);
  });

  it('has one budget of bytes for all logs together (trap 43)', async () => {
    const checks = [1, 2, 3].map((id) => aCheck({ id, name: `job ${String(id)}`, conclusion: 'failure' }));
    const pipeline = await startLaunched({ checks });
    pipeline.github.setJobLog(Array.from({ length: 10_000 }, (_, at) => `Error: line ${at} of a long log\n`).join(''));

    await pipeline.runFixup();

    const evidence = [...pipeline.sites.evidence].filter(([name]) => name.startsWith('check-'));
    const sizes = evidence.map(([, text]) => Buffer.byteLength(text));
    const logs = evidence.filter(([name]) => !name.endsWith('.json')).map(([, text]) => Buffer.byteLength(text));
    expect(logs).toHaveLength(3);
    expect(Math.min(...logs)).toBeGreaterThan(150_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(512 * 1024 + 1000);
  });

  it('is of the failing checks only, and holds no secret of ours', async () => {
    const red = aCheck({ id: 1, name: 'unit', conclusion: 'failure' });
    const pipeline = await startLaunched({ checks: [red, aCheck({ id: 2, name: 'lint' })] });
    pipeline.github.setJobLog(`Error: sent ${LIVE_SECRET}`);

    await pipeline.runFixup();

    const evidence = [...pipeline.sites.evidence];
    const [log, ...others] = evidence.filter(([name]) => !name.endsWith('.json'));
    expect(others).toEqual([]);
    expect(log?.[1]).toContain('Check: unit');
    expect(log?.[1]).toContain('Error: sent');
    expect(JSON.stringify(evidence)).not.toContain(LIVE_SECRET);
  });
});

describe('the folders of a session', () => {
  it('that cannot be removed are left for the sweep: the outcome stands', async () => {
    const pipeline = await startLaunched();
    pipeline.git.failNext('removeSession', new RepositoryError('DISK_FAILED', 'busy', { retry: 'later' }));

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
    expect(pipeline.log).toContainEqual(expect.objectContaining({ message: 'workspace left for the sweep' }));
  });
});

describe('a fixup whose cause is gone when its turn comes', () => {
  it('starts no agent and looks again', async () => {
    const pipeline = await startLaunched();
    pipeline.reportCi('success');

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'cause_gone' } }]);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, stop: null });
  });
});

describe('a push that may have arrived before the process died, and is not part of the branch any more (F2)', () => {
  it('is not called unmade, and is none of ours (002.R14, S1)', async () => {
    const pipeline = await startUnknown(true);
    pipeline.pushFromOutside(fakeSha('elsewhere'));
    pipeline.github.setMergeBase(fakeSha('head'));

    await pipeline.runFixup();

    const [ended] = pipeline.endedSessions();
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(ended?.outcome).toMatchObject({ kind: 'superseded', why: 'head_moved' });
    expect(JSON.stringify(ended?.outcome)).not.toContain('nothing was pushed');
    await pipeline.evaluate();
    expect(JSON.stringify(pipeline.github.checkRuns())).not.toMatch(/nothing was pushed/i);
  });
});
