import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../../src/core/model/errors.ts';
import { type RunId, toRunId } from '../../../src/core/model/ids.ts';
import { FIXUP_QUEUE, QUALITY_QUEUE } from '../../../src/core/model/queues.ts';
import { type Pipeline, startLaunched } from '../../support/pipeline-fixture.ts';
import { startQuality } from '../../support/quality-fixture.ts';

/** A kind of run, as the lifecycle is seen from outside. */
interface Subject {
  readonly pipeline: Pipeline;
  readonly queue: string;
  readonly run: (options?: { readonly signal?: AbortSignal }) => Promise<void>;
  /** Happens while the next run works. */
  readonly during: (happen: () => Promise<void> | void) => void;
  /** The run that works now. */
  readonly runId: () => RunId;
  readonly limitMs: number;
  /** Ends it as another process would. */
  readonly endElsewhere: () => boolean;
  /** How its runs ended, oldest first; `open` for one that has not. */
  readonly ends: () => readonly string[];
}

async function startFixup(): Promise<Subject> {
  const pipeline = await startLaunched();
  const { store, key, sites, clock } = pipeline;
  const session = pipeline.liveSession();
  if (session === null) throw new Error('no session is live');
  const { id } = session;
  return {
    pipeline,
    queue: FIXUP_QUEUE,
    run: pipeline.runFixup,
    during: (happen) => sites.during('agent', happen),
    runId: () => toRunId(id),
    limitMs: session.deadlineAt - session.startedAt,
    endElsewhere: () =>
      store.endSession(id, {
        outcome: { kind: 'died', detail: 'elsewhere' },
        at: clock.now(),
        patch: {},
        transition: { key, action: 'BREAK', code: 'DIED', reason: 'x', snapshot: null, createdAt: clock.now() },
        wake: { queue: 'evaluate', key, notBefore: null },
      }),
    ends: () => {
      const ended = pipeline.endedSessions().toReversed();
      const words = ended.map(({ outcome }) =>
        outcome?.kind === 'superseded' ? `superseded: ${outcome.why}` : (outcome?.kind ?? ''),
      );
      return [...words, ...store.liveSessions(key).map(() => 'open')];
    },
  };
}

async function startEngines(): Promise<Subject> {
  const pipeline = startQuality();
  const { store, key, clock } = pipeline;
  await pipeline.evaluate();
  const runId = (): RunId => {
    const [newest] = store.qualityRuns(key, 1);
    if (newest === undefined) throw new Error('no run has begun');
    return newest.id;
  };
  const end = { conclusion: 'cancelled', newFindings: [], report: null, askId: null } as const;
  return {
    pipeline,
    queue: QUALITY_QUEUE,
    run: pipeline.runQuality,
    during: (happen) => pipeline.whileRunning('head', happen),
    runId,
    limitMs: 60 * 60_000,
    endElsewhere: () => store.endQualityRun(runId(), { ...end, at: clock.now() }),
    ends: () =>
      store
        .qualityRuns(key, 10)
        .toReversed()
        .map(({ conclusion }) => conclusion ?? 'open'),
  };
}

/** What a run may have written: two equal ones, and it has written nothing. */
function written({ pipeline, ends }: Subject): unknown {
  const { store, key } = pipeline;
  return [ends(), pipeline.transitions(), pipeline.workspace(), store.qualityRuns(key, 10), pipeline.journal.length];
}

/** The process ends while the run works: nothing of it is heard of again, and its successor frees the leases. */
async function crashWhileWorking({ pipeline, queue, run, during }: Subject): Promise<void> {
  const begun = new Promise<void>((resolve) => {
    during(() => {
      resolve();
      return new Promise(() => undefined);
    });
  });
  // It is stopped long after its test, when its store is closed.
  run().catch(() => undefined);
  await begun;
  pipeline.store.freeLeases(queue);
}

const KINDS = [
  { kind: 'a fixup', start: startFixup, undisturbed: 'pushed' },
  { kind: 'the engines', start: startEngines, undisturbed: 'success' },
] as const;

