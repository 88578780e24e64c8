import { describe, expect, it } from 'vitest';
import { renderCheckRun, renderSupersededCheckRun } from '../../../src/core/render/render-check-run.ts';
import { aStory } from '../../support/a-story.ts';
import { aSession, fakeSha } from '../../support/builders.ts';

describe('renderSupersededCheckRun', () => {
  it('points at the new head where it is known', () => {
    expect(renderSupersededCheckRun(fakeSha('next'))).toMatchObject({ status: 'completed', conclusion: 'neutral' });
    expect(renderSupersededCheckRun(fakeSha('next')).summary).toContain(fakeSha('next'));
    expect(renderSupersededCheckRun(null).summary).toBe('The branch has a newer commit.\n');
  });

  it('says that a session waits for GitHub, since when and why', () => {
    const story = aStory({ workingSession: true }, { working: aSession(null), waiting: { why: 'no route', since: 0 } });

    const text = renderCheckRun(story);

    expect(text.title).toMatch(/^Waiting for GitHub · attempt \d+ of \d+$/u);
    expect(text.status).toBe('in_progress');
    expect(text.summary).toContain(
      'Ratchet has been waiting for GitHub since 1970-01-01 00:00 UTC and tries again by itself: no route',
    );
    expect(renderCheckRun({ ...story, waiting: null }).title).toMatch(/^Working · attempt/u);
  });
});
