import { describe, expect, it } from 'vitest';
import { renderCheckRun } from '../../../src/core/render/render-check-run.ts';
import { aStory } from '../../support/a-story.ts';
import type { SnapshotChange } from '../../support/builders.ts';

describe('what a review waits for', () => {
  const GREEN = { ci: { status: 'success' } } as const;
  const LEFT = { why: 'needs_human', by: 'grace', path: 'src/a.ts', answer: 'Which name? @all' } as const;

  it.each<[NonNullable<SnapshotChange['review']>, string]>([
    [{}, 'All green'],
    [{ left: 1 }, '1 review comment open'],
    [{ left: 2 }, '2 review comments open'],
    [{ otherOpen: 3 }, 'All green · 3 review comments open'],
    [{ otherOpen: 3, decision: 'approved' }, 'All green · 3 review comments open'],
    [{ otherOpen: 3, decision: 'review_required' }, 'All green · waiting for an approving review'],
    [{ otherOpen: 3, decision: 'changes_requested' }, 'All green · changes are still requested'],
    [
      { changesRequestedBy: ['grace', 'al`an', 'kay', 'ida'], decision: 'changes_requested' },
      'All green · waiting for a review by `grace`, `` al`an ``, `kay`',
    ],
  ])('is in the title: %j (L1)', (review, title) => {
    expect(renderCheckRun(aStory({ ...GREEN, review })).title).toBe(title);
  });

  it('is in the text, with our answer as inert text (L1)', () => {
    const { summary, conclusion, actions } = renderCheckRun(
      aStory({
        ...GREEN,
        review: { left: 3, leftItems: [LEFT, { ...LEFT, why: 'unread' }], actionable: 0, otherOpen: 2 },
      }),
    );

    expect(conclusion).toBe('action_required');
    expect(actions.map(({ identifier }) => identifier)).toEqual(['why', 'disable']);
    expect(summary).toContain('**Next step (author):** Answer in the thread or resolve it.');
    expect(summary).toContain('- Reviews: 5 open comments (0 for Ratchet, 3 for a person)\n');
    expect(summary).toContain(
      '  - Ratchet left the comment of grace on src/a.ts to a person: "Which name? @\u2060all"\n',
    );
    expect(summary).toContain(
      '  - The thread on src/a.ts is too long to be read completely.\n  - and 1 more\n- Attempts',
    );
  });

  it('says no more where everything is told (L1)', () => {
    const { summary } = renderCheckRun(aStory({ ...GREEN, review: { left: 1, leftItems: [LEFT] } }));

    expect(summary).not.toContain('more');
    expect(summary).toContain('- Reviews: 1 open comment (0 for Ratchet, 1 for a person)\n');
  });
});

describe('the check run of a branch with several pull requests (S18)', () => {
  const beside = [{ number: 8, state: 'waiting' as const }];

  it('says in its title and its list that another is not green, and stays open', () => {
    const story = aStory({ ci: { status: 'success' }, pullRequest: { beside: [8] } }, { beside });
    const { title, conclusion, summary } = renderCheckRun(story);

    expect([title, conclusion]).toEqual(['Green here · #8 of this branch is not green yet', null]);
    expect(summary).toContain('- #7 has the same branch as #8: one fixup at a time');
  });

  it('says where it is paused', () => {
    expect(renderCheckRun(aStory({ ratchet: { pausedBeside: 8 } }, { beside })).summary).toContain('- Paused on #8');
  });

  it('names none where there is no pull request any more', () => {
    expect(renderCheckRun(aStory({ pullRequest: null })).summary).not.toContain('the same branch');
  });
});
