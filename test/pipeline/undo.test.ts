import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { aPerson, fakeSha } from '../support/builders.ts';
import { toPatch } from '../support/fake-git.ts';
import {
  LIVE_SECRET,
  MINUTE_MS,
  type Pipeline,
  REVIEWER,
  startEnabled,
  startLaunched,
  startPushed,
  WRITER,
} from '../support/pipeline-fixture.ts';

const FIXUP = fakeSha('commit-1');
const REVERT = fakeSha('commit-2');
const BEFORE = fakeSha('head');
const READER = aPerson({ id: 52, login: 'reader' });

/** CI has ended at the head, and nothing more is expected. */
async function hearOfCi(pipeline: Pipeline, conclusion: 'success' | 'failure'): Promise<void> {
  pipeline.clock.advance(2 * MINUTE_MS);
  pipeline.reportCi(conclusion);
  await pipeline.evaluate();
}

/** The first fixup was pushed and turned CI green. */
async function startFixed(): Promise<Pipeline> {
  const pipeline = await startPushed();
  await hearOfCi(pipeline, 'success');
  expect(pipeline.lastCode()).toBe('ALL_GREEN');
  return pipeline;
}

/** A writer has asked for the undo: its session waits for its run. */
async function startUndoing(): Promise<Pipeline> {
  const pipeline = await startFixed();
  pipeline.comment('/ratchet undo', { author: REVIEWER });
  await pipeline.evaluate();
  return pipeline;
}

const launches = (pipeline: Pipeline): number =>
  pipeline.log.filter(({ message }) => message === 'fixup launched').length;
const lastReply = (pipeline: Pipeline): string => pipeline.replies().at(-1) ?? '';
const reactions = (pipeline: Pipeline): readonly string[] =>
  pipeline.journal.filter((step) => step.includes('eaction'));

describe('the undo of a fixup (S26, 004.R15)', () => {
  it('reverts exactly what the fixup changed, on top of the head, by git alone and without an agent', async () => {
    const pipeline = await startUndoing();
    const agentRuns = pipeline.agent.requests.length;
    await pipeline.settle();

    expect(pipeline.git.reverted).toEqual([{ commitSha: FIXUP, parentSha: BEFORE, onto: FIXUP }]);
    expect(pipeline.git.pushed).toEqual([FIXUP, REVERT]);
    expect(pipeline.git.parents.at(-1)).toEqual([FIXUP]);
    expect(pipeline.git.messages.at(-1)).toContain(`This reverts commit ${FIXUP}.`);
    expect(pipeline.git.messages.at(-1)).toContain(REVIEWER.login);
    expect(pipeline.agent.requests).toHaveLength(agentRuns);
  });

  it('counts no attempt and no launch, and renews no budget (S17)', async () => {
    const pipeline = await startUndoing();
    await pipeline.settle();

    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, freshStarts: 1, lastPushSha: REVERT });
    expect(pipeline.store.launchesSince(pipeline.key, 0)).toBe(1);
    expect(pipeline.transitions().map(({ code }) => code)).not.toContain('OUTSIDE_PUSH');
  });

  it("is the person's revert: nothing is launched for its cause, whatever an agent would bring, until a retry (S19)", async () => {
    const pipeline = await startUndoing();
    await pipeline.settle();
    await hearOfCi(pipeline, 'failure');

    expect(launches(pipeline)).toBe(1);
    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
    expect(pipeline.transitions()[0]?.reason).toContain(`@${REVIEWER.login} reverted Ratchet's fix (\`${FIXUP}\`)`);

    pipeline.comment('/ratchet retry');
    await pipeline.evaluate();
    expect(launches(pipeline)).toBe(2);
  });

  it('stands though a look still reads the green head of the fixup, as a lagging replica shows it (F15)', async () => {
    const pipeline = await startUndoing();
    const green = pipeline.github.facts();
    await pipeline.runFixup();
    const { headSha } = pipeline.github.facts();
    pipeline.github.change({ headSha: green.headSha, checks: green.checks });
    await pipeline.evaluate();
    pipeline.github.change({ headSha, checks: [] });
    await pipeline.evaluate();
    await hearOfCi(pipeline, 'failure');

    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
    expect(launches(pipeline)).toBe(1);
  });

  it('waits for CI on the revert, and says who asked in the log', async () => {
    const pipeline = await startUndoing();
    await pipeline.settle();

    expect(pipeline.lastCode()).toMatch(/STALE_CI_RUN|CI_RUNNING/);
    const log = pipeline.transitions().map(({ code, reason }) => `${code}: ${reason}`);
    expect(log).toContainEqual(`UNDO: Undo of ${FIXUP}, asked for by @${REVIEWER.login}.`);
    expect(log.join('\n')).toContain(`PUSHED: Undid ${FIXUP} with ${REVERT}`);
  });

  it('is answered by a reaction, and shown on the check run', async () => {
    const pipeline = await startUndoing();
    expect(pipeline.github.checkRuns().at(-1)?.content.title).toBe('Undoing the last fixup');
    expect(pipeline.replies()).toEqual([]);
    await pipeline.settle();
    await hearOfCi(pipeline, 'failure');

    expect(pipeline.replies()).toEqual([]);
    expect(reactions(pipeline).length).toBeGreaterThan(0);
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
    expect(pipeline.github.checkRuns().at(-1)?.content.summary).toContain('### Undo of');
  });

  it('by the button of a pull request that a fixup turned green', async () => {
    const pipeline = await startFixed();
    expect(
      pipeline.github
        .checkRuns()
        .at(-1)
        ?.content.actions.map(({ identifier }) => identifier),
    ).toEqual(['undo', 'why']);
    pipeline.pressButton('undo');
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP, REVERT]);
    expect(pipeline.workspace().takenBack).toMatchObject({ commitSha: FIXUP, by: { login: WRITER.login } });
  });

  it('lifts no stop and is no outside push for a person who pushes on top of it', async () => {
    const pipeline = await startUndoing();
    await pipeline.settle();
    pipeline.pushFromOutside(fakeSha('person'));
    await pipeline.evaluate();
    await hearOfCi(pipeline, 'failure');

    expect(pipeline.workspace().takenBack).toMatchObject({ commitSha: FIXUP });
    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
  });
});

