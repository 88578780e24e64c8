import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { Sha } from '../../src/core/model/ids.ts';
import type { Actor } from '../../src/core/model/pull-request.ts';
import { aPerson, fakeSha, NO_RULES } from '../support/builders.ts';
import {
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startLaunched,
  startPushed,
  WRITER,
} from '../support/pipeline-fixture.ts';

const BOT: Actor = { id: 51, login: 'pre-commit-ci[bot]', kind: 'bot' };
const READER: Actor = aPerson({ id: 52, login: 'reader' });
const NEXT = fakeSha('next');

const codes = (pipeline: Pipeline): readonly string[] => pipeline.transitions().map(({ code }) => code);
const launches = (pipeline: Pipeline): number =>
  pipeline.log.filter(({ message }) => message === 'fixup launched').length;
const count = (pipeline: Pipeline, call: string): number =>
  pipeline.github.calls.filter((name) => name === call).length;

describe('a push after a fixup', () => {
  it('002.R18 and S17: of a person who may write renews the budget, and names them', async () => {
    const pipeline = await startPushed();
    pipeline.pushFromOutside(NEXT);
    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, freshStarts: 2 });
    expect(pipeline.transitions()[1]).toMatchObject({
      ...{ action: 'RESET', code: 'OUTSIDE_PUSH' },
      reason: `@${WRITER.login} pushed ${NEXT}: the attempt budget starts anew.`,
    });
  });

  it.each<[string, Actor | null]>([
    ['a bot', BOT],
    ['a person who may not write', READER],
    ['an account that is not known', null],
    ['somebody who took over the name of a writer', { ...WRITER, id: 999 }],
  ])('002.R18, S17 and L5: of %s changes the head and nothing else', async (_who, by) => {
    const pipeline = await startPushed();
    pipeline.github.permit(READER.login, READER.id, 'read');
    pipeline.pushFromOutside(NEXT, by);
    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, freshStarts: 1, seenHeadSha: NEXT });
    expect(pipeline.transitions()[1]).toMatchObject({
      code: 'HEAD_MOVED',
      reason: `No person with write permission pushed ${NEXT}: the attempt budget stays as it is.`,
    });
  });

  it('of a bot after one of a person renews the budget all the same', async () => {
    const pipeline = await startPushed();
    pipeline.pushFromOutside(fakeSha('person'));
    pipeline.pushFromOutside(NEXT, BOT);
    await pipeline.evaluate();

    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });

  it('of a formatter after each fixup ends at the limit, and is never renewed (L5)', async () => {
    const pipeline = await startLaunched();
    for (let nth = 1; nth <= 5; nth += 1) {
      if (pipeline.liveSession() !== null) await pipeline.runFixup();
      await pipeline.evaluate();
      pipeline.pushFromOutside(fakeSha(`format-${String(nth)}`), BOT);
      await pipeline.evaluate();
      pipeline.reportCi('failure');
      await pipeline.evaluate();
    }

    expect(pipeline.lastCode()).toBe('ATTEMPTS_EXHAUSTED');
    expect([launches(pipeline), pipeline.git.pushed.length]).toEqual([3, 3]);
  });

  it("by a head that GitHub has not told of yet counts as a bot's until it does (S17)", async () => {
    const pipeline = await startPushed();
    pipeline.github.change({ headSha: NEXT, checks: [] });
    const { nextCheckAt } = await pipeline.evaluate();
    expect(nextCheckAt).toBe(pipeline.clock.now() + MINUTE_MS);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, seenHeadSha: NEXT });
    expect(pipeline.transitions()[1]?.reason).toContain('GitHub has not told who pushed');

    pipeline.github.addPush({ before: pipeline.git.pushed[0] ?? NEXT, after: NEXT, by: WRITER });
    await pipeline.evaluate();
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, openPush: null });

    await pipeline.evaluate();
    expect(count(pipeline, 'readPushes')).toBe(2);
  });

  it("is asked about for ten minutes, and counts as a bot's then", async () => {
    const pipeline = await startPushed();
    pipeline.github.change({ headSha: NEXT, checks: [] });
    await pipeline.evaluate();
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(count(pipeline, 'readPushes')).toBe(1);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, openPush: null });
  });

  it("counts as a bot's where GitHub answers with an error", async () => {
    const pipeline = await startPushed();
    pipeline.github.failNext('readPushes', new GitHubError('NOT_FOUND', 'no such route', { retry: 'never' }));
    pipeline.pushFromOutside(NEXT);
    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, seenHeadSha: NEXT });
  });

  it('is not decided on where GitHub limits the rate', async () => {
    const pipeline = await startPushed();
    pipeline.github.failNext('readPushes', new GitHubError('RATE_LIMITED', 'later', { retry: 'later' }));
    pipeline.pushFromOutside(NEXT);

    await expect(pipeline.evaluate()).rejects.toThrow('later');
    await pipeline.evaluate();
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });

  it('while a fixup works is asked about when it has ended', async () => {
    const pipeline = await startLaunched();
    pipeline.pushFromOutside(NEXT);
    await pipeline.evaluate();
    expect(count(pipeline, 'readPushes')).toBe(0);

    await pipeline.runFixup();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, seenHeadSha: NEXT });
  });

  it("costs one read more for a person, besides their permission, and none for Ratchet's own", async () => {
    const pipeline = await startPushed();
    const reads = (): readonly string[] => pipeline.github.calls.filter((call) => call.startsWith('read'));
    expect(reads()).not.toContain('readPushes');
    const before = reads().length;
    pipeline.pushFromOutside(NEXT, BOT);
    await pipeline.evaluate();

    expect(reads().slice(before)).toEqual(['readPullRequest', 'readPushes']);
  });

  it('costs nothing where nothing was spent', async () => {
    const pipeline = await startEnabled({ policyText: 'mode: observe' });
    pipeline.pushFromOutside(NEXT);
    await pipeline.evaluate();

    expect(count(pipeline, 'readPushes')).toBe(0);
    expect(pipeline.workspace().seenHeadSha).toBe(NEXT);
    expect(pipeline.transitions()[1]?.reason).toBe(`${NEXT} is the head now; no attempt was used before.`);
  });
});

