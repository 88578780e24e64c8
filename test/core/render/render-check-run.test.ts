import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision, DecisionCode } from '../../../src/core/model/decision.ts';
import type { Session, SessionOutcome } from '../../../src/core/model/session.ts';
import type { Stop, Workspace } from '../../../src/core/model/workspace.ts';
import { DECISION_WORDS, type Standing } from '../../../src/core/render/decision-words.ts';
import { MAX_SUMMARY_BYTES, renderCheckRun } from '../../../src/core/render/render-check-run.ts';
import { toByteLength } from '../../../src/core/text/cut-bytes.ts';
import { aStory } from '../../support/a-story.ts';
import {
  aCheck,
  aDeclining,
  aDiagnosis,
  aFailure,
  aFixup,
  anAnswer,
  aPerson,
  aPullRequest,
  aPush,
  aRejection,
  aSession,
  aSuggestion,
  aValidationRun,
  aVerdict,
  aWorkspace,
  fakeSha,
  forge,
  NOW,
  type SnapshotChange,
} from '../../support/builders.ts';
import { hostileText, LIVE, nodesOf, proseOf } from '../../support/hostile-text.ts';
import { anAgentUse, aProgress } from '../../support/model-builders.ts';

const REVIEWED = { ci: { status: 'success' }, review: { actionable: 2 } } as const;
const BEHIND = { merge: 'behind', pullRequest: { mustBeUpToDate: true } } as const;

function aStopped(code: Stop['code'], reason = 'Because.'): Workspace {
  return aWorkspace({ stop: { causeKey: 'cause-1', code, reason } });
}

function decided(code: DecisionCode): Decision {
  return { action: 'WAIT', code, reason: 'Because.' };
}

/** The table of check-run conclusions. */
const STANDINGS: Readonly<Record<DecisionCode, Standing>> = {
  WORKING_SESSION: 'in_progress',
  NO_PR: 'neutral',
  PR_NOT_OPEN: 'neutral',
  CI_RUNNING: 'in_progress',
  CI_TIMEOUT: 'action_required',
  CI_BLOCKED: 'action_required',
  CI_REQUIRED_MISSING: 'action_required',
  STALE_CI_RUN: 'in_progress',
  STALE_CI_TIMEOUT: 'action_required',
  DISABLED: 'neutral',
  FORK_NOT_SUPPORTED: 'action_required',
  PAUSED: 'action_required',
  DRAFT_HELD: 'action_required',
  OBSERVE_ONLY: 'action_required',
  PUSH_FORBIDDEN: 'action_required',
  POLICY_INVALID: 'action_required',
  IN_MERGE_QUEUE: 'action_required',
  AUTO_MERGE_ON: 'action_required',
  BRANCH_SHARED: 'action_required',
  MERGE_UNKNOWN: 'in_progress',
  MERGE_UNKNOWN_TIMEOUT: 'action_required',
  MERGE_CONFLICT: 'in_progress',
  BRANCH_BEHIND: 'in_progress',
  MERGE_QUEUE_FAILED: 'in_progress',
  MERGE_QUEUE_UNEXPLAINED: 'action_required',
  UPDATE_AWAITED: 'in_progress',
  CI_FAILED: 'in_progress',
  QUALITY_FINDINGS: 'in_progress',
  CI_FLAKY: 'in_progress',
  RERUN_AWAITED: 'in_progress',
  CI_NEEDS_PERSON: 'action_required',
  BASE_REPAIRED: 'in_progress',
  RED_ON_BASE: 'action_required',
  SAME_FAILURE: 'action_required',
  REVIEW_COMMENTS: 'in_progress',
  REVIEW_NEEDS_PERSON: 'action_required',
  REVIEW_SETTLING: 'in_progress',
  ATTEMPTS_EXHAUSTED: 'action_required',
  LAUNCHES_EXHAUSTED: 'action_required',
  AGENT_UNKNOWN: 'action_required',
  AGENT_NOT_ALLOWED: 'action_required',
  AGENTS_SWITCHED_OFF: 'action_required',
  BUDGET_EXHAUSTED: 'action_required',
  BUDGET_AWAITED: 'in_progress',
  MODEL_AWAITED: 'in_progress',
  MODEL_UNUSABLE: 'action_required',
  STOPPED_SAME_CAUSE: 'action_required',
  TAKEN_BACK: 'action_required',
  ALL_GREEN: 'success',
};
const CODES = Object.values(STANDINGS).length === Object.keys(DECISION_WORDS).length ? Object.entries(STANDINGS) : [];

