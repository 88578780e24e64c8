import { describe, expect, it } from 'vitest';
import type { AgentStanding } from '../../../src/core/model/agent-standing.ts';
import { parseSessionId } from '../../../src/core/model/ids.ts';
import { toAgentLines } from '../../../src/core/render/agent-lines.ts';
import { toLinkedName } from '../../../src/core/render/markdown.ts';
import { renderCheckRun } from '../../../src/core/render/render-check-run.ts';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { renderReply } from '../../../src/core/render/render-reply.ts';
import { aStory } from '../../support/a-story.ts';
import {
  aCheck,
  aFixup,
  aPerson,
  aPullRequest,
  aPush,
  aRejection,
  aSession,
  aWorkspace,
} from '../../support/builders.ts';

const RED = { ci: { status: 'failure', runId: 'r1' } } as const;
const ACCEPT = { sessionId: parseSessionId('s1'), by: aPerson(), commandId: 1, ciRunId: null };
const HELD: AgentStanding = { kind: 'not_allowed', agent: 'claude' };
const toCommitUrl = (): string => 'https://github.example/commit';

describe('a failing check', () => {
  it('is a link, if its page has a usable URL', () => {
    expect(toLinkedName('build', 'https://ci.example/1?a=b')).toBe('[`build`](<https://ci.example/1?a=b>)');
    for (const url of [
      null,
      'javascript:alert(1)',
      'https://ci.example/a>b',
      `https://ci.example/${'x'.repeat(600)}`,
    ]) {
      expect(toLinkedName('build', url)).toBe('`build`');
    }
  });

  it('is told apart from another of its name by workflow and event', () => {
    const red = { conclusion: 'failure' } as const;
    const checks = [
      aCheck({ ...red, id: 1, workflow: 'CI', event: 'push' }),
      aCheck({ ...red, id: 2, workflow: 'CI', event: 'pull_request' }),
      aCheck({ ...red, id: 3, event: null }),
    ];
    const failing = checks.map((check) => ({ name: 'build', conclusion: 'failure', check }) as const);
    const story = aStory(RED);
    const ci = story.ci === null ? null : { ...story.ci, failing };
    const { summary } = renderCheckRun({ ...story, ci });
    expect(summary).toContain('`build` (workflow `CI`, `push`): failure');
    expect(summary).toContain('`build` (workflow `CI`, `pull_request`): failure');
    expect(summary).toContain('`build`: failure');
  });
});

it('says once why no agent starts', () => {
  const lines = toAgentLines(HELD, { reason: 'CI failed.' });
  expect(lines).toHaveLength(1);
  expect(
    toAgentLines(HELD, { reason: lines[0]?.replace('- No agent starts: ', 'CI failed, but ') ?? '' }),
  ).toBeDefined();
  expect(toAgentLines(null, { reason: 'CI failed.' })).toEqual([]);
  expect(toAgentLines({ kind: 'ready' }, { reason: 'CI failed.' })).toEqual([]);
});

it('offers to resume where a person paused, and not where a label holds', () => {
  const paused = renderCheckRun(aStory({ ratchet: { paused: true } }));
  expect(paused.actions.map(({ identifier }) => identifier)).toEqual(['resume', 'why', 'disable']);
  const held = renderCheckRun(aStory({ pullRequest: { holdLabel: true } }));
  expect(held.actions.map(({ identifier }) => identifier)).toEqual(['why', 'disable']);
});

it('says who accepted a change, and that it is validated again', () => {
  const fixup = aFixup({ accept: ACCEPT });
  const text = renderFixup(aSession(aPush(), { fixup }), { workspace: aWorkspace(), toCommitUrl });
  expect(text).toContain(`accepted by \`${ACCEPT.by.login}\``);
  const working = aSession(null, { fixup });
  expect(renderCheckRun(aStory({ workingSession: true }, { working })).title).toBe(
    'Validating the accepted change again',
  );
  const waiting = { why: 'no route', since: 0 };
  expect(renderCheckRun(aStory({ workingSession: true }, { working, waiting })).title).not.toContain('accepted');
});

it('does not repeat what the headline has said about an attempt', () => {
  const session = aSession(aRejection({ detail: 'npm test failed.' }));
  const stop = { causeKey: 'k1', code: 'NO_PUSH', reason: 'npm test failed.' } as const;
  expect(renderFixup(session, { workspace: aWorkspace({ stop }), toCommitUrl })).not.toContain('npm test failed.');
  expect(renderFixup(session, { workspace: aWorkspace(), toCommitUrl })).toContain('npm test failed.');
});

it('answers status for a pull request that is not there any more', () => {
  const story = aStory({ pullRequest: null }, { facts: aPullRequest() });
  const text = renderReply({ kind: 'status', enablement: 'enabled', story, pause: null, sessions: [] });
  expect(text).toContain('Commit:');
  expect(text).not.toContain('same branch');
});

it('has the choices of an open question as buttons (004.R36)', () => {
  const question = { text: 'Which?', choices: ['yes', 'no'], answer: null };
  const asked = aSession(aRejection({ code: 'ANSWER_NEEDED', question }), { fixup: aFixup({ causeKey: 'k1' }) });
  const workspace = aWorkspace({ stop: { causeKey: 'k1', code: 'QUESTION', reason: '' } });
  const story = aStory({ ...RED, ratchet: { stoppedFor: 'k1' }, causeKey: 'k1' }, { workspace, sessions: [asked] });
  expect(story.decision.code).toBe('STOPPED_SAME_CAUSE');
  expect(renderCheckRun(story).actions.map(({ label }) => label)).toEqual(['yes', 'no']);
});

it('says which attempts count', () => {
  const told = (code: 'BUDGET_EXHAUSTED' | 'AGENT_BLOCKED'): string =>
    renderFixup(aSession(aRejection({ code })), { workspace: aWorkspace(), toCommitUrl });
  expect(told('BUDGET_EXHAUSTED')).toContain('This counts as an attempt.');
  expect(told('AGENT_BLOCKED')).toContain('This does not count as an attempt.');
});

it('has a title for a failure whose checks are not known', () => {
  const stop = { causeKey: 'k1', code: 'NO_PUSH', reason: '', reject: 'AGENT_BLOCKED' } as const;
  const story = aStory(
    { ...RED, ratchet: { stoppedFor: 'k1' }, causeKey: 'k1' },
    { ci: null, workspace: aWorkspace({ stop }) },
  );
  expect(renderCheckRun(story).title).toContain('Could not fix 0 failing checks');
});
