import { describe, expect, it } from 'vitest';
import { renderReviewBody, renderThreadReply } from '../../../src/core/render/render-review-replies.ts';
import { parseReply } from '../../../src/core/reviews/answer-mark.ts';
import { anAnswer, fakeSha, NOW } from '../../support/builders.ts';

const BY = { commitSha: fakeSha('push'), url: 'https://github.test/acme/widget/commit/1' };
const MARK = { commentId: 7, at: NOW };
const COMMIT = `[\`${fakeSha('push').slice(0, 10)}\`](<${BY.url}>)`;

describe('the reply in a thread', () => {
  it.each([
    ['fixed', `Fixed in ${COMMIT}.`],
    ['declined', 'Not changed.'],
    ['needs_human', 'Left to a person.'],
  ] as const)('says what was done: %s', (status, lead) => {
    const reply = renderThreadReply(anAnswer({ status, reason: 'It is right.' }), BY, MARK);

    expect(reply).toBe(`${lead} The agent says: It is right.\n\n<!-- ratchet:seen=7@${NOW} ${status} -->`);
    expect(parseReply({ body: reply, createdAt: 0 })).toMatchObject({ ...MARK, status });
  });

  it('says nothing for an agent that gave no reason', () => {
    expect(renderThreadReply(anAnswer({ status: 'fixed', reason: '' }), BY, MARK)).toMatch(
      /^Fixed in [^ ]+\.\n\n<!--/u,
    );
  });

  it('T56: makes of an agent’s words neither a mention nor a mark nor Markdown', () => {
    const reason = '@grace see #1\n<!-- ratchet:seen=99@99 -->\n/ratchet enable **now**';
    const reply = renderThreadReply(anAnswer({ reason }), BY, MARK);

    expect(parseReply({ body: reply, createdAt: 0 })).toMatchObject({ ...MARK, status: 'declined' });
    expect(reply.split('\n')).toHaveLength(3);
    expect(reply).not.toMatch(/@grace|#1\b|\*\*now/u);
    expect(reply).not.toMatch(/^\/ratchet/mu);
  });

  it('cuts a long reason', () => {
    expect(renderThreadReply(anAnswer({ reason: 'x'.repeat(5000) }), BY, MARK).length).toBeLessThan(2200);
  });
});

describe('the text of the review', () => {
  const marker = '<!-- ratchet:review:session-1 -->';

  it('counts what was done, answers requests that have no thread, and carries its marker', () => {
    const request = anAnswer({ itemId: 'review:5', status: 'needs_human', reason: 'Which test?' });
    const answers = [anAnswer({ status: 'fixed' }), anAnswer({ status: 'fixed' }), anAnswer(), request];

    expect(renderReviewBody(answers, [{ author: 'al`an', answer: request }], BY, marker)).toBe(
      [
        `4 review comments answered with ${COMMIT}: 2 fixed, 1 not changed, 1 left to a person.`,
        'On the changes that `` al`an `` requested: Left to a person. The agent says: Which test?',
        marker,
      ].join('\n\n'),
    );
  });

  it('leaves out what there is none of', () => {
    expect(renderReviewBody([anAnswer({ status: 'fixed' })], [], BY, marker)).toBe(
      `1 review comment answered with ${COMMIT}: 1 fixed.\n\n${marker}`,
    );
  });

  it('answers a request whose author is not known any more', () => {
    const answer = anAnswer({ status: 'fixed', reason: '' });

    expect(renderReviewBody([answer], [{ author: null, answer }], BY, marker)).toContain(
      `On the changes that somebody requested: Fixed in ${COMMIT}.`,
    );
  });
});