describe('renderCheckRun', () => {
  it.each(CODES)('stands for %s as %s', (code, standing) => {
    const words = Object.entries(DECISION_WORDS).find(([name]) => name === code)?.[1];

    expect(words?.standing).toBe(standing);
    if (standing === 'action_required' || code === 'DISABLED') expect(words?.next?.what).toMatch(/\.$/u);
  });

  it('names the agent of each attempt and what it used', () => {
    const sessions = [
      aSession(aPush(), { agentUse: anAgentUse() }),
      aSession(aPush(), { agentUse: anAgentUse({ version: null, model: null, calls: 0 }) }),
    ];
    const { summary } = renderCheckRun(aStory({}, { sessions }));

    expect(summary).toContain(
      'Agent: `claude` `2.1.332` with the model `model-1` (3 calls, 1600 tokens, 0.01 USD, 1 min)',
    );
    expect(summary).toContain('Agent: `claude` (1 min)');
  });

  it('shows what the agent does', () => {
    expect(renderCheckRun(aStory({}, { progress: aProgress() })).summary).toContain(
      'is running `npm test`; so far 3 calls',
    );
    expect(renderCheckRun(aStory({}, { progress: null })).summary).not.toContain('so far');
  });

  it('shows a running check run without a conclusion and without buttons', () => {
    expect(renderCheckRun(aStory())).toMatchObject({ status: 'in_progress', conclusion: null, actions: [] });
    expect(renderCheckRun(aStory({}, { decision: decided('ALL_GREEN') }))).toMatchObject({
      status: 'completed',
      conclusion: 'success',
    });
  });

  it.each([
    ['head_moved', 'The pull request changed meanwhile, so this does not count as an attempt.'],
    ['closed', 'Nothing was pushed. The pull request changed meanwhile, so this does not count as an attempt.'],
  ] as const)('says of a session that %s ended what is known', (why, sentence) => {
    const sessions = [aSession({ kind: 'superseded', why, detail: 'It moved.' })];

    expect(renderCheckRun(aStory({}, { sessions })).summary).toContain(sentence);
  });

  const aMerge = aSession(aPush(), { fixup: aFixup({ action: 'FIX_MERGE_CONFLICT' }) });

  it.each([
    ['needs a person', 'STOPPED_SAME_CAUSE', [], ['retry', 'why', 'disable']],
    ['is green after a fixup', 'ALL_GREEN', [aSession(aPush())], ['undo', 'why']],
    ['is green after a merge (S26)', 'ALL_GREEN', [aMerge], ['why']],
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
    ['3 of 3 attempts used', aStory({ ratchet: { consecutiveAttempts: 3 } })],
    ['Addressing 2 review comments · attempt 1 of 3', aStory(REVIEWED)],
    [
      'Addressing 1 review comment · attempt 3 of 3',
      aStory({ ...REVIEWED, review: { actionable: 1 }, ratchet: { consecutiveAttempts: 2 } }),
    ],
    [
      'Resolving the conflict with `main` · attempt 2 of 3',
      aStory({ merge: 'conflict', ratchet: { consecutiveAttempts: 1 } }),
    ],
    ['Resolving the conflict with the base branch · attempt 1 of 3', aStory({ merge: 'conflict' }, { facts: null })],
    [
      'Resolving the conflict with `` `x` `` · attempt 1 of 3',
      aStory({ merge: 'conflict' }, { facts: aPullRequest({ baseRef: '`x`' }) }),
    ],
    ['Updating the branch to `main`', aStory(BEHIND)],
    ['Re-running 1 failing check', aStory({ ci: { failure: aFailure({ rerunnable: true }) } })],
    ['Observed · 1 failing check', aStory({ policy: { mode: 'observe' } })],
    ['Observed · conflict with `main`', aStory({ merge: 'conflict', policy: { mode: 'observe' } })],
    ['Observed · behind `main`', aStory({ ...BEHIND, policy: { mode: 'observe' } })],
    ['Observed · 1 failing check', aStory({ ...BEHIND, policy: { mode: 'observe' }, ratchet: { updateAskedAt: 0 } })],
    ['Observed · 1 failing check', aStory({ merge: 'behind', policy: { mode: 'observe' } })],
    ['Observed · 2 review comments', aStory({ ...REVIEWED, policy: { mode: 'observe' } })],
    [
      'Not allowed by the policy · conflict with `main`',
      aStory({ merge: 'conflict', policy: { resolveConflicts: false } }),
    ],
    ['Not allowed by the policy · 2 review comments', aStory({ ...REVIEWED, policy: { fixReviews: false } })],
    ['Stopped', aStory({ ratchet: { stoppedFor: 'cause-1' } })],
    [
      'Stopped · nothing was pushed',
      aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aStopped('NO_PUSH') }),
    ],
    ['A change is suggested', aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aStopped('SUGGESTED') })],
    [
      'A change waits for a maintainer',
      aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aStopped('HELD') }),
    ],
    [
      'Review comments were declined',
      aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aStopped('DECLINED') }),
    ],
    ['Fixing 1 failing check · attempt 1 of 3', aStory({}, { workspace: aStopped('SUGGESTED') })],
    [
      'Waiting · somebody is working',
      aStory({ workingSession: true }, { working: aSession(null, { kind: 'user', fixup: null }) }),
    ],
    [
      'Waiting · `ada` is working',
      aStory({ workingSession: true }, { working: aSession(null, { kind: 'user', fixup: null, label: 'ada' }) }),
    ],
    ['Paused', aStory({ ratchet: { paused: true } })],
    ['On hold · auto-merge is on', aStory({ pullRequest: { autoMerge: true } })],
  ])('has the title %j', (title, story) => {
    expect(renderCheckRun(story).title).toBe(title);
  });

  it('tells the whole story of a stop', () => {
    const story = aStory(
      { ratchet: { consecutiveAttempts: 1, stoppedFor: 'cause-1' } },
      {
        workspace: aStopped('NO_PUSH', 'The change did not pass.'),
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
      "**The change did not pass.**

      **Next step (author):** Fix it yourself, or comment \`/ratchet retry\` to let Ratchet try again.

      ### Failing checks

      - \`build\`: failure

      ### Attempt 1 on \`0000000000\`

      Nothing was pushed: the change failed validation (1 file, +3 −0). This does not count as an attempt.

      Detail: npm test failed

      Validation (in a new sandbox without network):

      - \`npm test\`: exit code 1, 12 s

      <details><summary>Last lines of <code>npm test</code></summary>

      \`\`\`text
      not ok 1
      @octocat
      \`\`\`

      </details>

      <details><summary>1 earlier attempt</summary>

      ### Attempt 1 on \`0000000000\`

      Pushed [\`0000000000\`](<https://github.example/acme/widget/commit/0000000000000000000000000000000070757368>): 1 file, +2 −1.

      - \`src/a.ts\`

      The agent says: Corrected the sum.

      Validation (in a new sandbox without network):

      - \`npm test\`: passed, 12 s

      </details>

      <details><summary>State of the pull request</summary>

      - Commit: \`0000000000000000000000000000000068656164\`
      - CI: "build" failed.
      - Base branch: merges cleanly
      - Reviews: 0 open comments
      - Attempts used: 1 of 3 (an attempt counts if it pushes, or uses up its time or budget)

      </details>
      "
    `);
  });

  it.each<[string, SnapshotChange, string]>([
    ['CI runs', { ci: { status: 'pending' } }, 'Conflicts with `main` · Waiting for CI'],
    [
      'CI has to start on a push',
      { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW } },
      'Conflicts with `main` · Waiting for CI to start',
    ],
  ])('tells of a conflict first while %s (L8)', (_what, change, title) => {
    const clean = renderCheckRun(aStory(change));
    const conflicted = renderCheckRun(aStory({ ...change, merge: 'conflict' }));

    expect(conflicted.title).toBe(title);
    expect(clean.title).toBe(title.replace(/^.* · /u, ''));
    expect(clean.summary).not.toContain('conflicts with');
  });

  it('names the deadline of a wait, the same at every look', () => {
    const first = renderCheckRun(aStory({ ci: { status: 'pending' } }));
    const second = renderCheckRun(
      aStory({ ci: { status: 'pending' }, now: NOW + 5000, ratchet: { waitingFor: 'CI_RUNNING', waitingSince: NOW } }),
    );

    expect(first.summary).toContain(
      'Ratchet waits until 2026-01-01 06:00 UTC at most. Then it stops and asks for help.',
    );
    expect(second).toEqual(first);
  });

  it.each<[string, SnapshotChange, string]>([
    [
      'an update',
      { ...BEHIND, ratchet: { updateAskedAt: NOW } },
      'until 2026-01-01 00:05 UTC at most. Then it continues.',
    ],
    [
      'a re-run',
      { ratchet: { rerun: { ciRunId: 'run-2', at: NOW } } },
      'until 2026-01-01 00:05 UTC at most. Then it continues.',
    ],
    [
      'a review',
      { ...REVIEWED, review: { actionable: 2, newestAt: NOW } },
      'until 2026-01-01 00:01 UTC at most. Then it continues.',
    ],
  ])('says that after the wait for %s nobody is asked', (_what, when, text) => {
    expect(renderCheckRun(aStory(when)).summary).toContain(`Ratchet waits ${text}`);
  });

  it('tells all that it saw', () => {
    const check = (id: number, name: string) => ({ name, conclusion: 'failure', check: aCheck({ id, name }) });
    const failing = [check(1, 'test'), check(2, 'lint'), check(3, 'both')];
    const story = aStory(
      {
        pullRequest: { draft: true, holdLabel: true },
        ci: { failure: aFailure({ sameAsBefore: true }) },
        ratchet: { paused: true },
        policy: { mode: 'suggest', holdDrafts: true },
      },
      {
        ci: aVerdict({ runId: 'run-2', failing, reason: 'Three failed.' }),
        review: {
          ignored: [
            { id: 'a', why: 'answered_by_us' },
            { id: 'b', why: 'resolved' },
          ],
        },
        workspace: aWorkspace({
          pause: { by: aPerson({ login: '@ada' }), at: NOW },
          diagnosis: aDiagnosis({ flaky: ['test', 'both'], redOnBase: ['lint', 'both'] }),
          flakes: Array.from({ length: 6 }, (_, index) => ({
            name: `job ${index}`,
            headSha: fakeSha('head'),
            at: NOW,
          })),
        }),
      },
    );

    expect(renderCheckRun(story).summary).toMatchInlineSnapshot(`
      "**CI failed, but Ratchet is paused on this pull request.**

      **Next step (maintainer):** Comment \`/ratchet resume\`, or remove the hold label.

      ### Failing checks

      - \`test\`: failure, looks flaky
      - \`lint\`: failure, also fails on the base branch
      - \`both\`: failure, also fails on the base branch, looks flaky
      - The failure is the same as before the last attempt

      <details><summary>State of the pull request</summary>

      - Commit: \`0000000000000000000000000000000068656164\`
      - CI: Three failed.
      - Flaky: \`job 0\` failed and then passed on the same commit \`0000000000\`
      - Flaky: \`job 1\` failed and then passed on the same commit \`0000000000\`
      - Flaky: \`job 2\` failed and then passed on the same commit \`0000000000\`
      - Flaky: \`job 3\` failed and then passed on the same commit \`0000000000\`
      - Flaky: \`job 4\` failed and then passed on the same commit \`0000000000\`
      - Base branch: merges cleanly
      - Reviews: 0 open comments, 1 answered and waiting for the reviewer
      - Attempts used: 0 of 3 (an attempt counts if it pushes, or uses up its time or budget)
      - Mode: \`suggest\` (Ratchet offers patches and pushes nothing)
      - Paused by \`@ada\` since 2026-01-01 00:00 UTC
      - On hold by a label
      - On hold as a draft

      </details>
      "
    `);
  });

  it('tells nothing of what is not so', () => {
    const quiet = renderCheckRun(
      aStory(
        { pullRequest: { draft: true } },
        {
          review: { ignored: [{ id: 'b', why: 'resolved' }] },
          workspace: aWorkspace({
            pause: { by: aPerson(), at: NOW },
            diagnosis: aDiagnosis({ ciRunId: 'run-1', flaky: ['build'], redOnBase: ['build'] }),
          }),
        },
      ),
    ).summary;

    expect(quiet).toContain('- Reviews: 0 open comments\n');
    expect(quiet).not.toMatch(/aused|Held|Mode|Flaky|flaky|on the base branch too|before the last fixup|answered/u);
  });

  it.each<[string, SnapshotChange, string]>([
    ['a mode that only observes', { policy: { mode: 'observe' } }, '- Mode: `observe` (Ratchet only reports)'],
    ['a pause of nobody known', { ratchet: { paused: true } }, '- Paused\n'],
    ['a label', { pullRequest: { holdLabel: true } }, '- On hold by a label'],
    ['a draft', { pullRequest: { draft: true }, policy: { holdDrafts: true } }, '- On hold as a draft'],
  ])('tells of %s', (_what, when, text) => {
    expect(renderCheckRun(aStory(when)).summary).toContain(text);
  });

  it('holds no draft that is none', () => {
    expect(renderCheckRun(aStory({ policy: { holdDrafts: true } })).summary).not.toContain('Held');
  });

  it('shows a suggested patch, whole and inert', () => {
    const patch = '--- a/a.md\n+++ b/a.md\n@@ -1 +1,2 @@\n ```\n+@octocat ````\n';
    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aSuggestion({ patch }))] }));

    expect(summary.slice(summary.indexOf('### Attempt'))).toMatchInlineSnapshot(`
      "### Attempt 1 on \`0000000000\`

      Suggested, but not pushed: 1 file, +1 −1. This does not count as an attempt.

      - \`src/a.ts\`

      The agent says: Corrected the sum.

      <details><summary>The patch</summary>

      \`\`\`\`\`diff
      --- a/a.md
      +++ b/a.md
      @@ -1 +1,2 @@
       \`\`\`
      +@octocat \`\`\`\`
      \`\`\`\`\`

      </details>

      To apply it, save it as \`fix.patch\` and, on \`feature\` at \`0000000000000000000000000000000068656164\`, after a \`git fetch\`:

      \`\`\`sh
      git apply fix.patch
      \`\`\`

      Validation (in a new sandbox without network):

      - \`npm test\`: passed, 12 s

      <details><summary>State of the pull request</summary>

      - Commit: \`0000000000000000000000000000000068656164\`
      - CI: "build" failed.
      - Base branch: merges cleanly
      - Reviews: 0 open comments
      - Attempts used: 0 of 3 (an attempt counts if it pushes, or uses up its time or budget)

      </details>
      "
    `);
    const codes = nodesOf(summary).filter(({ type }) => type === 'code');
    expect(codes.map(({ value }) => value)).toContain(patch.trimEnd());
  });

  it('says of a suggested merge what was done: there may have been no agent', () => {
    const session = aSession(aSuggestion({ summary: 'Merged main.' }), {
      fixup: aFixup({ action: 'FIX_MERGE_CONFLICT' }),
    });

    const { summary } = renderCheckRun(aStory({}, { sessions: [session] }));

    expect(summary).toContain('What was done: Merged main.');
    expect(summary).not.toContain('The agent says');
  });

  it('cuts a suggested patch by bytes, at the end of a line, and says what it leaves out', () => {
    const patch = `+\u202Ex\n${'+é'.repeat(20)}\n`.repeat(2000);
    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aSuggestion({ patch }))] }));
    const code = nodesOf(summary).find(({ type }) => type === 'code')?.value ?? '';

    expect(summary).toContain('Characters that cannot be seen are left out here.');
    expect(toByteLength(code)).toBeGreaterThan(30_000);
    expect(toByteLength(code)).toBeLessThanOrEqual(32_768);
    expect(code).toMatch(/(?:\+x|(?:\+é){20})\n… \(cut\)$/u);
  });

  it('shows the answers to a review, escaped, twenty at most (trap 57)', () => {
    const answers = [
      anAnswer({ reason: '@ada is wrong' }),
      anAnswer({ status: 'needs_human', reason: 'A question of taste.' }),
      anAnswer({ status: 'fixed', reason: 'Renamed.' }),
      ...Array.from({ length: 18 }, () => anAnswer()),
    ];
    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aDeclining({ answers }))] }));

    expect(summary).toContain(
      'Nothing was pushed: the agent found nothing to change. This does not count as an attempt.',
    );
    expect(summary).toContain(
      '- declined: @\u2060ada is wrong\n- left to people: A question of taste.\n- fixed: Renamed.',
    );
    expect(summary).toContain('- and 1 more');
  });

  it.each([
    ['git', ', merged by git alone.', 'What was done: Corrected the sum.'],
    ['rerere', ', resolved like the same conflict before.', 'What was done: Corrected the sum.'],
    ['structure', ', merged by the structure of the code.', 'What was done: Corrected the sum.'],
    ['regeneration', ', with regenerated files.', 'What was done: Corrected the sum.'],
    ['agent', '+2 −1.', 'The agent says: Corrected the sum.'],
  ] as const)('tells of a push by what it was made: %s', (madeBy, text, summaryText) => {
    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aPush({ madeBy }))] }));

    expect(summary).toContain(text);
    expect(summary).toContain(summaryText);
    expect(summary).not.toContain('Answers to the review');
  });

  it('tells of a merge which validation failed before it too', () => {
    const run = { command: 'npm test', exitCode: 1, timedOut: false, durationMs: 900, tail: '1 failing' } as const;
    const validation = [{ ...run, failedBefore: true }, run] as const;

    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aPush({ validation }))] }));

    expect(summary).toContain('- `npm test`: exit code 1, as before the merge, ');
    expect(summary).toContain('- `npm test`: exit code 1, 0.9 s');
  });

  it.each([
    [0, '0.0 s'],
    [449, '0.4 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [61_000, '1 min'],
  ])('tells that a validation of %i ms took %s', (durationMs, text) => {
    const validation = [{ command: 'npm test', exitCode: 0, timedOut: false, durationMs, tail: '' }];

    const { summary } = renderCheckRun(aStory({}, { sessions: [aSession(aPush({ validation }))] }));

    expect(summary).toContain(`- \`npm test\`: passed, ${text}\n`);
  });

  it.each([
    ['SUGGESTED', '**Next step (author):** Apply the patch below'],
    ['DECLINED', '**Next step (author):** Read the answers below'],
    ['NEEDS_HUMAN', '**Next step (maintainer):** Comment `/ratchet retry`'],
  ] as const)('says after a stop %s what to do next', (code, text) => {
    const { summary, conclusion } = renderCheckRun(
      aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aStopped(code) }),
    );

    expect(summary).toContain(text);
    expect(conclusion).toBe('action_required');
  });

  const OUTCOMES: readonly (readonly [string, Session])[] = [
    ['ran out of time after 30 min', aSession({ kind: 'timed_out', afterMs: 1_800_000 })],
    [
      'The pull request changed meanwhile',
      aSession({ kind: 'superseded', why: 'head_moved', detail: 'Somebody pushed.' }),
    ],
    ['Ratchet was interrupted', aSession({ kind: 'died', detail: '' })],
    ['npm test failed', aSession(aRejection())],
    ['and 2 more', aSession(aPush({ files: Array.from({ length: 12 }, (_, index) => `f${index}`) }))],
    [
      'did not finish in time',
      aSession(aRejection({ validation: [aValidationRun({ exitCode: null, timedOut: true, tail: ' ' })] })),
    ],
    ['killed by a signal', aSession(aRejection({ validation: [aValidationRun({ exitCode: null })] }))],
  ];
  it.each(OUTCOMES)('tells that an attempt %s', (text, session) => {
    expect(renderCheckRun(aStory({}, { sessions: [session] })).summary).toContain(text);
  });

  it('shows which failing check is for a person, and which is repaired on the base (S21)', () => {
    const failing = ['deploy', 'test', 'lint'].map((name, id) => {
      return { name, conclusion: 'failure', check: aCheck({ id, name }) };
    });
    const person = [{ name: 'deploy', line: 'Bad credentials' }];
    const workspace = aWorkspace({ diagnosis: aDiagnosis({ person, repairedOnBase: ['test'] }) });
    const { summary } = renderCheckRun(aStory({}, { ci: aVerdict({ failing }), workspace }));

    expect(summary).toContain('- `deploy`: failure, fails for a reason outside the code\n');
    expect(summary).toContain('- `test`: failure, fixed on the base branch since\n');
    expect(summary).toContain('- `lint`: failure\n');
  });

  it('leaves out what is not there', () => {
    const story = aStory({}, { facts: null, ci: null, sessions: [aSession(null), aSession(aPush(), { fixup: null })] });

    expect(renderCheckRun(story).summary).toBe(
      '**An agent works in a sandbox. Ratchet pushes its change only if it passes validation.**\n',
    );
    expect(renderCheckRun(aStory({}, { ci: null })).summary).toContain('- CI: not read');
    const stopped = aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace: aWorkspace() });
    expect(renderCheckRun(stopped).summary).not.toContain('Why it stopped');
  });

  it('shows twenty failing checks and counts the rest', () => {
    const checks = Array.from({ length: 25 }, (_, id) => aCheck({ id, name: `job ${id}`, conclusion: 'failure' }));
    const failing = checks.map((check) => ({ name: check.name, conclusion: 'failure', check }));
    const ci = aVerdict({ failing });

    expect(renderCheckRun(aStory({}, { ci })).summary).toContain('- and 5 more');
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
          aSession(aSuggestion({ patch: long, summary: long, files: [text] })),
          aSession(aDeclining({ summary: long, answers: [anAnswer({ reason: long })] })),
        ];
        const check = aCheck({ name: long, conclusion: 'failure' });
        const ci = aVerdict({ failing: [{ name: long, conclusion: 'failure', check }], reason: long });
        const { title, summary } = renderCheckRun(
          aStory(
            { policyErrors: [long], pullRequest: { pushForbidden: long }, ratchet: { paused: true } },
            {
              ci,
              sessions,
              facts: aPullRequest({ baseRef: text }),
              workspace: aWorkspace({
                pause: { by: aPerson({ login: text }), at: NOW },
                flakes: [{ name: long, headSha: fakeSha('head'), at: NOW }],
              }),
            },
          ),
        );
        const links = nodesOf(summary).filter(({ type }) => type === 'link');
        const html = nodesOf(summary).filter(({ type }) => type === 'html');

        expect(title.length).toBeLessThanOrEqual(255);
        expect(toByteLength(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
        expect(links.length).toBeLessThanOrEqual(1);
        expect(
          html.every(({ value }) =>
            /^(?:<details><summary>(?:The patch|State of the pull request|\d earlier attempts?|Last lines of <code>[\w .,:/=·-]*<\/code>)<\/summary>|<\/details>)$/u.test(
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
