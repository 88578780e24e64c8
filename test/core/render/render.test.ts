import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { toCiVerdict } from '../../../src/core/ci/ci-verdict.ts';
import { COMMANDS } from '../../../src/core/commands/command-names.ts';
import { parseCommands } from '../../../src/core/commands/parse-commands.ts';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import type { Decision, DecisionCode } from '../../../src/core/model/decision.ts';
import type { Session, SessionOutcome } from '../../../src/core/model/session.ts';
import { cutBytes, cutHead, cutTail, toByteLength } from '../../../src/core/render/cut-bytes.ts';
import { DECISION_WORDS, type Standing } from '../../../src/core/render/decision-words.ts';
import { stripInvisible, toFence, toInlineCode, toPlainText } from '../../../src/core/render/escape.ts';
import {
  MAX_SUMMARY_BYTES,
  renderCheckRun,
  renderSupersededCheckRun,
  type Story,
} from '../../../src/core/render/render-check-run.ts';
import { type Reply, renderReply } from '../../../src/core/render/render-reply.ts';
import {
  aCheck,
  aPullRequest,
  aPush,
  aRejection,
  aSession,
  aSnapshot,
  aValidationRun,
  aWorkspace,
  fakeSha,
  forge,
  NOW,
  type SnapshotChange,
} from '../../support/builders.ts';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

function nodesOf(markdown: string): readonly Node[] {
  const all: Node[] = [];
  const pending: Node[] = [fromMarkdown(markdown)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    all.push(node);
    pending.push(...(node.children ?? []));
  }
  return all;
}

/** Text as GitHub would look at it for mentions, references and addresses. */
function proseOf(markdown: string): string {
  return nodesOf(markdown)
    .filter(({ type }) => type === 'text')
    .map(({ value }) => value ?? '')
    .join('');
}

const LIVE = /@\w|#\d|\bGH-\d|https?:\/\/|\bwww\./iu;

/** Pieces of hostile text (T55): mentions, references, links, images, HTML, fences, invisible characters. */
const HOSTILE = [
  '@octocat',
  'Fixes #1',
  'acme/widget#12',
  'GH-12',
  'https://evil.example/x',
  'www.evil.example',
  'a@b.example',
  '![x](https://evil.example/p.png)',
  '[x](https://evil.example)',
  '[x][y]',
  '[y]: https://evil.example',
  '<https://evil.example>',
  '<img src=x>',
  '<!-- x -->',
  '<details open>',
  '</details>',
  '&#64;octocat',
  '```',
  '````',
  '~~~',
  '`',
  '\\',
  '# Title',
  '> quote',
  '- list',
  '1. list',
  '***',
  '===',
  '| a | b |',
  '\n',
  '\r\n',
  '\u2028',
  '\u202E',
  '\u200B',
  '\u0000',
  '\u001B[31m',
  '\uD800',
  '$x$',
  ':tada:',
  '/ratchet enable',
  ' ',
];
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 8 })), { maxLength: 25 })
  .map((parts) => parts.join(''));

function expectInert(markdown: string): void {
  const types = new Set(nodesOf(markdown).map(({ type }) => type));
  for (const type of ['link', 'image', 'html', 'linkReference', 'imageReference', 'definition'])
    expect(types).not.toContain(type);
  expect(proseOf(markdown)).not.toMatch(LIVE);
  expect(markdown).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u2028\u202E]|\p{Cs}/u);
}

describe('escaped text of others', () => {
  it.each(HOSTILE)('is inert for %j', (text) => {
    expectInert(toPlainText(`a ${text} b`, 1000));
    expectInert(toPlainText(text, 1000));
    expectInert(`x ${toInlineCode(text)} y`);
    expectInert(toFence(text));
  });

  it('is inert in every combination (T55)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expectInert(toPlainText(text, 500));
        expectInert(`- ${toInlineCode(text)}: ${toPlainText(text, 50)}`);
        expectInert(`x\n\n${toFence(text)}\n\nwww`);
      }),
      { numRuns: 200 },
    );
  });

  it('stays one code block, one code span, one line', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(fromMarkdown(toFence(text)).children.map(({ type }) => type)).toEqual(['code']);
        expect(toInlineCode(text)).not.toContain('\n');
        expect(fromMarkdown(`x ${toInlineCode(text)} y`).children).toMatchObject([
          { type: 'paragraph', children: [{ type: 'text' }, { type: 'inlineCode' }, { type: 'text' }] },
        ]);
        expect(toPlainText(text, 100)).not.toContain('\n');
      }),
    );
  });

  it('reads as it was written', () => {
    expect(proseOf(toPlainText('a*b* <c> [d] e_f `g` #1 @h 50%', 100)).replaceAll('\u2060', '')).toBe(
      'a*b* <c> [d] e_f `g` #1 @h 50%',
    );
    expect(toInlineCode('a `b` ``c``')).toBe('``` a `b` ``c`` ```');
    expect(toInlineCode(' \u200B ')).toBe('` `');
    expect(toFence('a\n')).toBe('```text\na\n```');
    expect(stripInvisible('a\r\nb\rc\td')).toBe('a\nb\nc\td');
  });

  it('is cut by characters, never in the middle of one', () => {
    expect(toPlainText('abcdef', 3)).toBe('abc…');
    expect(toPlainText('ab😀', 3)).toBe('ab…');
    expect(toPlainText('abc', 3)).toBe('abc');
  });
});

