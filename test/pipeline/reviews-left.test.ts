import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { Actor, PullRequestFacts, ReviewComment } from '../../src/core/model/pull-request.ts';
import { aCheck, aComment, aPerson, aReview, fakeSha, NO_RULES, NOW } from '../support/builders.ts';
import { LIVE_SECRET, MINUTE_MS, type Pipeline, REVIEWER, startEnabled, WRITER } from '../support/pipeline-fixture.ts';
import {
  aTalk,
  codesOf,
  evidenceOf,
  LONG_AGO,
  resolvedBy,
  startAnswered,
  startReviewed,
} from '../support/reviewed-pipeline.ts';

describe('an item that is left to a person', () => {
  const later = (author: Actor, body: string): ReviewComment =>
    aComment({ id: 90, author, body, createdAt: NOW + 30 * MINUTE_MS, updatedAt: NOW + 30 * MINUTE_MS });

  /** One thread was fixed and resolved, the other one got this answer; CI is green on the push. */
  async function startLeft(
    status: 'needs_human' | 'declined',
    change: Partial<PullRequestFacts> = {},
  ): Promise<Pipeline> {
    const pipeline = await startReviewed(change);
    pipeline.agent.answerItems({ status: 'fixed' }, { status, reason: `Which name? ${LIVE_SECRET}` });
    await pipeline.runFixup();
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();
    return pipeline;
  }

  async function look(pipeline: Pipeline): Promise<string | undefined> {
    pipeline.clock.advance(30 * MINUTE_MS);
    await pipeline.evaluate();
    return pipeline.lastCode();
  }

  function say(pipeline: Pipeline, author: Actor, body: string): void {
    const threads = pipeline.github.facts().threads.map((thread) => {
      return thread.id === 'thread-2' ? { ...thread, comments: [...thread.comments, later(author, body)] } : thread;
    });
    pipeline.github.change({ threads });
  }

  it.each(['needs_human', 'declined'] as const)(
    'keeps a pull request from green, and everything says so: %s (L1, S20)',
    async (status) => {
      const pipeline = await startLeft(status);
      const shown = pipeline.github.checkRuns().at(-1)?.content;
      pipeline.comment('/ratchet status');
      await pipeline.evaluate();
      const [told, answered] = pipeline.github.comments.filter(({ body }) => body.includes('Which name?'));

      expect(pipeline.lastCode()).toBe('REVIEW_NEEDS_PERSON');
      expect(pipeline.workspace()).toMatchObject({ state: 'stopped', consecutiveAttempts: 1, stop: null });
      expect(shown).toMatchObject({ conclusion: 'action_required', title: '1 review comment open' });
      for (const text of [shown?.summary, told?.body, answered?.body]) {
        expect(text).toMatch(/1 review comment needs a person\. .*"Which name\? \\\[redacted\\\]"/u);
        expect(text).not.toContain('no review comment is open');
      }
      expect(pipeline.endedSessions()).toHaveLength(1);
      expect(pipeline.git.pushed).toHaveLength(1);
    },
  );

  it('is known by our reply when the stored answer is gone (L1)', async () => {
    const pipeline = await startLeft('needs_human');
    const { threads } = pipeline.github.facts();
    const other = await startEnabled({ checks: [aCheck()], threads });

    expect(await look(other)).toBe('REVIEW_NEEDS_PERSON');
    expect(other.transitions()[0]?.reason).toContain('Which name?');
  });

  it.each<[string, (pipeline: Pipeline) => void]>([
    [
      'the thread is resolved',
      ({ github }) => {
        github.change({ threads: github.facts().threads.map((thread) => ({ ...thread, isResolved: true })) });
      },
    ],
    ['the author answers', (pipeline) => say(pipeline, WRITER, 'It is the right name.')],
    ['the reviewer is content', (pipeline) => say(pipeline, REVIEWER, 'ok, leave it as it is')],
    [
      'the reviewer approves',
      ({ github }) => {
        github.change({
          reviews: [aReview({ author: REVIEWER, state: 'approved', submittedAt: NOW + 60 * MINUTE_MS })],
        });
      },
    ],
  ])('ends green once %s, and nothing more is launched (L1, L4)', async (_what, move) => {
    const pipeline = await startLeft('needs_human');
    move(pipeline);

    expect(await look(pipeline)).toBe('ALL_GREEN');
    expect(pipeline.github.checkRuns().at(-1)?.content.conclusion).toBe('success');
    expect(pipeline.github.comments.some(({ body }) => body.includes('Nothing to do'))).toBe(true);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it.each<[string, (pipeline: Pipeline) => void]>([
    ['nothing', () => undefined],
    ['thanks, which answer no question', (pipeline) => say(pipeline, REVIEWER, 'Thanks! 👍')],
    [
      'a word of somebody who may not write',
      (pipeline) => say(pipeline, aPerson({ id: 300, login: 'mallory' }), 'LGTM'),
    ],
    [
      'a push of somebody',
      (pipeline) => {
        pipeline.pushFromOutside(fakeSha('outside'));
        pipeline.reportCi('success');
      },
    ],
    [
      'a changed line',
      ({ github }) => {
        github.change({ threads: github.facts().threads.map((thread) => ({ ...thread, isOutdated: true })) });
      },
    ],
  ])('stays so after %s, and nothing more is launched (L1, L2, L4)', async (_what, move) => {
    const pipeline = await startLeft('needs_human');
    move(pipeline);
    await look(pipeline);

    expect(await look(pipeline)).toBe('REVIEW_NEEDS_PERSON');
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is worked on again when the reviewer says what to do (L1)', async () => {
    const pipeline = await startLeft('needs_human');
    say(pipeline, REVIEWER, 'Makes sense, call it total.');

    expect(await look(pipeline)).toBe('REVIEW_COMMENTS');
  });
});

describe('what a green pull request still waits for', () => {
  const bot = aPerson({ id: 700, login: 'linter', kind: 'bot' });

  it.each<[string, Partial<PullRequestFacts>, string, string]>([
    [
      'a thread of a bot',
      { threads: [aTalk('thread-1', { comments: [aComment({ author: bot })] })] },
      'ALL_GREEN',
      'All green · 1 review comment open',
    ],
    [
      'a missing approval',
      { threads: [], reviewDecision: 'review_required' },
      'ALL_GREEN',
      'All green · waiting for an approving review',
    ],
    [
      'a request of a deleted account',
      { threads: [], reviews: [aReview({ author: null })] },
      'REVIEW_NEEDS_PERSON',
      '1 review comment open',
    ],
    [
      'a thread of a deleted account',
      { threads: [aTalk('thread-1', { comments: [aComment({ author: null })] })] },
      'REVIEW_NEEDS_PERSON',
      '1 review comment open',
    ],
    [
      'a thread that was not read completely',
      { threads: [aTalk('thread-1', { comments: [aComment({ author: bot })], isPartial: true })] },
      'REVIEW_NEEDS_PERSON',
      '1 review comment open',
    ],
    [
      'a thread where the base requires resolved ones',
      {
        threads: [aTalk('thread-1', { comments: [aComment({ author: bot })] })],
        rules: { ...NO_RULES, mustResolveThreads: true },
      },
      'REVIEW_NEEDS_PERSON',
      '1 review comment open',
    ],
  ])('is told: %s (L1)', async (_what, facts, code, title) => {
    const pipeline = await startReviewed(facts);
    const content = pipeline.github.checkRuns().at(-1)?.content;

    expect(pipeline.lastCode()).toBe(code);
    expect(content?.title).toBe(title);
    expect(content?.summary).not.toContain('no review comment is open');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is the review of who requested changes, also after our answer (L1)', async () => {
    const pipeline = await startAnswered({
      threads: [],
      reviews: [aReview({ id: 5, author: REVIEWER, body: 'Add a test.' })],
    });
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(pipeline.github.checkRuns().at(-1)?.content).toMatchObject({
      conclusion: 'success',
      title: 'All green · waiting for a review by `grace`',
    });
  });

  it('is not the thread that we are about to resolve (L1)', async () => {
    const pipeline = await startAnswered({ rules: { ...NO_RULES, mustResolveThreads: true } });
    pipeline.github.failNext('postReview', new GitHubError('UNAVAILABLE', 'down', { retry: 'now' }));
    await pipeline.evaluate();
    pipeline.reportCi('success');
    pipeline.clock.advance(10 * MINUTE_MS);
    await pipeline.evaluate();

    expect(codesOf(pipeline)).toContain('ALL_GREEN');
    expect(codesOf(pipeline)).not.toContain('REVIEW_NEEDS_PERSON');
    expect(resolvedBy(pipeline)).toHaveLength(2);
  });

  it('is a person, where more people ask than one look reads the permission of (L1, T13)', async () => {
    const threads = Array.from({ length: 31 }, (_, nth) =>
      aTalk(`thread-${nth}`, {
        comments: [aComment({ author: aPerson({ id: 800 + nth, login: `asks-${nth}` }), createdAt: LONG_AGO })],
      }),
    );
    const pipeline = await startReviewed({ threads });

    expect(pipeline.github.calls.filter((call) => call === 'readPermission').length).toBeLessThan(40);
    expect(pipeline.lastCode()).toBe('REVIEW_NEEDS_PERSON');
    expect(pipeline.transitions()[0]?.reason).toContain('the comment of asks-30');
  });
});

describe('who speaks in a thread of somebody else', () => {
  const bot = aPerson({ id: 700, login: 'linter', kind: 'bot' });
  const mallory = aPerson({ id: 300, login: 'mallory' });

  it.each<[string, Actor | null]>([
    ['a bot', bot],
    ['an outsider', mallory],
    ['the author', WRITER],
    ['a deleted account', null],
  ])('is worked for: a maintainer in a thread of %s (L3)', async (_who, author) => {
    const at = { createdAt: LONG_AGO, updatedAt: LONG_AGO };
    const comments = [
      aComment({ author, body: 'Secret words.', ...at }),
      aComment({ id: 2, author: REVIEWER, body: 'Please fix this.', ...at }),
    ];
    const pipeline = await startReviewed({ author: WRITER, threads: [aTalk('thread-1', { comments })] });
    pipeline.agent.answerItems({ status: 'fixed' });
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(evidenceOf(pipeline).join()).toContain('Please fix this.');
    expect(evidenceOf(pipeline).join().includes('Secret words.')).toBe(author === WRITER);
  });
});
