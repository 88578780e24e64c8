import { describe, expect, it } from 'vitest';
import { aCheck, aPerson } from '../support/builders.ts';
import {
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startPipeline,
  startStopped,
  WRITER,
} from '../support/pipeline-fixture.ts';

const GREEN = { checks: [aCheck()] };

function reactionsTo(pipeline: Pipeline, commentId: number): readonly string[] {
  return pipeline.github.reactions
    .filter((reaction) => reaction.commentId === commentId)
    .map(({ reaction }) => reaction);
}

/** Enabled, red, and one fixup that changed nothing. */
describe('/ratchet pause and resume', () => {
  const AUTHOR = aPerson({ id: 400, login: 'otto' });

  it('of the author of the pull request, without any permission: nothing is launched until a writer resumes', async () => {
    const pipeline = await startEnabled({ ...GREEN, author: AUTHOR });
    const commentId = pipeline.comment('/ratchet pause', { author: AUTHOR });
    await pipeline.evaluate();
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    const paused = { code: pipeline.lastCode(), live: pipeline.liveSession(), pause: pipeline.workspace().pause };

    pipeline.comment('/ratchet resume', { author: AUTHOR });
    await pipeline.evaluate();
    const afterAuthor = pipeline.workspace().pause;
    pipeline.comment('/ratchet resume');
    await pipeline.evaluate();

    expect(paused).toMatchObject({ code: 'PAUSED', live: null, pause: { by: AUTHOR } });
    expect(reactionsTo(pipeline, commentId)).toEqual(['eyes', '+1']);
    expect(afterAuthor).not.toBeNull();
    expect(pipeline.replies()).toEqual([expect.stringContaining('needs write permission')]);
    expect(pipeline.workspace().pause).toBeNull();
    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('of somebody who is neither author nor writer is refused', async () => {
    const pipeline = await startEnabled({ ...GREEN, author: AUTHOR });
    pipeline.comment('/ratchet pause', { author: aPerson({ id: 401, login: 'stan' }) });

    await pipeline.evaluate();

    expect(pipeline.workspace().pause).toBeNull();
  });

  it('of a fixup at work: it finishes, is not pushed, its patch is kept, and it is launched anew when resumed (S9)', async () => {
    const pipeline = await startEnabled();
    const id = pipeline.liveSession()?.id ?? '';
    pipeline.sites.during('agent', async () => {
      pipeline.comment('/ratchet pause');
      await pipeline.evaluate();
    });
    await pipeline.runFixup();
    await pipeline.evaluate();
    const paused = { code: pipeline.lastCode(), pushed: [...pipeline.git.pushed], live: pipeline.liveSession() };

    pipeline.comment('/ratchet resume');
    await pipeline.settle();

    expect(paused).toEqual({ code: 'PAUSED', pushed: [], live: null });
    expect(pipeline.endedSessions().at(-1)).toMatchObject({ id, outcome: { kind: 'superseded', why: 'paused' } });
    expect(pipeline.files.written.get(`${id}/patch.diff`)).toContain('+export const answer');
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
  });

  it('outlasts a retry, which says so; enabling ends it', async () => {
    const pipeline = await startStopped();
    pipeline.comment('/ratchet pause\n/ratchet retry');
    await pipeline.evaluate();
    const held = { code: pipeline.lastCode(), stop: pipeline.workspace().stop, replies: pipeline.replies() };

    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();

    expect(held).toEqual({ code: 'PAUSED', stop: null, replies: [expect.stringContaining('/ratchet resume')] });
    expect(pipeline.workspace().pause).toBeNull();
    expect(pipeline.transitions().map(({ code }) => code)).toContain('RESUMED');
    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('is shown by status, with who paused it', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.comment('/ratchet pause\n/ratchet status');

    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([expect.stringContaining(`Paused by \`${WRITER.login}\``)]);
  });

  it('where there is nothing to resume or pause the situation is told', async () => {
    const pipeline = startPipeline();
    pipeline.comment('/ratchet pause');
    pipeline.comment('/ratchet resume');

    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([
      expect.stringContaining('not enabled'),
      expect.stringContaining('not enabled'),
    ]);
    expect(pipeline.workspace()).toMatchObject({ enablement: 'never', pause: null });
  });
});

describe('/ratchet stop', () => {
  it('of the author ends the running fixup at once, and what it was launched for stays stopped (S8, S9)', async () => {
    const author = aPerson({ id: 400, login: 'otto' });
    const pipeline = await startEnabled({ author });
    const { begun } = pipeline.sites.hang('agent');
    const run = pipeline.runFixup();
    await begun;
    pipeline.comment('/ratchet stop', { author });

    await pipeline.evaluate();
    await run;
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'stopped' } }]);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.sites.heldSlots()).toBe(0);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('ends one that waits for its run, which then never begins', async () => {
    const pipeline = await startEnabled();
    pipeline.comment('/ratchet stop');

    await pipeline.evaluate();
    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'stopped' } }]);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
  });

  it('outlasts the process that heard it: the fixup is recorded as died and not launched again', async () => {
    const pipeline = await startEnabled();
    const session = pipeline.liveSession();
    const [launch] = session === null ? [] : pipeline.store.openIntents(session.id);
    pipeline.store.settleIntent(launch?.id ?? 0, 'started', pipeline.clock.now());
    pipeline.comment('/ratchet stop');
    await pipeline.evaluate();

    await pipeline.settle();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'died' } }]);
    expect(pipeline.workspace().stop).toMatchObject({ code: 'NEEDS_HUMAN' });
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('keeps a planned push that has not arrived from being made', async () => {
    const pipeline = await startEnabled();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'connection reset' });
    await expect(pipeline.runFixup()).rejects.toThrow('unknown');
    pipeline.comment('/ratchet stop');
    await pipeline.evaluate();

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'stopped' } }]);
  });

  it('with nothing to end tells the situation', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.clock.advance(MINUTE_MS);
    pipeline.comment('/ratchet stop');

    await pipeline.evaluate();

    expect(pipeline.replies()).toEqual([expect.stringContaining('All green')]);
    expect(pipeline.workspace().stop).toBeNull();
  });

  it('is lifted by a retry', async () => {
    const pipeline = await startEnabled();
    pipeline.comment('/ratchet stop');
    await pipeline.evaluate();
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.liveSession()).not.toBeNull();
  });
});