describe('an undo that pushes nothing', () => {
  it('reports a conflict with later commits, with the commands for a person (S26)', async () => {
    const pipeline = await startUndoing();
    pipeline.git.revertsTo({
      ...{ kind: 'conflicted', treeSha: fakeSha('marked'), files: [], messages: '' },
      named: ['src/a.ts'],
    });
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP]);
    expect(lastReply(pipeline)).toContain('Later commits changed what the fixup');
    expect(lastReply(pipeline)).toContain(`git revert ${FIXUP}`);
    expect(pipeline.github.checkRuns().at(-1)?.content.summary).toContain('Later commits changed what the fixup');
    expect(pipeline.workspace()).toMatchObject({ takenBack: null, stop: null, consecutiveAttempts: 0 });
  });

  it('says so where nothing of the fixup is left', async () => {
    const pipeline = await startUndoing();
    pipeline.git.revertsTo({ kind: 'merged' });
    await pipeline.settle();

    expect(lastReply(pipeline)).toContain('there is nothing to undo');
    expect(lastReply(pipeline)).not.toContain('By hand');
    expect(pipeline.git.pushed).toEqual([FIXUP]);
  });

  it('says so where the commit is not available any more', async () => {
    const pipeline = await startUndoing();
    pipeline.git.revertsTo({ kind: 'missing' });
    await pipeline.settle();

    expect(lastReply(pipeline)).toContain('is in the repository no more');
    expect(pipeline.git.pushed).toEqual([FIXUP]);
  });

  it('adds no secret, whoever asks', async () => {
    const pipeline = await startUndoing();
    pipeline.git.agentLeaves({ patch: toPatch('src/a.ts', `const key = '${LIVE_SECRET}';`) });
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP]);
    expect(lastReply(pipeline)).toContain('looks like a secret');
    expect(lastReply(pipeline)).not.toContain(LIVE_SECRET);
  });

  it('gives way to a person who pushes between its look and its push: the lease refuses, and the reply says so', async () => {
    const pipeline = await startUndoing();
    const person = fakeSha('person');
    pipeline.git.remote.set('feature', person);
    await pipeline.runFixup();
    pipeline.github.change({ headSha: person, checks: [] });
    await pipeline.settle();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP]);
    expect(pipeline.git.remote.get('feature')).toBe(person);
    expect(lastReply(pipeline)).toContain('Somebody else changed the branch');
    expect(pipeline.workspace().takenBack).toBeNull();
  });

  it.each<[string, (pipeline: Pipeline) => void, string]>([
    ['is paused meanwhile', ({ store, key }) => store.updateWorkspace(key, PAUSED), 'paused'],
    ['is disabled meanwhile', ({ store, key }) => store.updateWorkspace(key, { enablement: 'disabled' }), 'disabled'],
    ['is closed meanwhile', ({ github }) => github.change({ state: 'closed' }), 'not open'],
    ['pushes nothing any more', ({ github }) => github.change({ policyText: 'mode: suggest' }), 'suggest'],
    ['lost its asker', ({ github }) => github.permit(REVIEWER.login, REVIEWER.id, 'read'), 'asked for the undo'],
  ])('where the pull request %s', async (_what, move, said) => {
    const pipeline = await startUndoing();
    move(pipeline);
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([FIXUP]);
    expect(
      pipeline
        .transitions()
        .map(({ reason }) => reason)
        .join('\n'),
    ).toContain(said);
    expect(pipeline.workspace().takenBack).toBeNull();
  });
});

const PAUSED = { pause: { by: WRITER, at: 1 } };

