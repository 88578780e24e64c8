import { describe, expect, it } from 'vitest';
import { renderFailedLook, renderFailedStatus } from '../../../src/core/render/render-failed-look.ts';
import { renderReply } from '../../../src/core/render/render-reply.ts';
import { toWaitingText } from '../../../src/core/render/waiting-words.ts';

const why = 'GET /repos: GitHub answered 502: <b>an HTML page</b>';

describe('a look that failed', () => {
  it('because GitHub is in trouble is waited for', () => {
    const text = renderFailedLook({ why, isRefused: false });

    expect(text).toMatchObject({ title: 'Waiting for GitHub', status: 'in_progress', conclusion: null, actions: [] });
    expect(text.summary).toMatch(
      /^\*\*GitHub could not be read: .*an HTML page.*\n\nRatchet tries again by itself\.\n$/u,
    );
  });

  it('because GitHub refuses it needs a person', () => {
    const text = renderFailedLook({ why, isRefused: true });

    expect(text).toMatchObject({
      title: 'Needs a person · GitHub refuses access',
      status: 'completed',
      conclusion: 'action_required',
      actions: [],
    });
    expect(text.summary).toContain('an HTML page');
    expect(text.summary).toContain('**What to do next:** Check the permissions and repositories of the installed App');
  });

  it.each([
    [false, '**Waiting for GitHub**', 'Ratchet tries again by itself.'],
    [true, '**GitHub refuses access**', 'Ratchet cannot go on until the App has access again.'],
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
    const reply = renderReply({
      ...{
        kind: 'status',
        agent: null,
        enablement: 'enabled',
        headSha: null,
        mode: 'push',
        pause: null,
        stop: null,
        isHeldByLabel: false,
        number: 7,
        beside: [],
      },
      decision: { action: 'WAIT', code: 'WORKING_SESSION', reason: 'A session works.' },
      attempts: { used: 0, max: 3 },
      sessions: [],
      waiting: { why: 'git fetch failed', since: 0 },
    });

    expect(reply).toContain('**Waiting for GitHub**');
    expect(reply).toContain(
      '- It waits for GitHub since 1970-01-01 00:00 UTC and tries again by itself: git fetch failed',
    );
  });

  it('says since when and why', () => {
    const text = toWaitingText({ why: 'git fetch failed', since: Date.UTC(2026, 10, 28, 12, 34) });

    expect(text).toBe('It waits for GitHub since 2026-11-28 12:34 UTC and tries again by itself: git fetch failed');
  });
});
