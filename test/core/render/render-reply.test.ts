import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/core/commands/command-names.ts';
import { parseCommands } from '../../../src/core/commands/parse-commands.ts';
import type { LoggedDecision } from '../../../src/core/decide/last-decisions.ts';
import type { Decision, DecisionCode } from '../../../src/core/model/decision.ts';
import { type Reply, renderReply } from '../../../src/core/render/render-reply.ts';
import { aPerson, aSession, fakeSha, forge, NOW } from '../../support/builders.ts';
import { expectInert, hostileText } from '../../support/hostile-text.ts';
import { aProgress, SWITCHED_OFF } from '../../support/model-builders.ts';

function decided(code: DecisionCode): Decision {
  return { action: 'WAIT', code, reason: 'Because.' };
}

function aStatus(change: Partial<Extract<Reply, { kind: 'status' }>>): Reply {
  return {
    kind: 'status',
    number: 7,
    enablement: 'enabled',
    headSha: null,
    decision: decided('CI_RUNNING'),
    stop: null,
    attempts: { used: 1, max: 3 },
    mode: 'push',
    pause: null,
    isHeldByLabel: false,
    beside: [],
    agent: null,
    sessions: [],
    ...change,
  };
}

function aStep(change: Partial<LoggedDecision> = {}): LoggedDecision {
  const reason = 'CI failed\n/ratchet enable @all';
  return { action: 'FIX_CI', code: 'CI_FAILED', reason, createdAt: 0, since: 0, times: 1, ...change };
}

