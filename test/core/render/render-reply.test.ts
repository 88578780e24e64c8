import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/core/commands/command-names.ts';
import { parseCommands } from '../../../src/core/commands/parse-commands.ts';
import type { LoggedDecision } from '../../../src/core/decide/last-decisions.ts';
import type { Decision, DecisionCode } from '../../../src/core/model/decision.ts';
import type { Headlined } from '../../../src/core/render/headline.ts';
import { renderCheckRun } from '../../../src/core/render/render-check-run.ts';
import { type Reply, renderReply } from '../../../src/core/render/render-reply.ts';
import { aStory } from '../../support/a-story.ts';
import { aPerson, aSession, aWorkspace, forge, NOW, type SnapshotChange } from '../../support/builders.ts';
import { expectInert, hostileText } from '../../support/hostile-text.ts';
import { aProgress, SWITCHED_OFF } from '../../support/model-builders.ts';

function decided(code: DecisionCode): Decision {
  return { action: 'WAIT', code, reason: 'Because.' };
}

function aStatus(
  change: Partial<Extract<Reply, { kind: 'status' }>>,
  story: Partial<Headlined> = {},
  when: SnapshotChange = {},
): Reply {
  const told = aStory(when, { decision: decided('CI_FLAKY'), ...story });
  return { kind: 'status', enablement: 'enabled', story: told, pause: null, sessions: [], ...change };
}

function aStep(change: Partial<LoggedDecision> = {}): LoggedDecision {
  const reason = 'CI failed\n/ratchet enable @all';
  return { action: 'FIX_CI', code: 'CI_FAILED', reason, createdAt: 0, since: 0, times: 1, ...change };
}

describe('renderReply', () => {
  const REPLIES: readonly Reply[] = [
    { kind: 'help' },
    aStatus({ enablement: 'never', story: null }),
    aStatus({ story: null }),
    aStatus({}),
    aStatus({ enablement: 'disabled' }, { decision: decided('DISABLED'), facts: null }),
    aStatus(
      {
        pause: { by: aPerson(), at: NOW },
        sessions: [
          aSession(null),
          aSession(null, { kind: 'user', label: '@ada' }),
          aSession(null, { kind: 'user', status: 'idle' }),
          ...Array.from({ length: 4 }, () => aSession(null)),
        ],
      },
      {},
      { policy: { mode: 'observe' }, pullRequest: { holdLabel: true, beside: [8] } },
    ),
    { kind: 'refused', name: 'enable', why: 'needs_write' },
    { kind: 'refused', name: null, why: 'bot' },
    { kind: 'unknown', written: 'enabel', nearest: 'enable' },
    { kind: 'why', decisions: [] },
    { kind: 'why', decisions: [aStep(), aStep({ times: 3, since: NOW - 60_000, createdAt: NOW })] },
    { kind: 'still_paused', isHeldByLabel: true },
    { kind: 'still_paused', isHeldByLabel: false },
    { kind: 'unknown', written: 'dance', nearest: null },
    { kind: 'unknown', written: '', nearest: null },
    { kind: 'unread', line: '/ratchet enable `x`', why: '"enable" takes nothing else, and "@all" is not known' },
    { kind: 'not_undone', why: 'It is `gone`.', byHand: [] },
    { kind: 'not_undone', why: 'Later commits.', byHand: ["git switch '```@all'", 'git revert abc'] },
    { kind: 'cannot', name: 'check', why: 'there is no flag --*' },
  ];

  it('says these things', () => {
    expect(REPLIES.map(renderReply).join('---\n')).toMatchInlineSnapshot(`
      "Write a command at the start of a line of a comment:

      - \`/ratchet enable\`: let Ratchet fix this pull request (needs write permission)
      - \`/ratchet disable\`: stop working on this pull request; a running fixup is not pushed (needs write permission)
      - \`/ratchet status\`: say what Ratchet sees and what it does next
      - \`/ratchet why\`: explain the last decisions
      - \`/ratchet retry\`: start over with a fresh budget (needs write permission)
      - \`/ratchet pause\`: start and push nothing until \`/ratchet resume\` (needs write permission, or to be the author of the pull request)
      - \`/ratchet resume\`: go on after a pause (needs write permission)
      - \`/ratchet stop\`: end the running fixup at once (needs write permission, or to be the author of the pull request)
      - \`/ratchet check\`: run the engines again, on the given paths or on what is changed; \`--timeout SECONDS\` limits each of them (needs write permission)
      - \`/ratchet rebaseline\`: accept the new findings of this commit; write the reason after the command (needs write permission)
      - \`/ratchet undo\`: revert the last fixup; later commits stay (needs write permission)
      - \`/ratchet accept\`: push the change that waits for a person, after it is validated again (needs write permission)
      - \`/ratchet answer\`: answer the question of the agent; write the answer after the command (needs write permission)
      - \`/ratchet help\`: show this list
      ---
      Ratchet is not enabled on this pull request. Comment \`/ratchet enable\` to enable it.
      ---
      Ratchet is not enabled on this pull request. Comment \`/ratchet enable\` to enable it.
      ---
      **Re-running 1 failing check**

      **Because.**

      - Commit: \`0000000000000000000000000000000068656164\`
      - Attempts used: 0 of 3 (an attempt counts if it pushes, or uses up its time or budget)
      ---
      **Disabled**

      **Because.**

      **Next step (maintainer):** Comment \`/ratchet enable\` to let Ratchet work on this pull request.

      - Attempts used: 0 of 3 (an attempt counts if it pushes, or uses up its time or budget)
      ---
      **Re-running 1 failing check**

      **Because.**

      - Commit: \`0000000000000000000000000000000068656164\`
      - Attempts used: 0 of 3 (an attempt counts if it pushes, or uses up its time or budget)
      - #7 has the same branch as #8: one fixup at a time and one budget of attempts
      - Paused by \`ada\` since 2026-01-01 00:00 UTC
      - On hold by a label
      - Mode: \`observe\`
      - Working: an attempt of Ratchet, since 2025-12-31 23:50 UTC
      - Working: @⁠ada, since 2025-12-31 23:50 UTC
      - Idle: somebody, since 2025-12-31 23:50 UTC
      - Working: an attempt of Ratchet, since 2025-12-31 23:50 UTC
      - Working: an attempt of Ratchet, since 2025-12-31 23:50 UTC
      - and 2 more
      ---
      The command \`/ratchet enable\` was not carried out, because it needs write permission in this repository.
      ---
      That was not carried out, because Ratchet accepts no commands from bots.
      ---
      There is no command \`enabel\`. Did you mean \`/ratchet enable\`? The command \`/ratchet help\` lists all commands.
      ---
      Ratchet has decided nothing here yet. Comment \`/ratchet enable\` to enable Ratchet.
      ---
      The last decisions, newest first:

      - 1970-01-01 00:00 UTC \`CI_FAILED\`: CI failed /ratchet enable @⁠all
      - 2026-01-01 00:00 UTC \`CI_FAILED\`: CI failed /ratchet enable @⁠all (3 times since 2025-12-31 23:59 UTC)
      ---
      Ratchet has new attempts, but it is paused here. To let it continue, remove the hold label.
      ---
      Ratchet has new attempts, but it is paused here. To let it continue, comment \`/ratchet resume\`.
      ---
      There is no command \`dance\`. The command \`/ratchet help\` lists all commands.
      ---
      The comment names no command. The command \`/ratchet help\` lists all commands.
      ---
      \`\` /ratchet enable \`x\` \`\` was not carried out: "enable" takes nothing else, and "@⁠all" is not known.
      ---
      The last fixup was not undone: It is \`gone\`.
      ---
      The last fixup was not undone: Later commits.

      By hand:

      \`\`\`\`sh
      git switch '\`\`\`@all'
      git revert abc
      \`\`\`\`
      ---
      The command \`/ratchet check\` was not carried out: there is no flag --\\*.
      "
    `);
  });

  it.each(REPLIES)('contains no command of its own: %j (trap 53)', (reply) => {
    expect(parseCommands(renderReply(reply), { slug: 'ratchet' })).toEqual([]);
  });

  it('contains none whatever was written', () => {
    fc.assert(
      fc.property(hostileText, (written) => {
        const text = renderReply({ kind: 'unknown', written, nearest: null });

        expectInert(text);
        expect(parseCommands(text, { slug: 'ratchet' })).toEqual([]);
      }),
    );
  });

  it('lists in its help exactly what works', () => {
    const help = renderReply({ kind: 'help' });

    for (const { name } of COMMANDS) expect(help).toContain(`\`/ratchet ${name}\``);
  });

  it('refuses a kind that does not exist', () => {
    expect(() => renderReply(forge<Reply>('{"kind":"odd"}'))).toThrow('unexpected value');
  });
});

