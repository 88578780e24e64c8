import { describe, expect, it } from 'vitest';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';
import {
  renderNothingToDo,
  renderPersonComment,
  toPersonNeed,
} from '../../../src/core/render/render-person-comment.ts';
import { aStory } from '../../support/a-story.ts';
import { aWorkspace, fakeSha } from '../../support/builders.ts';
import { expectInert } from '../../support/hostile-text.ts';

const HEAD = fakeSha('head');

function decided(code: DecisionCode) {
  return { action: 'TERMINAL_FAILED', code, reason: 'Because.' } as const;
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
  const stop: Stop = { causeKey: 'c', code: 'NO_PUSH', reason: 'The tests still fail.' };

  function comment(code: DecisionCode, ofStop: Stop | null): string {
    return renderPersonComment(aStory({}, { decision: decided(code), workspace: aWorkspace({ stop: ofStop }) }), HEAD);
  }

  it('says at which head, why, and what to do', () => {
    expect(comment('CI_BLOCKED', null)).toMatchInlineSnapshot(`
      "**CI is waiting for approval** (at \`0000000000\`)

      **Because.**

      **Next step (maintainer):** Approve or reject the waiting CI run. Ratchet then continues by itself.

      The check run "Ratchet" has the details. Ratchet edits this comment when something changes."
    `);
  });

  it('tells of a stop why it stopped, and of anything else what was decided', () => {
    expect(comment('STOPPED_SAME_CAUSE', stop)).toContain('The tests still fail.');
    expect(comment('STOPPED_SAME_CAUSE', null)).toContain('Because.');
    expect(comment('CI_BLOCKED', stop)).toContain('Because.');
  });

  it('has better words for a suggested change', () => {
    expect(comment('STOPPED_SAME_CAUSE', { ...stop, code: 'SUGGESTED' })).toContain('**A change is suggested** (at ');
  });

  it('says nothing of a next step where there is none', () => {
    expect(comment('ALL_GREEN', null)).not.toContain('Next step');
  });

  it('lets no text of others become a mention, a link or a command (T55)', () => {
    expectInert(comment('STOPPED_SAME_CAUSE', { ...stop, reason: '@all #1\n/ratchet stop' }));
  });
});

it.each([
  [false, 'Nothing to do'],
  [true, 'Waiting for a review'],
])('renderNothingToDo says at which head, and whether a review is awaited: %s', (isReviewAwaited, heading) => {
  expect(renderNothingToDo(HEAD, isReviewAwaited)).toMatch(`**${heading}** (at \`${HEAD.slice(0, 10)}\`)`);
});
