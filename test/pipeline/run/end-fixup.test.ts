import { describe, expect, it } from 'vitest';
import type { SessionOutcome } from '../../../src/core/model/session.ts';
import { endFixup } from '../../../src/pipeline/run/end-fixup.ts';
import { fakeSha } from '../../support/builders.ts';
import { startLaunched } from '../../support/pipeline-fixture.ts';

const DONE = {
  diff: { files: 1, insertions: 1, deletions: 1 },
  files: ['a'],
  summary: 's',
  resolved: [],
  validation: [],
};
const ANSWERS = [{ itemId: 'thread-1', status: 'fixed', reason: 'As asked.', newestCommentId: 1 }] as const;
const PUSHED: SessionOutcome = {
  ...{ kind: 'pushed', commitSha: fakeSha('new'), madeBy: 'agent', patchId: null, answers: ANSWERS, ...DONE },
};

async function start() {
  const pipeline = await startLaunched();
  const session = pipeline.liveSession();
  if (session === null || session.fixup === null) throw new Error('no fixup is live');
  const fixup = { ...session, fixup: session.fixup };
  pipeline.store.finishWakeup('evaluate', pipeline.key, 'none', null);
  return { ...pipeline, end: (outcome: SessionOutcome) => endFixup(pipeline.deps, fixup, outcome) };
}

describe('the end of a fixup', () => {
  it.each<[SessionOutcome, string, string]>([
    [PUSHED, 'SESSION_ENDED', 'PUSHED'],
    [{ kind: 'timed_out', afterMs: 1_600 }, 'BREAK', 'TIMED_OUT'],
    [{ kind: 'rejected', code: 'NO_CHANGE', detail: 'Nothing.', diff: null, validation: [] }, 'BREAK', 'NO_CHANGE'],
    [{ kind: 'superseded', why: 'stopped', detail: 'Stopped.' }, 'BREAK', 'SUPERSEDED'],
    [{ kind: 'died', detail: 'crash' }, 'BREAK', 'DIED'],
  ])('is one line of the transition log, once (002.R23): %o', async (outcome, action, code) => {
    const { end, transitions, lastCode, deps, log } = await start();
    const before = transitions().length;

    expect([end(outcome), end({ kind: 'died', detail: 'again' })]).toEqual([true, false]);

    expect(transitions()).toHaveLength(before + 1);
    expect(transitions()[0]).toMatchObject({ action, code, snapshot: null, createdAt: deps.clock.now() });
    expect(lastCode()).toBe(code);
    expect(log.filter(({ message }) => message === 'fixup completed')).toHaveLength(1);
  });

  it('owes the reviewers their answers, and wakes the pull request at once', async () => {
    const { end, store, key, isDue } = await start();

    end(PUSHED);

    expect(store.openAnswers(key)).toMatchObject([{ effect: { commitSha: fakeSha('new'), answers: ANSWERS } }]);
    expect(isDue('evaluate')).toBe(true);
  });

  it('wakes the pull request a little later where it came to nothing by no fault of its own', async () => {
    const { end, store, key, isDue, clock } = await start();

    end({ kind: 'died', detail: 'crash' });
    const isDueAtOnce = isDue('evaluate');
    clock.advance(3_000);

    expect([isDueAtOnce, isDue('evaluate')]).toEqual([false, true]);
    expect(store.openAnswers(key)).toEqual([]);
  });
});