describe('the status of a stopped pull request', () => {
  const stop = { causeKey: 'cause-1', code: 'DECLINED', reason: '1 declined. "Which name? @all"' } as const;
  const workspace = aWorkspace({ stop });

  it('says why it stopped, and quotes the answers (L1)', () => {
    const stopped = renderReply(aStatus({}, { decision: decided('STOPPED_SAME_CAUSE'), workspace }));

    expect(stopped).toContain('**Review comments were declined**');
    expect(stopped).toContain('**1 declined. "Which name? @\u2060all"**\n');
    expect(renderReply(aStatus({}, { workspace }))).not.toContain('Which name');
  });

  it('begins like the check run (L16)', () => {
    const story = aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace });
    const { title, summary } = renderCheckRun(story);

    expect(renderReply(aStatus({ story }))).toMatch(
      [`**${title}**`, ...summary.split('\n\n').slice(0, 2)].join('\n\n'),
    );
  });
});

describe('the status of agents', () => {
  const snapshot = { agent: SWITCHED_OFF };

  it('says why no agent starts, unless the decision has said so', () => {
    const decision: Decision = { action: 'FIX_MERGE_CONFLICT', code: 'MERGE_CONFLICT', reason: 'It conflicts.' };
    const reason = 'CI failed, but ada switched agents off at 1970-01-01 00:00 UTC: too expensive.';

    expect(renderReply(aStatus({}, { decision }, snapshot))).toContain(
      '- No agent starts: Ada switched agents off at 1970-01-01 00:00 UTC: too expensive.',
    );
    expect(renderReply(aStatus({}, { decision: { ...decision, reason } }, snapshot))).not.toContain('No agent');
    expect(renderReply(aStatus({}, { decision }))).not.toContain('No agent');
  });

  it('says what the agent does', () => {
    expect(renderReply(aStatus({}, { progress: aProgress() }))).toContain(
      'The agent `claude` is running `npm test`; so far 3 calls, 1600 tokens, 0.01 USD of the model `model-1`.',
    );
  });
});