describe('cutBytes', () => {
  it('leaves a text that fits', () => {
    expect(cutBytes('äb\n', 4)).toBe('äb\n');
  });

  it('cuts at the end of a line, closes what is open and says so', () => {
    const text = `<details><summary>x</summary>\n\n\`\`\`\`text\n${'line ```\n'.repeat(20)}\`\`\`\`\n\n</details>\n`;
    const cut = cutBytes(text, 120);

    expect(toByteLength(cut)).toBeLessThanOrEqual(120);
    expect(cut).toMatch(/line ```\n````\n\n… \(cut\)\n\n<\/details>$/u);
  });

  it('knows what is closed again', () => {
    const text = `~~~\n\`\`\`\n~~~ x\n~~~\n<details>a</details>\n</details>\n${'x\n'.repeat(50)}`;

    expect(cutBytes(text, 90)).toMatch(/x\n\n… \(cut\)$/u);
  });

  it('cuts inside a line where nothing else is left', () => {
    expect(cutBytes('ä'.repeat(20), 5)).toBe('ää');
    expect(cutHead('ä', 0)).toBe('');
    expect(cutHead('abc', 3)).toBe('abc');
  });

  it('keeps its limit and well-formed text for any text and limit', () => {
    const anyText = fc.array(fc.constantFrom('é', '😀', '```\n', '~~~~\n', '<details>\n', '</details>\n', 'x', '\n'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(anyText, fc.nat({ max: 120 }), (parts, maxBytes) => {
        const text = parts.join('');
        for (const cut of [cutBytes(text, maxBytes), cutTail(text, maxBytes), cutHead(text, maxBytes)]) {
          expect(toByteLength(cut)).toBeLessThanOrEqual(maxBytes);
          expect(cut).not.toContain('\uFFFD');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('cutTail', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['line 1\nline 2\nline 3', 19, '… (cut)\nline 3'],
    ['x'.repeat(50), 14, '… (cut)\nxxxx'],
    ['😀'.repeat(10), 16, '… (cut)\n😀'],
    [`${'x'.repeat(50)}\n`, 14, '… (cut)\nxxx\n'],
    ['abcdef', 5, ''],
  ])('cuts %j to %i bytes', (text, maxBytes, expected) => {
    expect(cutTail(text, maxBytes)).toBe(expected);
  });
});

function aStory(when: SnapshotChange = {}, change: Partial<Story> = {}): Story {
  const snapshot = aSnapshot(when);
  const facts = aPullRequest();
  const ci = toCiVerdict({
    headSha: facts.headSha,
    headPushedAt: 0,
    now: NOW,
    ownAppId: 1,
    checks: facts.checks,
    policy: { settleSeconds: 60, required: null, ignore: [] },
    noCiProven: false,
  });
  return {
    workspace: aWorkspace(),
    facts,
    snapshot,
    decision: determineFixupAction(snapshot),
    ci,
    sessions: [],
    working: null,
    toCommitUrl: (sha) => `https://github.example/acme/widget/commit/${sha}`,
    ...change,
  };
}

function decided(code: DecisionCode): Decision {
  return { action: 'WAIT', code, reason: 'Because.' };
}

/** The table of check-run conclusions. */
const STANDINGS: Readonly<Record<DecisionCode, Standing>> = {
  WORKING_SESSION: 'in_progress',
  NO_PR: 'cancelled',
  PR_NOT_OPEN: 'cancelled',
  CI_RUNNING: 'in_progress',
  CI_TIMEOUT: 'action_required',
  CI_BLOCKED: 'action_required',
  STALE_CI_RUN: 'in_progress',
  STALE_CI_TIMEOUT: 'action_required',
  DISABLED: 'cancelled',
  FORK_NOT_SUPPORTED: 'action_required',
  POLICY_INVALID: 'action_required',
  IN_MERGE_QUEUE: 'action_required',
  AUTO_MERGE_ON: 'action_required',
  MERGE_UNKNOWN: 'in_progress',
  MERGE_UNKNOWN_TIMEOUT: 'action_required',
  MERGE_CONFLICT: 'action_required',
  CI_FAILED: 'in_progress',
  REVIEW_COMMENTS: 'action_required',
  ATTEMPTS_EXHAUSTED: 'action_required',
  LAUNCHES_EXHAUSTED: 'action_required',
  STOPPED_SAME_CAUSE: 'action_required',
  ALL_GREEN: 'success',
};
const CODES = Object.values(STANDINGS).length === Object.keys(DECISION_WORDS).length ? Object.entries(STANDINGS) : [];

describe('renderCheckRun', () => {
  it.each(CODES)('stands for %s as %s', (code, standing) => {
    const words = Object.entries(DECISION_WORDS).find(([name]) => name === code)?.[1];

    expect(words?.standing).toBe(standing);
    if (standing === 'action_required' || code === 'DISABLED') expect(words?.next).toMatch(/\.$/u);
  });

  it('shows a running check run without a conclusion and without buttons', () => {
    expect(renderCheckRun(aStory())).toMatchObject({ status: 'in_progress', conclusion: null, actions: [] });
    expect(renderCheckRun(aStory({}, { decision: decided('ALL_GREEN') }))).toMatchObject({
      status: 'completed',
      conclusion: 'success',
    });
  });

  it.each([
    ['head_moved', 'Nothing was counted: the ground moved.'],
    ['closed', 'Nothing was pushed and nothing was counted: the ground moved.'],
  ] as const)('says of a session that %s ended what is known', (why, sentence) => {
    const sessions = [aSession({ kind: 'superseded', why, detail: 'It moved.' })];

    expect(renderCheckRun(aStory({}, { sessions })).summary).toContain(sentence);
  });

  it.each([
    ['needs a person', 'STOPPED_SAME_CAUSE', [], ['retry', 'why', 'disable']],
    ['is green after a fixup', 'ALL_GREEN', [aSession(aPush())], ['why']],
    ['is green without any fixup', 'ALL_GREEN', [aSession(aRejection())], []],
    ['is disabled', 'DISABLED', [], []],
    ['runs', 'WORKING_SESSION', [], []],
  ] as const)('has the buttons of what %s', (_state, code, sessions, buttons) => {
    const { actions } = renderCheckRun(aStory({}, { decision: decided(code), sessions }));

    expect(actions.map(({ identifier }) => identifier)).toEqual(buttons);
    for (const { label, description, identifier } of actions) {
      expect([label.length <= 20, description.length <= 40, identifier.length <= 20]).toEqual([true, true, true]);
    }
  });

  it.each([
    ['Fixing 1 failing check · attempt 1 of 3', aStory()],
    ['Fixing 0 failing checks · attempt 1 of 3', aStory({}, { ci: null })],
    ['Working', aStory({ workingSession: true })],
    ['Working · attempt 1 of 3', aStory({ workingSession: true }, { working: aSession(null) })],
    ['Needs a person · 3 of 3 attempts used', aStory({ ratchet: { consecutiveAttempts: 3 } })],
    ['Needs a person · 2 open review comments', aStory({ ci: { status: 'success' }, review: { actionable: 2 } })],
    ['Held · auto-merge is on', aStory({ pullRequest: { autoMerge: true } })],
  ])('has the title %j', (title, story) => {
    expect(renderCheckRun(story).title).toBe(title);
  });

  it('tells the whole story of a stop', () => {
    const story = aStory(
      { ratchet: { consecutiveAttempts: 1, stoppedFor: 'cause-1' } },
      {
        workspace: { stop: { causeKey: 'cause-1', code: 'NO_PUSH', reason: 'The change did not pass.' } },
        sessions: [
          aSession(
            aRejection({
              diff: { files: 1, insertions: 3, deletions: 0 },
              validation: [aValidationRun({ exitCode: 1, tail: 'not ok 1\n@octocat' })],
            }),
          ),
          aSession(aPush()),
        ],
      },
    );

    expect(renderCheckRun(story).summary).toMatchInlineSnapshot(`
      "**CI failed, but Ratchet has stopped at exactly this before and nothing has changed since.**

      Why it stopped: The change did not pass.

      **What to do next:** Push a fix, or comment \`/ratchet retry\` to let Ratchet start over with a fresh budget.

      ### What Ratchet saw

      - Head: \`0000000000000000000000000000000068656164\`
      - CI: "build" failed.
        - \`build\`: \`failure\`
      - Base branch: merges cleanly
      - Reviews: 0 open comments
      - Attempts: 1 of 3 used

      ### Attempt 1 at \`0000000000\`

      Nothing was pushed: the change did not pass its validation. (1 file, +3 −0)

      Detail: npm test failed

      Validation, in a fresh sandbox without network:

      - \`npm test\`: exit code 1, 12 s

      <details><summary>Last lines of <code>npm test</code></summary>

      \`\`\`text
      not ok 1
      @octocat
      \`\`\`

      </details>

      ### Attempt 1 at \`0000000000\`

      Pushed [\`0000000000\`](<https://github.example/acme/widget/commit/0000000000000000000000000000000070757368>): 1 file, +2 −1.

      - \`src/a.ts\`

      The agent says: Corrected the sum.

      Validation, in a fresh sandbox without network:

      - \`npm test\`: exit code 0, 12 s
      "
    `);
  });

  it('names the deadline of a wait, the same at every look', () => {
    const first = renderCheckRun(aStory({ ci: { status: 'pending' } }));
    const second = renderCheckRun(
      aStory({ ci: { status: 'pending' }, now: NOW + 5000, ratchet: { waitingFor: 'CI_RUNNING', waitingSince: NOW } }),
    );

    expect(first.summary).toContain('It waits until 2026-01-01 06:00 UTC at the latest; then a person is asked.');
    expect(second).toEqual(first);
  });

  const OUTCOMES: readonly (readonly [string, Session])[] = [
    ['ran out of time after 30 min', aSession({ kind: 'timed_out', afterMs: 1_800_000 })],
    ['the ground moved', aSession({ kind: 'superseded', why: 'head_moved', detail: 'Somebody pushed.' })],
    ['Ratchet itself was interrupted', aSession({ kind: 'died', detail: '' })],
    ['npm test failed', aSession(aRejection())],
    ['and 2 more', aSession(aPush({ files: Array.from({ length: 12 }, (_, index) => `f${index}`) }))],
    [
      'did not end in time',
      aSession(aRejection({ validation: [aValidationRun({ exitCode: null, timedOut: true, tail: ' ' })] })),
    ],
    ['ended by a signal', aSession(aRejection({ validation: [aValidationRun({ exitCode: null })] }))],
  ];
  it.each(OUTCOMES)('tells that an attempt %s', (text, session) => {
    expect(renderCheckRun(aStory({}, { sessions: [session] })).summary).toContain(text);
  });

  it('leaves out what is not there', () => {
    const story = aStory({}, { facts: null, ci: null, sessions: [aSession(null), aSession(aPush(), { fixup: null })] });

    expect(renderCheckRun(story).summary).toBe('**CI failed; attempt 1 of 3.**\n');
    expect(renderCheckRun(aStory({}, { ci: null })).summary).toContain('- CI: not read');
    const stopped = aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: { stop: null } });
    expect(renderCheckRun(stopped).summary).not.toContain('Why it stopped');
  });

  it('shows twenty failing checks and counts the rest', () => {
    const checks = Array.from({ length: 25 }, (_, id) => aCheck({ id, name: `job ${id}`, conclusion: 'failure' }));
    const failing = checks.map((check) => ({ name: check.name, conclusion: 'failure', check }));
    const ci = { status: 'failure', runId: 'r', failing, reason: 'x', settlesAt: null } as const;

    expect(renderCheckRun(aStory({}, { ci })).summary).toContain('  - and 5 more');
  });

  it('refuses an outcome that does not exist', () => {
    const broken = aSession(forge<SessionOutcome>('{"kind":"odd"}'));

    expect(() => renderCheckRun(aStory({}, { sessions: [broken] }))).toThrow('unexpected value');
  });

  it('keeps its limits and shows no live text of others, whatever they wrote', () => {
    fc.assert(
      fc.property(hostileText, fc.nat({ max: 5 }), (text, repeat) => {
        const long = text.repeat(repeat);
        const run = aValidationRun({ command: long, exitCode: 1, tail: long });
        const sessions = [
          aSession(aPush({ summary: long, files: [text], validation: [run] })),
          aSession(aRejection({ detail: long, validation: [run, run, run] })),
        ];
        const check = aCheck({ name: long, conclusion: 'failure' });
        const ci = {
          status: 'failure',
          runId: 'r',
          failing: [{ name: long, conclusion: 'failure', check }],
          reason: long,
          settlesAt: null,
        } as const;
        const { title, summary } = renderCheckRun(aStory({ policyErrors: [long] }, { ci, sessions }));
        const links = nodesOf(summary).filter(({ type }) => type === 'link');
        const html = nodesOf(summary).filter(({ type }) => type === 'html');

        expect(title.length).toBeLessThanOrEqual(255);
        expect(toByteLength(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
        expect(links.length).toBeLessThanOrEqual(1);
        expect(
          html.every(({ value }) =>
            /^(?:<details><summary>Last lines of <code>[\w .,:/=·-]*<\/code><\/summary>|<\/details>)$/u.test(
              value ?? '',
            ),
          ),
        ).toBe(true);
        expect(nodesOf(summary).some(({ type }) => type === 'image')).toBe(false);
        expect(proseOf(summary)).not.toMatch(LIVE);
      }),
      { numRuns: 60 },
    );
  });

  it('cuts a story that is too long', () => {
    const tail = 'x\n'.repeat(2000);
    const runs = Array.from({ length: 20 }, () => aValidationRun({ exitCode: 1, tail }));
    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aRejection({ validation: runs }))] }));

    expect(toByteLength(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    expect(summary).toMatch(/… \(cut\)\n\n<\/details>$/u);
  });
});

describe('renderSupersededCheckRun', () => {
  it('points at the new head where it is known', () => {
    expect(renderSupersededCheckRun(fakeSha('next'))).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    expect(renderSupersededCheckRun(fakeSha('next')).summary).toContain(fakeSha('next'));
    expect(renderSupersededCheckRun(null).summary).toBe('Another commit is the head now.\n');
  });
});

describe('renderReply', () => {
  const attempts = { used: 1, max: 3 };
  const REPLIES: readonly Reply[] = [
    { kind: 'help' },
    { kind: 'status', enablement: 'never', headSha: null, decision: null, attempts },
    { kind: 'status', enablement: 'enabled', headSha: null, decision: null, attempts },
    { kind: 'status', enablement: 'enabled', headSha: fakeSha('head'), decision: decided('CI_RUNNING'), attempts },
    { kind: 'status', enablement: 'disabled', headSha: null, decision: decided('DISABLED'), attempts },
    { kind: 'refused', name: 'enable', why: 'needs_write' },
    { kind: 'refused', name: 'unknown', why: 'bot' },
    { kind: 'unknown', written: 'enabel', nearest: 'enable' },
    { kind: 'why', transitions: [] },
    { kind: 'why', transitions: [{ createdAt: 0, code: 'CI_FAILED', reason: 'CI failed\n/ratchet enable @all' }] },
    { kind: 'unknown', written: 'dance', nearest: null },
    { kind: 'unknown', written: '', nearest: null },
    { kind: 'not_available', name: 'undo' },
    { kind: 'failed', name: 'enable' },
  ];

  it('says these things', () => {
    expect(REPLIES.map(renderReply).join('---\n')).toMatchInlineSnapshot(`
      "Commands, at the start of a line of a comment:

      - \`/ratchet enable\`: let Ratchet fix this pull request (needs write permission)
      - \`/ratchet disable\`: start nothing any more; a running fixup is not pushed (needs write permission)
      - \`/ratchet status\`: say what Ratchet sees and what it does next
      - \`/ratchet why\`: explain the last decisions
      - \`/ratchet retry\`: start over with a fresh budget (needs write permission)
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
      The command \`/ratchet enable\` was not carried out: it needs write permission on this repository.
      ---
      That was not carried out: Ratchet takes no commands from bots.
      ---
      There is no command \`enabel\`. Did you mean \`/ratchet enable\`? The command \`/ratchet help\` lists all commands.
      ---
      Nothing was decided yet. Comment \`/ratchet enable\` to enable Ratchet.
      ---
      The last decisions, newest first:

      - 1970-01-01T00:00:00.000Z \`CI_FAILED\`: CI failed /ratchet enable @⁠all
      ---
      There is no command \`dance\`. The command \`/ratchet help\` lists all commands.
      ---
      No command was named. The command \`/ratchet help\` lists all commands.
      ---
      The command \`/ratchet undo\` is not available yet in this version.
      ---
      The command \`/ratchet enable\` could not be carried out: GitHub did not answer as expected. Nothing was changed; please give it again.
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

    for (const { name, isAvailable } of COMMANDS) expect(help.includes(`\`/ratchet ${name}\``)).toBe(isAvailable);
  });

  it('refuses a kind that does not exist', () => {
    expect(() => renderReply(forge<Reply>('{"kind":"odd"}'))).toThrow('unexpected value');
  });
});
