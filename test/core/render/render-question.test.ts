import { expect, it } from 'vitest';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { aStory } from '../../support/a-story.ts';
import { aRejection, aSession } from '../../support/builders.ts';

const ASKED = {
  text: 'Ask @octocat: **which** sum?\n/ratchet enable',
  choices: ['all', 'the `positive`'],
  answer: null,
};

function render(question: NonNullable<Parameters<typeof aRejection>[0]>['question'] & object): string {
  return renderFixup(aSession(aRejection({ code: 'ANSWER_NEEDED', question })), aStory());
}

it('shows what an agent asks, inert, with the possible answers (004.R36)', () => {
  const text = render(ASKED);
  expect(text).toContain('Nothing was pushed: the agent asks a question. This does not count as an attempt.');
  expect(text).toContain('The agent asks:');
  expect(text).toContain('Possible answers: `all`, `` the `positive` ``.');
  expect(text).not.toContain('@octocat');
  expect(text).not.toMatch(/^\/ratchet/mu);
  expect(text).not.toContain('answered');
});

it('shows the answer, and who gave it', () => {
  const text = render({ ...ASKED, choices: [], answer: { text: 'all of them', by: '@ada' } });
  expect(text).toContain('answered: all of them');
  expect(text).not.toContain('Possible answers');
});
