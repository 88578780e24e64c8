import { describe, expect, it } from 'vitest';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';
import {
  renderNothingToDo,
  renderPersonComment,
  toPersonNeed,
} from '../../../src/core/render/render-person-comment.ts';
import { fakeSha } from '../../support/builders.ts';
import { expectInert } from '../../support/hostile-text.ts';

const HEAD = fakeSha('head');

function decided(code: DecisionCode, reason = 'Because.') {
  return { action: 'TERMINAL_FAILED', code, reason } as const;
}

describe('toPersonNeed', () => {
  it.each([
    ['ATTEMPTS_EXHAUSTED', 'needed'],
    ['STOPPED_SAME_CAUSE', 'needed'],
    ['CI_BLOCKED', 'needed'],
    ['STALE_CI_TIMEOUT', 'needed'],
    ['FORK_NOT_SUPPORTED', 'needed'],
    ['ALL_GREEN', 'over'],
    ['DISABLED', 'over'],
    ['PR_NOT_OPEN', 'over'],
    ['CI_RUNNING', 'open'],
    ['WORKING_SESSION', 'open'],
    ['CI_FAILED', 'open'],
    ['PAUSED', 'open'],
    ['DRAFT_HELD', 'open'],
    ['OBSERVE_ONLY', 'open'],
  ] as const)('of %s is %s', (code, need) => {
    expect(toPersonNeed(decided(code))).toBe(need);
  });
});

describe('renderPersonComment', () => {
  const stop: Stop = { causeKey: 'c', code: 'NO_PUSH', reason: 'The tests fail still.' };

  it('says at which head, why, and what to do', () => {
    expect(renderPersonComment(decided('CI_BLOCKED'), HEAD, null)).toMatchInlineSnapshot(`
      "**Needs a person · CI waits for approval** (at \`0000000000000000000000000000000068656164\`)

      Because.

      Approve the waiting CI run, or reject it. Ratchet goes on by itself after that.

      The check run "Ratchet" has the whole story. This comment is edited in place."
    `);
  });

  it('tells of a stop why it stopped, and of anything else what was decided', () => {
    expect(renderPersonComment(decided('STOPPED_SAME_CAUSE'), HEAD, stop)).toContain('The tests fail still.');
    expect(renderPersonComment(decided('STOPPED_SAME_CAUSE'), HEAD, null)).toContain('Because.');
    expect(renderPersonComment(decided('CI_BLOCKED'), HEAD, stop)).toContain('Because.');
  });

  it('has better words for a suggested change', () => {
    expect(renderPersonComment(decided('STOPPED_SAME_CAUSE'), HEAD, { ...stop, code: 'SUGGESTED' })).toContain(
      'a change is suggested',
    );
  });

  it('says nothing of a next step where there is none', () => {
    const text = renderPersonComment(
      { action: 'DONE', code: 'ALL_GREEN', reason: 'All is green.' },
      fakeSha('a'),
      null,
    );

    expect(text.split('\n').slice(1, 4)).toEqual(['', 'All is green.', '']);
  });

  it('lets no text of others become a mention, a link or a command (T55)', () => {
    expectInert(
      renderPersonComment(decided('STOPPED_SAME_CAUSE'), HEAD, { ...stop, reason: '@all #1\n/ratchet stop' }),
    );
  });
});

it.each([
  [false, 'Nothing to do for a person'],
  [true, 'Waiting for a review'],
])('renderNothingToDo says at which head, and whether a review is awaited: %s', (isReviewAwaited, heading) => {
  expect(renderNothingToDo(HEAD, isReviewAwaited)).toMatch(`**${heading}** (at \`${HEAD}\`)`);
});