describe('renderReply', () => {
  const REPLIES: readonly Reply[] = [
    { kind: 'help' },
    aStatus({ enablement: 'never', decision: null }),
    aStatus({ decision: null }),
    aStatus({ headSha: fakeSha('head') }),
    aStatus({ enablement: 'disabled', decision: decided('DISABLED') }),
    aStatus({
      mode: 'observe',
      pause: { by: aPerson(), at: NOW },
      isHeldByLabel: true,
      sessions: [
        aSession(null),
        aSession(null, { kind: 'user', label: '@ada' }),
        aSession(null, { kind: 'user', status: 'idle' }),
        ...Array.from({ length: 4 }, () => aSession(null)),
      ],
    }),
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
      "Commands, at the start of a line of a comment:

      - \`/ratchet enable\`: let Ratchet fix this pull request (needs write permission)
      - \`/ratchet disable\`: start nothing any more; a running fixup is not pushed (needs write permission)
      - \`/ratchet status\`: say what Ratchet sees and what it does next
      - \`/ratchet why\`: explain the last decisions
      - \`/ratchet retry\`: start over with a fresh budget (needs write permission)
      - \`/ratchet pause\`: hold still until resumed (needs write permission, or to be the author of the pull request)
      - \`/ratchet resume\`: go on after a pause (needs write permission)
      - \`/ratchet stop\`: end the running fixup at once (needs write permission, or to be the author of the pull request)
      - \`/ratchet check\`: run the engines again, on the given paths or on what is changed; \`--timeout SECONDS\` limits each of them (needs write permission)
      - \`/ratchet rebaseline\`: accept the new findings of this head on purpose; a reason follows (needs write permission)
      - \`/ratchet undo\`: revert the last fixup; later commits stay (needs write permission)
      - \`/ratchet answer\`: answer what the agent asks; the text follows (needs write permission)
      - \`/ratchet help\`: show this list
      ---
      Ratchet is not enabled on this pull request. Comment \`/ratchet enable\` to enable it.
      ---
      Ratchet is not enabled on this pull request. Comment \`/ratchet enable\` to enable it.
      ---
      **Waiting for CI**

      Because.

      - Head: \`0000000000000000000000000000000068656164\`
      - Attempts: 1 of 3 used
      ---
      **Disabled**

      Because.

      - Attempts: 1 of 3 used
      - What to do next: Comment \`/ratchet enable\` to let Ratchet work on this pull request.
      ---
      **Waiting for CI**

      Because.

      - Attempts: 1 of 3 used
      - Paused by \`ada\` since 2026-01-01 00:00 UTC
      - Held by a label
      - Mode: \`observe\`
      - Working: a fixup of Ratchet, since 2025-12-31 23:50 UTC
      - Working: @⁠ada, since 2025-12-31 23:50 UTC
      - Idle: somebody, since 2025-12-31 23:50 UTC
      - Working: a fixup of Ratchet, since 2025-12-31 23:50 UTC
      - Working: a fixup of Ratchet, since 2025-12-31 23:50 UTC
      - and 2 more
      ---
      The command \`/ratchet enable\` was not carried out: it needs write permission on this repository.
      ---
      That was not carried out: Ratchet takes no commands from bots.
      ---
      There is no command \`enabel\`. Did you mean \`/ratchet enable\`? The command \`/ratchet help\` lists all commands.
      ---
      Nothing was decided yet. Comment \`/ratchet enable\` to enable Ratchet.
      ---
      The last decisions, newest first:

      - 1970-01-01 00:00 UTC \`CI_FAILED\`: CI failed /ratchet enable @⁠all
      - 2026-01-01 00:00 UTC \`CI_FAILED\`: CI failed /ratchet enable @⁠all (3 times since 2025-12-31 23:59 UTC)
      ---
      The attempt budget starts anew, but Ratchet is paused here: take the hold label off to let it go on.
      ---
      The attempt budget starts anew, but Ratchet is paused here: comment \`/ratchet resume\` to let it go on.
      ---
      There is no command \`dance\`. The command \`/ratchet help\` lists all commands.
      ---
      No command was named. The command \`/ratchet help\` lists all commands.
      ---
      \`\` /ratchet enable \`x\` \`\` was not carried out: "enable" takes nothing else, and "@⁠all" is not known.
      ---
      The last fixup was not undone: It is \\\`gone\\\`.
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

it('the status of a stopped pull request says why it stopped, and quotes the answers (L1)', () => {
  const stop = { causeKey: 'cause-1', code: 'DECLINED', reason: '1 declined. "Which name? @all"' } as const;
  const stopped = renderReply(aStatus({ decision: decided('STOPPED_SAME_CAUSE'), stop }));

  expect(stopped).toContain('**Needs a person · review comments were declined**');
  expect(stopped).toContain('Why it stopped: 1 declined. "Which name? @\u2060all"\n');
  expect(renderReply(aStatus({ decision: decided('STOPPED_SAME_CAUSE') }))).not.toContain('Why it stopped');
  expect(renderReply(aStatus({ decision: decided('CI_RUNNING'), stop }))).not.toContain('Why it stopped');
});

describe('the status of agents', () => {
  it('says why no agent is launched, unless the decision has said so', () => {
    const decision: Decision = { action: 'FIX_MERGE_CONFLICT', code: 'MERGE_CONFLICT', reason: 'It conflicts.' };
    const text = renderReply(aStatus({ agent: SWITCHED_OFF, decision }));
    const reason = 'CI failed, but ada switched agents off at 1970-01-01 00:00 UTC: too expensive.';

    expect(text).toContain('- No agent is launched: Ada switched agents off at 1970-01-01 00:00 UTC: too expensive.');
    expect(renderReply(aStatus({ agent: SWITCHED_OFF, decision: { ...decision, reason } }))).not.toContain(
      'No agent is',
    );
    expect(renderReply(aStatus({ agent: { kind: 'ready' }, decision }))).not.toContain('No agent is');
  });

  it('says what the agent does', () => {
    expect(renderReply(aStatus({ progress: aProgress() }))).toContain(
      '- The agent `claude` is running `npm test`; so far 3 calls, 1600 tokens, 0.01 USD of the model `model-1`.',
    );
  });
});
