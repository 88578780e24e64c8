import { describe, expect, it } from 'vitest';
import { renderFailedLook, renderFailedStatus } from '../../../src/core/render/render-failed-look.ts';
import { renderReply } from '../../../src/core/render/render-reply.ts';
import { toWaitingText } from '../../../src/core/render/waiting-words.ts';
import { aStory } from '../../support/a-story.ts';
import { aSession } from '../../support/builders.ts';

const why = 'GET /repos: GitHub answered 502: <b>an HTML page</b>';

describe('a look that failed', () => {
  it('because GitHub is in trouble is waited for', () => {
    const text = renderFailedLook({ why, isRefused: false });

    expect(text).toMatchObject({ title: 'Waiting for GitHub', status: 'in_progress', conclusion: null, actions: [] });
    expect(text.summary).toMatch(
      /^\*\*Ratchet could not read the pull request from GitHub: .*an HTML page.*\n\nRatchet tries again by itself\.\n$/u,
    );
  });

  it('because GitHub refuses it needs a person', () => {
    const text = renderFailedLook({ why, isRefused: true });

    expect(text).toMatchObject({
      title: 'GitHub refuses access',
      status: 'completed',
      conclusion: 'action_required',
      actions: [],
    });
    expect(text.summary).toContain('an HTML page');
    expect(text.summary).toContain('**Next step (maintainer):** Check the permissions');
  });

  it.each([
    [false, '**Waiting for GitHub**', 'Ratchet tries again by itself.'],
    [
      true,
      '**GitHub refuses access**',
      '**Next step (maintainer):** Check the permissions and repositories of the installed App, and whether it is suspended.',
    ],
  ])('is told to who asks for the status (refused: %s)', (isRefused, title, next) => {
    const reply = renderFailedStatus({ why, isRefused });

    expect(reply.startsWith(`${title}\n\n`)).toBe(true);
    expect(reply.endsWith(`\n\n${next}\n`)).toBe(true);
    expect(renderReply({ kind: 'failed_look', failed: { why, isRefused } })).toBe(reply);
  });

  it('says nothing in Markdown or HTML of others', () => {
    const texts = [
      renderFailedLook({ why, isRefused: false }).summary,
      renderFailedLook({ why, isRefused: true }).summary,
      renderFailedStatus({ why, isRefused: false }),
      toWaitingText({ why, since: 0 }),
    ];

    for (const text of texts) expect(text).not.toContain('<b>');
  });
});

describe('work that waits for GitHub', () => {
  it('is the title of the status, with the reason', () => {
    const decision = { action: 'WAIT', code: 'WORKING_SESSION', reason: 'A session works.' } as const;
    const waiting = { why: 'git fetch failed', since: 0 };
    const story = aStory({}, { decision, waiting, working: aSession(null) });
    const reply = renderReply({ kind: 'status', enablement: 'enabled', pause: null, sessions: [], story });

    expect(reply).toContain('**Waiting for GitHub · attempt 1 of 3**');
    expect(reply).toContain(
      'Ratchet has been waiting for GitHub since 1970-01-01 00:00 UTC and tries again by itself: git fetch failed',
    );
  });

  it('says since when and why', () => {
    const text = toWaitingText({ why: 'git fetch failed', since: Date.UTC(2026, 10, 28, 12, 34) });

    expect(text).toBe(
      'Ratchet has been waiting for GitHub since 2026-11-28 12:34 UTC and tries again by itself: git fetch failed',
    );
  });
});
