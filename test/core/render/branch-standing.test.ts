import { describe, expect, it } from 'vitest';
import type { RatchetState } from '../../../src/core/model/workspace.ts';
import { toBesideLines, toBesideTitle, toStanding } from '../../../src/core/render/branch-standing.ts';
import type { Standing } from '../../../src/core/render/decision-words.ts';
import { aPullRequest, NO_RULES } from '../../support/builders.ts';

const GREEN = { action: 'DONE', code: 'ALL_GREEN', reason: '' } as const;
const STOPPED = { action: 'DONE', code: 'STOPPED_SAME_CAUSE', reason: '' } as const;

function aBeside(...states: readonly RatchetState[]) {
  return states.map((state, index) => ({ number: 8 + index, state }));
}

describe('a green pull request beside others of its branch (S18)', () => {
  it.each<[readonly RatchetState[], Standing, string | null]>([
    [[], 'success', null],
    [['green', 'green'], 'success', null],
    [['green', 'waiting'], 'in_progress', 'Green here · #9 of this branch is not green yet'],
    [['idle', 'fixing'], 'in_progress', 'Green here · #8 and #9 of this branch are not green yet'],
    [['stopped'], 'action_required', 'Green here · #8 of this branch needs a person'],
    [['waiting', 'failed'], 'action_required', 'Green here · #9 of this branch needs a person'],
  ])('that are %j is %s: %s', (states, standing, title) => {
    const story = { decision: GREEN, facts: null, beside: aBeside(...states) };

    expect([toStanding(story), toBesideTitle(story)]).toEqual([standing, title]);
  });

  it('is what a required check needs where Ratchet is disabled (S24)', () => {
    const decision = { action: 'CLEANUP_ONLY', code: 'DISABLED', reason: '' } as const;
    const requiring = (requiredChecks: readonly string[]) => aPullRequest({ rules: { ...NO_RULES, requiredChecks } });

    expect(toStanding({ decision, beside: [], facts: requiring(['Ratchet']) })).toBe('action_required');
    expect(toStanding({ decision, beside: [], facts: requiring(['test']) })).toBe('neutral');
  });

  it('says nothing of them where it is not green itself', () => {
    const story = { decision: STOPPED, facts: null, beside: aBeside('waiting') };

    expect([toStanding(story), toBesideTitle(story)]).toEqual(['action_required', null]);
  });
});

describe('toBesideLines', () => {
  it('names all pull requests of the branch', () => {
    expect(toBesideLines(7, [])).toEqual([]);
    expect(toBesideLines(7, [8, 9])).toEqual([
      '- #7 has the same branch as #8 and #9: one fixup at a time and one budget of attempts',
    ]);
  });
});