describe('a person who reverts what Ratchet pushed (S19, L6)', () => {
  const REVERT = fakeSha('revert');

  async function startReverted(by: Actor = WRITER): Promise<Pipeline> {
    const pipeline = await startPushed();
    pipeline.revertFromOutside(REVERT, by);
    await pipeline.evaluate();
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    return pipeline;
  }

  it('stops the loop for that cause before an agent is paid, and says who reverted what', async () => {
    const pipeline = await startReverted();
    const ours = pipeline.git.pushed[0] ?? '';

    expect(pipeline.transitions()[0]).toMatchObject({
      ...{ action: 'DONE', code: 'TAKEN_BACK' },
      reason: `CI failed, but @${WRITER.login} reverted Ratchet's fix (\`${ours}\`).`,
    });
    expect(codes(pipeline)).toContain('OUTSIDE_PUSH');
    const { conclusion, title, summary } = pipeline.github.checkRuns().at(-1)?.content ?? {};
    expect([conclusion, title]).toEqual(['action_required', 'The fix was reverted']);
    expect(summary).toContain('/ratchet retry');
    expect(launches(pipeline)).toBe(1);
  });

  it('is told in the comment, the status and why', async () => {
    const pipeline = await startReverted();
    pipeline.comment('/ratchet status');
    pipeline.comment('/ratchet why');
    await pipeline.evaluate();

    const texts = pipeline.github.comments.map(({ body }) => body);
    expect(texts.filter((text) => text.includes('The fix was reverted'))).toHaveLength(2);
    expect(
      texts.filter((text) => text.includes(`@\u200b${WRITER.login} reverted`) || /reverted/u.test(text)),
    ).not.toHaveLength(0);
  });

  it('keeps it stopped over other results and heads, until somebody asks for a retry', async () => {
    const pipeline = await startReverted();
    pipeline.reportCi('failure', 'another');
    await pipeline.evaluate();
    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
    pipeline.pushFromOutside(fakeSha('more'), BOT);
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    expect([pipeline.lastCode(), launches(pipeline)]).toEqual(['TAKEN_BACK', 1]);

    pipeline.clock.advance(MINUTE_MS);
    pipeline.comment('/ratchet retry');
    await pipeline.evaluate();
    expect([pipeline.workspace().takenBack, launches(pipeline)]).toEqual([null, 2]);
  });

  it('lifts it by disabling and enabling too, and an old revert counts no more', async () => {
    const pipeline = await startReverted();
    pipeline.clock.advance(MINUTE_MS);
    for (const command of ['disable', 'enable']) {
      pipeline.comment(`/ratchet ${command}`);
      await pipeline.evaluate();
    }

    expect(launches(pipeline)).toBe(2);
  });

  it('is over when CI is green: the next failure is another cause', async () => {
    const pipeline = await startReverted();
    pipeline.pushFromOutside(fakeSha('theirs'));
    await pipeline.evaluate();
    pipeline.clock.advance(2 * MINUTE_MS);
    pipeline.reportCi('success');
    await pipeline.evaluate();
    pipeline.reportCi('failure');
    await pipeline.evaluate();

    expect([pipeline.workspace().takenBack, launches(pipeline)]).toEqual([null, 2]);
  });

  it('is no decision when a bot did it: the budget counts on', async () => {
    const pipeline = await startReverted(BOT);

    expect(pipeline.workspace()).toMatchObject({ takenBack: null, consecutiveAttempts: 1 });
    expect(launches(pipeline)).toBe(2);
  });

  it('is none when they pushed something else', async () => {
    const pipeline = await startPushed();
    const files = pipeline.endedSessions()[0]?.outcome;
    const path = files?.kind === 'pushed' ? (files.files[0] ?? '') : '';
    const versions: readonly (readonly [Sha | undefined, string])[] = [
      [pipeline.endedSessions()[0]?.fixup?.headSha, 'old'],
      [pipeline.git.pushed[0], 'new'],
      [NEXT, 'new and more'],
    ];
    for (const [sha, text] of versions) if (sha !== undefined) pipeline.github.setBlob({ sha, path }, text);
    pipeline.pushFromOutside(NEXT);
    pipeline.reportCi('failure');
    await pipeline.evaluate();

    expect([pipeline.workspace().takenBack, launches(pipeline)]).toEqual([null, 2]);
  });

  it('by a reset to the head of before is seen, though that looks like a replica that lags (F15)', async () => {
    const pipeline = await startLaunched();
    const { headSha: old, checks } = pipeline.github.facts();
    await pipeline.runFixup();
    await pipeline.evaluate();
    pipeline.revertFromOutside(old);
    pipeline.github.change({ checks });
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
  });

  it('of a merge is one when neither the merge nor its base is part of the head any more', async () => {
    const pipeline = await startLaunched({ merge: 'conflict' });
    await pipeline.runFixup();
    pipeline.github.change({ merge: 'clean' });
    await pipeline.evaluate();
    const [session] = pipeline.endedSessions();
    const { headSha = NEXT, baseSha = NEXT } = session?.fixup ?? {};
    expect(session?.outcome?.kind).toBe('pushed');
    // The fake names one merge base for every pair.
    pipeline.github.setMergeBase(baseSha);
    pipeline.github.during('readMergeBase', async () => pipeline.github.setMergeBase(fakeSha('older')));
    pipeline.pushFromOutside(headSha);
    pipeline.github.change({ merge: 'conflict' });
    await pipeline.evaluate();

    expect(pipeline.workspace().takenBack).toMatchObject({ action: 'FIX_MERGE_CONFLICT', headSha });
    expect([pipeline.lastCode(), launches(pipeline)]).toEqual(['TAKEN_BACK', 1]);
  });

  it('of an update of the branch is one: GitHub is not asked for it again', async () => {
    const rules = { ...NO_RULES, mustBeUpToDate: true };
    const pipeline = await startEnabled({ merge: 'behind', rules });
    const { headSha, baseSha } = pipeline.github.facts();
    pipeline.github.addPush({ before: headSha, after: NEXT, by: BOT });
    pipeline.github.change({ headSha: NEXT, headParents: [headSha, baseSha], merge: 'clean', checks: [] });
    await pipeline.evaluate();
    expect(codes(pipeline)).toContain('BRANCH_UPDATED');

    pipeline.clock.advance(2 * MINUTE_MS);
    pipeline.github.setMergeBase(baseSha);
    pipeline.github.during('readMergeBase', async () => pipeline.github.setMergeBase(fakeSha('older')));
    pipeline.pushFromOutside(headSha);
    pipeline.github.change({ headParents: [], merge: 'behind' });
    pipeline.reportCi('failure');
    await pipeline.evaluate();

    expect(pipeline.workspace().takenBack).toMatchObject({ commitSha: NEXT, action: 'FIX_MERGE_CONFLICT' });
    expect(pipeline.lastCode()).toBe('TAKEN_BACK');
    expect(pipeline.github.asked).toHaveLength(1);
  });

  it('is not looked for where a comparison fails', async () => {
    const pipeline = await startPushed();
    pipeline.github.failNext('readBlobs', new GitHubError('UNAVAILABLE', 'broke off', { retry: 'later' }));
    pipeline.revertFromOutside(REVERT);
    await pipeline.evaluate();

    expect(pipeline.workspace()).toMatchObject({ takenBack: null, consecutiveAttempts: 0 });
  });
});