describe.each(KINDS)('the run of $kind', ({ kind, start, undisturbed }) => {
  /** What each kind makes of the same: a fixup is launched anew by a look, the engines are run anew by their own queue. */
  const of = (fixup: readonly string[], engines: readonly string[]): readonly string[] =>
    kind === 'a fixup' ? fixup : engines;

  it('ends once and leaves no folder', async () => {
    const subject = await start();
    await subject.run();

    expect(subject.ends()).toEqual([undisturbed]);
    expect(subject.pipeline.git.removedSessions).toEqual([subject.runId()]);
    expect(subject.pipeline.sites.heldSlots()).toBe(0);
  });

  it('is taken up by the next process after a crash before its start, as if nothing had been', async () => {
    const subject = await start();
    const { store, key, clock } = subject.pipeline;
    const dueKey = kind === 'a fixup' ? subject.runId() : key;
    store.claimWakeup(subject.queue, dueKey, clock.now(), 60_000);
    store.freeLeases(subject.queue);

    await subject.run();

    expect(subject.ends()).toEqual([undisturbed]);
  });

  it('is settled by the next process after a crash while it worked: it does not go on with what is half made', async () => {
    const subject = await start();
    await crashWhileWorking(subject);
    const calls = subject.pipeline.sites.commands.length;

    await subject.run();

    expect(subject.ends()).toEqual(of(['died'], ['interrupted', 'success']));
    expect(subject.pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(subject.pipeline.sites.commands).toHaveLength(calls);
  });

  it('that lost its lease writes nothing (F8)', async () => {
    const subject = await start();
    const seen: unknown[] = [];
    subject.during(async () => {
      subject.pipeline.store.freeLeases(subject.queue);
      await subject.run();
      seen.push(subject.ends(), subject.pipeline.transitions(), subject.pipeline.workspace());
    });

    await expect(subject.run()).rejects.toThrow('run by another process');

    expect(seen).toEqual([subject.ends(), subject.pipeline.transitions(), subject.pipeline.workspace()]);
    expect(subject.ends()).toEqual(of(['died'], ['interrupted', 'success']));
    expect(subject.pipeline.git.pushed).toEqual([]);
  });

  it('has a deadline, counted from its beginning and not from its place in the queue', async () => {
    const subject = await start();
    subject.pipeline.clock.advance(subject.limitMs);
    subject.during(() => subject.pipeline.clock.advance(subject.limitMs));

    await subject.run();

    expect(subject.ends()).toEqual(['timed_out']);
  });

  it('can be stopped', async () => {
    const subject = await start();
    subject.during(() => void subject.pipeline.deps.running.stop(subject.runId(), 'head_moved'));

    await subject.run();

    expect(subject.ends()).toEqual(of(['superseded: head_moved'], ['cancelled']));
    expect(subject.pipeline.deps.running.stop(subject.runId(), 'head_moved')).toBe(false);
  });

  it('that is shut down counts for nothing, and is made anew', async () => {
    const subject = await start();
    const shutdown = new AbortController();
    subject.during(() => shutdown.abort(new Error('the service stops')));
    await subject.run({ signal: shutdown.signal }).catch((error: unknown) => {
      expect(error).toMatchObject({ message: 'the service stops' });
    });
    const ends = subject.ends();
    if (kind === 'a fixup') await subject.pipeline.evaluate();
    await subject.run();

    expect(ends).toEqual(of(['superseded: shutdown'], ['open']));
    expect(subject.ends()).toEqual(of(['superseded: shutdown', 'pushed'], ['interrupted', 'success']));
  });

  it('that fails for a reason of ours counts for nothing, and is made anew', async () => {
    const subject = await start();
    subject.during(() => Promise.reject(new Error('a bug')));
    await subject.run().catch((error: unknown) => expect(error).toMatchObject({ message: 'a bug' }));
    const ends = subject.ends();
    if (kind === 'a fixup') await subject.pipeline.evaluate();
    await subject.run();

    expect(ends).toEqual(of(['died'], ['open']));
    expect(subject.ends()).toEqual(of(['died', 'pushed'], ['interrupted', 'success']));
  });

  it('that was ended elsewhere stays as it was ended', async () => {
    const subject = await start();
    const seen: unknown[] = [];
    subject.during(() => {
      subject.pipeline.sites.endWith('npm test', { exitCode: 1 });
      expect(subject.endElsewhere()).toBe(true);
      seen.push(subject.ends(), subject.pipeline.transitions(), subject.pipeline.workspace());
    });

    await subject.run();

    expect(seen).toEqual([subject.ends(), subject.pipeline.transitions(), subject.pipeline.workspace()]);
    expect(subject.endElsewhere()).toBe(false);
    expect(subject.pipeline.git.removedSessions).toEqual([subject.runId()]);
  });

  it('stands though its folders cannot be removed: they are left for the sweep', async () => {
    const subject = await start();
    subject.pipeline.git.failNext('removeSession', new RepositoryError('DISK_FAILED', 'busy', { retry: 'later' }));

    await subject.run();

    expect(subject.ends()).toEqual([undisturbed]);
    expect(subject.pipeline.log).toContainEqual(expect.objectContaining({ message: 'workspace left for the sweep' }));
  });

  it('that has ended is not run again', async () => {
    const subject = await start();
    await subject.run();
    const before = written(subject);

    await expect(subject.run()).rejects.toThrow(/due/);

    expect(written(subject)).toEqual(before);
  });
});