describe('an undo that does not start', () => {
  it.each<[string, Partial<PullRequestFacts>, string]>([
    ['the policy observes', { policyText: 'mode: observe' }, 'The mode of the policy is observe'],
    ['the policy suggests', { policyText: 'mode: suggest' }, 'The mode of the policy is suggest'],
    ['the policy has an error', { policyText: 'mod: push' }, 'problem'],
    ['the pull request is in a merge queue (S16)', { inMergeQueue: true }, 'merge queue'],
    ['the pull request was merged', { state: 'merged' }, 'not open'],
    ['a label holds it', { labels: ['ratchet:hold'] }, 'label'],
  ])('where %s, and says why', async (_what, change, said) => {
    const pipeline = await startFixed();
    pipeline.github.change(change);
    pipeline.comment('/ratchet undo');
    await pipeline.evaluate();

    expect(lastReply(pipeline)).toContain(said);
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.git.pushed).toEqual([FIXUP]);
  });

  it('where it is paused, with the commands for a person', async () => {
    const pipeline = await startFixed();
    pipeline.comment('/ratchet pause');
    await pipeline.evaluate();
    pipeline.comment('/ratchet undo');
    await pipeline.evaluate();

    expect(lastReply(pipeline)).toContain('paused');
    expect(lastReply(pipeline)).toContain(`git revert ${FIXUP}`);
  });

  it('for a person without write permission (T7)', async () => {
    const pipeline = await startFixed();
    pipeline.github.permit(READER.login, READER.id, 'read');
    pipeline.comment('/ratchet undo', { author: READER });
    pipeline.pressButton('undo', READER);
    await pipeline.settle();

    expect(lastReply(pipeline)).toContain('needs write permission');
    expect(pipeline.git.pushed).toEqual([FIXUP]);
  });

  it('where Ratchet has pushed nothing', async () => {
    const pipeline = await startEnabled({ checks: [] });
    pipeline.comment('/ratchet undo');
    await pipeline.evaluate();

    expect(lastReply(pipeline)).toContain('has pushed no fixup');
  });

  it('a second time: it never reaches beyond the last fixup', async () => {
    const pipeline = await startUndoing();
    await pipeline.settle();
    pipeline.comment('/ratchet undo');
    await pipeline.settle();

    expect(lastReply(pipeline)).toContain(`was undone by`);
    expect(pipeline.git.pushed).toEqual([FIXUP, REVERT]);
  });

  it('while a fixup works, and while its push is in flight', async () => {
    const pipeline = await startLaunched();
    pipeline.comment('/ratchet undo');
    await pipeline.evaluate();
    pipeline.sites.during('npm test', () =>
      pipeline.github.failNext('mintGitToken', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' })),
    );
    await pipeline.runFixup().catch(() => undefined);
    pipeline.comment('/ratchet undo');
    await pipeline.evaluate();
    await pipeline.settle();

    expect(pipeline.replies()).toHaveLength(2);
    expect(pipeline.git.pushed).toEqual([FIXUP]);
  });

  it('for a merge of the base: it says why, and shows the commands with exact SHAs (S26)', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    await pipeline.runFixup();
    const merge = pipeline.github.facts().headSha;
    pipeline.github.change({ merge: 'clean' });
    await pipeline.evaluate();
    pipeline.comment('/ratchet undo');
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([merge]);
    expect(lastReply(pipeline)).toContain("would then remove the base's changes");
    expect(lastReply(pipeline)).toContain(`git reset --hard ${BEFORE}`);
    expect(lastReply(pipeline)).toContain(`git push --force-with-lease='feature:${merge}'`);
  });
});

describe('an undo that was interrupted (F2)', () => {
  it('is adopted where its push had arrived, and pushed once', async () => {
    const pipeline = await startUndoing();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'connection reset' }, true);
    await expect(pipeline.runFixup()).rejects.toThrow('the fate of a push is unknown');
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP, REVERT]);
    expect(pipeline.workspace().takenBack).toMatchObject({ commitSha: FIXUP, headSha: REVERT });
    expect(pipeline.store.pendingCommands(pipeline.key)).toEqual([]);
  });

  it('is pushed by the next run where it crashed between plan and push', async () => {
    const pipeline = await startUndoing();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'connection reset' }, false);
    await expect(pipeline.runFixup()).rejects.toThrow('the fate of a push is unknown');
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP, REVERT]);
    expect(pipeline.git.reverted).toHaveLength(1);
  });

  it('is not begun again where its process died before the plan: the reply says so', async () => {
    const pipeline = await startUndoing();
    const session = pipeline.liveSession();
    const [launch] = session === null ? [] : pipeline.store.openIntents(session.id);
    pipeline.store.settleIntent(launch?.id ?? 0, 'started', pipeline.clock.now());
    await pipeline.runFixup();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([FIXUP]);
    expect(lastReply(pipeline)).toContain('The undo was interrupted');
  });
});
