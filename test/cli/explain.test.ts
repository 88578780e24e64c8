import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain, MAX_EXPLAIN_BYTES, runExplain } from '../../src/cli/explain.ts';
import { determineFixupAction } from '../../src/core/decide/determine-fixup-action.ts';
import { parseSnapshot, toSnapshotJson } from '../../src/schemas/snapshot.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { aSnapshot, fakeSha, NOW } from '../support/builders.ts';

/** The snapshot of the contract, with nothing that may be left out. */
const SNAPSHOT = {
  pullRequest: { state: 'open', draft: false },
  ci: { status: 'failure', runId: 'a' },
  merge: 'clean',
  review: { actionable: 0 },
  ratchet: { enabled: true, consecutiveAttempts: 0, lastCiRunId: null, staleCiSince: null },
  workingSession: false,
  now: '2026-01-01T00:00:00Z',
};

function ask(what: string, input: unknown): unknown {
  const { exitCode, stdout, stderr } = explain(what, typeof input === 'string' ? input : JSON.stringify(input));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('explain decision', () => {
  it('answers with action, code and reason', () => {
    expect(ask('decision', SNAPSHOT)).toEqual({
      action: 'FIX_CI',
      code: 'CI_FAILED',
      reason: 'CI failed; attempt 1 of 3.',
    });
  });

  it.each([
    ['no pull request', { pullRequest: null }, 'NO_PR'],
    ['a stop', { causeKey: 'k', ratchet: { ...SNAPSHOT.ratchet, stoppedFor: 'k' } }, 'STOPPED_SAME_CAUSE'],
    ['a budget', { policy: { maxAttempts: 0 } }, 'ATTEMPTS_EXHAUSTED'],
    ['a fork', { pullRequest: { state: 'open', fork: true } }, 'FORK_NOT_SUPPORTED'],
    ['auto-merge', { pullRequest: { state: 'open', autoMerge: true } }, 'AUTO_MERGE_ON'],
    ['a pause', { ratchet: { ...SNAPSHOT.ratchet, paused: true } }, 'PAUSED'],
    ['the hold label', { pullRequest: { state: 'open', holdLabel: true } }, 'PAUSED'],
    [
      'approvals that a push takes back',
      { pullRequest: { state: 'open', autoMerge: true, approvalsSurvive: false } },
      'CI_FAILED',
    ],
    ['a rule against pushes', { pullRequest: { state: 'open', pushForbidden: 'Locked.' } }, 'PUSH_FORBIDDEN'],
    ['a mode', { policy: { mode: 'observe' } }, 'OBSERVE_ONLY'],
    ['half a look at a failure', { ci: { ...SNAPSHOT.ci, failure: { redOnBase: true } } }, 'RED_ON_BASE'],
    [
      'a young comment',
      { ci: { status: 'success', runId: 'a' }, review: { actionable: 1, newestAt: '2026-01-01T00:59:30+01:00' } },
      'REVIEW_SETTLING',
    ],
    ['a merge queue', { pullRequest: { state: 'open', inMergeQueue: true } }, 'IN_MERGE_QUEUE'],
    ['a broken policy', { policyErrors: ['line 1'] }, 'POLICY_INVALID'],
    [
      'a wait that began in another time zone',
      {
        ci: { status: 'pending', runId: 'a' },
        ratchet: { ...SNAPSHOT.ratchet, waitingSince: '2025-12-31T20:00:00+02:00' },
      },
      'CI_TIMEOUT',
    ],
  ])('takes %s into account', (_what, change, code) => {
    expect(ask('decision', { ...SNAPSHOT, ...change })).toMatchObject({ code });
  });

  it('names a means that is no agent, and the agent never', () => {
    expect(ask('decision', { ...SNAPSHOT, ci: { ...SNAPSHOT.ci, failure: { rerunnable: true } } })).toMatchObject({
      action: 'FIX_CI',
      code: 'CI_FLAKY',
      means: 'rerun',
    });
    expect(
      ask('decision', { ...SNAPSHOT, merge: 'behind', pullRequest: { state: 'open', mustBeUpToDate: true } }),
    ).toMatchObject({ action: 'FIX_MERGE_CONFLICT', code: 'BRANCH_BEHIND', means: 'update-branch' });
    expect(ask('decision', { ...SNAPSHOT, merge: 'conflict' })).not.toHaveProperty('means');
  });

  it.each([
    ['an unknown key', { ...SNAPSHOT, extra: 1 }, 'the input: Unrecognized key: "extra"'],
    ['a line of the log without a snapshot', { code: 'COMMAND', snapshot: null }, 'the input: Invalid input'],
    ['an unknown key inside', { ...SNAPSHOT, ci: { ...SNAPSHOT.ci, extra: 1 } }, 'ci: Unrecognized key: "extra"'],
    ['an unknown value', { ...SNAPSHOT, merge: 'dirty' }, 'merge: Invalid option'],
    ['a missing key', { ...SNAPSHOT, merge: undefined }, 'merge: Invalid option'],
    ['a date without a zone', { ...SNAPSHOT, now: '2026-01-01' }, 'now: expected an ISO 8601 instant'],
    ['an instant that no calendar has', { ...SNAPSHOT, now: 8_640_000_000_000_001 }, 'now: Too big'],
    ['a negative count', { ...SNAPSHOT, review: { actionable: -1 } }, 'review.actionable: Too small'],
    ['a list', [], 'the input: Invalid input'],
    ['nothing', '', 'the input is not JSON'],
    ['half a document', '{"pullRequest":', 'the input is not JSON'],
    ['two documents', '{}{}', 'the input is not JSON'],
  ])('refuses %s with one line that says where', (_what, input, message) => {
    const { exitCode, stdout, stderr } = explain('decision', typeof input === 'string' ? input : JSON.stringify(input));

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`explain decision: ${message}`);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});

describe('the JSON of a snapshot', () => {
  it('gives every snapshot back, and the same decision', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const stored: unknown = JSON.parse(JSON.stringify(toSnapshotJson(snapshot)));

        expect(parseSnapshot(stored)).toEqual(snapshot);
        const { means, ...decision } = determineFixupAction(snapshot);
        const told = means === undefined || means === 'agent' ? decision : { ...decision, means };

        expect(ask('decision', stored)).toEqual(told);
      }),
    );
  });

  it('is read from rows of earlier versions, whose instants are epoch milliseconds (L19)', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        expect(parseSnapshot(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
      }),
    );
  });

  it('has instants in UTC', () => {
    const rerun = { ciRunId: 'a', at: NOW };
    const json = toSnapshotJson(
      aSnapshot({
        review: { newestAt: NOW },
        ratchet: { staleCiSince: NOW, waitingSince: NOW, rerun, updateAskedAt: NOW },
      }),
    );

    expect(json).toMatchObject({
      now: '2026-01-01T00:00:00.000Z',
      review: { newestAt: '2026-01-01T00:00:00.000Z' },
      ratchet: {
        staleCiSince: '2026-01-01T00:00:00.000Z',
        rerun: { at: '2026-01-01T00:00:00.000Z' },
        updateAskedAt: '2026-01-01T00:00:00.000Z',
      },
    });
  });
});

const HEAD = fakeSha('head');
const INPUT = {
  headSha: HEAD,
  headPushedAt: '2026-01-01T00:00:00Z',
  now: '2026-01-01T01:00:00Z',
  ratchetAppId: 1,
  checkRuns: [],
  statuses: [],
};

/** A check run as REST returns it, with what nobody reads. */
function rawCheckRun(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 10,
    name: 'build',
    node_id: 'x',
    head_sha: HEAD,
    status: 'completed',
    conclusion: 'success',
    started_at: '2026-01-01T00:01:00Z',
    completed_at: '2026-01-01T00:02:00Z',
    details_url: 'https://example.com',
    app: { id: 15368, slug: 'github-actions', name: 'GitHub Actions' },
    check_suite: { id: 100 },
    pull_requests: [],
    ...change,
  };
}

function rawStatus(change: Record<string, unknown> = {}): Record<string, unknown> {
  const times = { created_at: '2026-01-01T00:01:00Z', updated_at: '2026-01-01T00:02:00Z' };
  return {
    id: 20,
    context: 'ci/x',
    state: 'success',
    url: `https://api.example/statuses/${HEAD}`,
    target_url: null,
    ...times,
    ...change,
  };
}

function rawRun(change: Record<string, unknown> = {}): Record<string, unknown> {
  const base = {
    id: 30,
    name: 'CI',
    workflow_id: 3,
    event: 'pull_request',
    head_sha: HEAD,
    check_suite_id: 100,
    run_attempt: 1,
  };
  return {
    ...base,
    status: 'completed',
    conclusion: 'success',
    run_started_at: '2026-01-01T00:01:00Z',
    updated_at: '2026-01-01T00:02:00Z',
    ...change,
  };
}

describe('explain ci', () => {
  it('answers with status, identity, failing checks and reason', () => {
    const checkRuns = [rawCheckRun({ conclusion: 'failure' })];

    const runId = `${HEAD.slice(0, 12)}.1.29t83yj8fx300l2d8s7gtg`;

    expect(ask('ci', { ...INPUT, checkRuns })).toEqual({
      status: 'failure',
      runId,
      failing: [{ name: 'build', conclusion: 'failure' }],
      reason: '"build" failed.',
    });
  });

  it.each([
    ['green', { checkRuns: [rawCheckRun()], statuses: [rawStatus()] }, 'success'],
    ['silence', {}, 'pending'],
    [
      'our own check run',
      { checkRuns: [rawCheckRun(), rawCheckRun({ name: 'Ratchet', app: { id: 1 }, status: 'in_progress' })] },
      'success',
    ],
    [
      'another head',
      { checkRuns: [rawCheckRun(), rawCheckRun({ id: 11, head_sha: fakeSha('old'), conclusion: 'failure' })] },
      'success',
    ],
    [
      'a status of another head',
      { checkRuns: [rawCheckRun()], statuses: [rawStatus({ state: 'failure', url: `x/statuses/${fakeSha('old')}` })] },
      'success',
    ],
    [
      'a status of another head that has no full name',
      { checkRuns: [rawCheckRun()], statuses: [rawStatus({ state: 'failure', url: 'x/statuses/0ld' })] },
      'success',
    ],
    ['a status without an address', { statuses: [rawStatus({ url: undefined })] }, 'success'],
    [
      'a status that names its commit',
      { checkRuns: [rawCheckRun()], statuses: [rawStatus({ state: 'failure', sha: fakeSha('old') })] },
      'success',
    ],
    ['a red status', { checkRuns: [rawCheckRun()], statuses: [rawStatus({ state: 'error' })] }, 'failure'],
    ['a pending status', { statuses: [rawStatus({ state: 'pending' })] }, 'pending'],
    [
      'a status in history',
      { statuses: [rawStatus({ state: 'pending' }), rawStatus({ id: 21, created_at: '2026-01-01T00:05:00Z' })] },
      'success',
    ],
    ['an unknown state', { statuses: [rawStatus({ state: 'odd' })] }, 'pending'],
    ['upper case (trap 79)', { checkRuns: [rawCheckRun({ status: 'COMPLETED', conclusion: 'TIMED_OUT' })] }, 'failure'],
    ['a startup failure (trap 67)', { checkRuns: [rawCheckRun({ conclusion: 'startup_failure' })] }, 'failure'],
    ['an unknown conclusion', { checkRuns: [rawCheckRun({ conclusion: 'odd' })] }, 'pending'],
    ['an unknown status', { checkRuns: [rawCheckRun({ status: 'odd', conclusion: null })] }, 'pending'],
    ...['queued', 'requested', 'pending', 'in_progress', null].map(
      (status) =>
        [`the status ${status}`, { checkRuns: [rawCheckRun({ status, conclusion: null })] }, 'pending'] as const,
    ),
    [
      'a deployment that waits for its approval (L10)',
      { checkRuns: [rawCheckRun({ status: 'waiting', conclusion: null })] },
      'blocked',
    ],
    ['odd times', { checkRuns: [rawCheckRun({ started_at: 'soon', completed_at: 5, details_url: 7 })] }, 'success'],
    ['no App', { checkRuns: [rawCheckRun({ app: null, check_suite: null })] }, 'success'],
    ['an App of which nothing is told', { checkRuns: [rawCheckRun({ app: { id: null } })] }, 'success'],
    ['things of another kind than GitHub gives', { checkRuns: [rawCheckRun({ app: 7, check_suite: [] })] }, 'success'],
    [
      'ids as text: our own check run',
      {
        checkRuns: [
          rawCheckRun({ id: '10' }),
          rawCheckRun({ id: '11', name: 'Ratchet', app: { id: '1', slug: 7 }, status: 'in_progress' }),
        ],
      },
      'success',
    ],
    [
      'a status and a conclusion of another kind',
      { checkRuns: [rawCheckRun({ status: 1, conclusion: 2 })] },
      'pending',
    ],
    ['a conclusion of another kind', { checkRuns: [rawCheckRun({ conclusion: ['success'] })] }, 'pending'],
    ['a conclusion that came before the end', { checkRuns: [rawCheckRun({ status: 'in_progress' })] }, 'pending'],
    ['a completed check run without a conclusion', { checkRuns: [rawCheckRun({ conclusion: null })] }, 'pending'],
    ['a state of another kind', { statuses: [rawStatus({ state: null })] }, 'pending'],
    ['a status that is expected', { statuses: [rawStatus({ state: 'EXPECTED' })] }, 'pending'],
    ['neutral alone (trap 77)', { checkRuns: [rawCheckRun({ conclusion: 'neutral' })] }, 'success'],
    ['a lone cancel (trap 2, trap 3)', { checkRuns: [rawCheckRun({ conclusion: 'cancelled' })] }, 'pending'],
    ['stale (trap 67)', { checkRuns: [rawCheckRun({ conclusion: 'stale' })] }, 'pending'],
    ['action_required (trap 11, trap 144)', { checkRuns: [rawCheckRun({ conclusion: 'action_required' })] }, 'blocked'],
    [
      'a cancel that a newer run replaced (trap 1, trap 2)',
      {
        checkRuns: [
          rawCheckRun({ conclusion: 'cancelled' }),
          rawCheckRun({ id: 11, started_at: '2026-01-01T00:05:00Z' }),
        ],
      },
      'success',
    ],
    [
      'a red result that was run again (trap 82)',
      {
        checkRuns: [
          rawCheckRun({ conclusion: 'failure' }),
          rawCheckRun({ id: 11, started_at: '2026-01-01T00:05:00Z' }),
        ],
      },
      'success',
    ],
    [
      'a red leg among several hundred (trap 42)',
      {
        checkRuns: Array.from({ length: 400 }, (_, index) =>
          rawCheckRun({
            id: 100 + index,
            name: `leg ${String(index)}`,
            conclusion: index === 399 ? 'failure' : 'success',
          }),
        ),
      },
      'failure',
    ],
    [
      'what the policy ignores',
      {
        checkRuns: [rawCheckRun(), rawCheckRun({ id: 11, name: 'cov', conclusion: 'failure' })],
        policy: { ignore: ['c*'] },
      },
      'success',
    ],
    [
      'a required check that is missing',
      { checkRuns: [rawCheckRun()], policy: { required: ['build', 'e2e'] } },
      'pending',
    ],
    ['a young head', { checkRuns: [rawCheckRun()], policy: { settleSeconds: 7200 } }, 'pending'],
    [
      'one context in two cases, which is one for GitHub',
      {
        statuses: [
          rawStatus({ id: 20, context: 'CI/Build', state: 'failure' }),
          rawStatus({ id: 21, context: 'ci/build', created_at: '2026-01-01T00:05:00Z' }),
        ],
      },
      'success',
    ],
  ] as const)('judges %s', (_what, change, status) => {
    expect(ask('ci', { ...INPUT, ...change })).toMatchObject({ status });
  });

  const redPush = rawCheckRun({ id: 9, conclusion: 'failure', check_suite: { id: 99 } });
  it.each([
    [
      'keeps push and pull_request apart (trap 142)',
      [redPush, rawCheckRun()],
      [rawRun(), rawRun({ id: 29, event: 'push', check_suite_id: 99 })],
      'failure',
    ],
    [
      'keeps two workflows apart',
      [redPush, rawCheckRun()],
      [rawRun(), rawRun({ id: 29, workflow_id: 4, check_suite_id: 99 })],
      'failure',
    ],
    [
      'lets a newer run of one workflow replace the older',
      [redPush, rawCheckRun()],
      [rawRun(), rawRun({ id: 29, check_suite_id: 99 })],
      'success',
    ],
    [
      'waits for a run whose next jobs do not exist yet',
      [rawCheckRun()],
      [rawRun({ status: 'in_progress', conclusion: null })],
      'pending',
    ],
    [
      'sees a run without jobs that waits for approval (trap 11)',
      [],
      [rawRun({ conclusion: 'action_required' })],
      'blocked',
    ],
    [
      'sees a run that did not start',
      [rawCheckRun()],
      [rawRun({ id: 31, workflow_id: 4, check_suite_id: 101, conclusion: 'startup_failure' })],
      'failure',
    ],
    [
      'forgets an older run without jobs',
      [rawCheckRun()],
      [rawRun({ id: 29, check_suite_id: 99, conclusion: 'cancelled' }), rawRun()],
      'success',
    ],
    [
      'forgets a run that nobody approved once a newer one ran (trap 11)',
      [rawCheckRun()],
      [rawRun({ id: 29, check_suite_id: 99, conclusion: 'action_required' }), rawRun()],
      'success',
    ],
    [
      'forgets a cancelled run that one by another event replaced (trap 2)',
      [rawCheckRun()],
      [rawRun({ id: 29, check_suite_id: 99, event: 'push', conclusion: 'cancelled' }), rawRun()],
      'success',
    ],
    [
      'is not green for a cancelled run that nothing replaced (trap 3)',
      [rawCheckRun()],
      [rawRun({ id: 31, check_suite_id: 99, event: 'push', conclusion: 'cancelled' }), rawRun()],
      'pending',
    ],
    [
      'reads the ids of runs as text, too',
      [redPush, rawCheckRun()],
      [rawRun(), rawRun({ id: '29', event: 'push', check_suite_id: '99', workflow_id: '3', run_attempt: '1' })],
      'failure',
    ],
    [
      'takes the newer attempt of one run',
      [rawCheckRun()],
      [rawRun({ run_attempt: 2 }), rawRun({ status: 'queued', conclusion: null })],
      'success',
    ],
    ['reads a run with nothing but its duty', [rawCheckRun()], [{ id: 31, head_sha: HEAD }], 'pending'],
    [
      'leaves runs of other heads out',
      [rawCheckRun()],
      [rawRun({ head_sha: fakeSha('old'), status: 'queued' })],
      'success',
    ],
    [
      'names a run by its file',
      [],
      [{ id: 31, head_sha: HEAD, path: '.github/workflows/x.yml', status: 'completed', conclusion: 'failure' }],
      'failure',
    ],
    [
      'reads when a run was made',
      [],
      [rawRun({ run_started_at: undefined, created_at: '2026-01-01T00:01:00Z' })],
      'success',
    ],
  ])('%s', (_title, checkRuns, workflowRuns, status) => {
    expect(ask('ci', { ...INPUT, checkRuns, workflowRuns })).toMatchObject({ status });
    expect(
      ask('ci', { ...INPUT, checkRuns: [...checkRuns].reverse(), workflowRuns: [...workflowRuns].reverse() }),
    ).toMatchObject({ status });
  });

  it('tells the attempts of one run apart, in any order (S5)', () => {
    const runs = [rawRun(), rawRun({ run_attempt: 2 })];
    const of = (workflowRuns: readonly unknown[]) => ask('ci', { ...INPUT, checkRuns: [rawCheckRun()], workflowRuns });

    expect(of(runs)).toEqual(of([...runs].reverse()));
    expect(of(runs)).not.toEqual(of(runs.slice(0, 1)));
  });

  it.each([
    ['a check run without a name', { checkRuns: [rawCheckRun({ name: null })] }, 'checkRuns.0.name'],
    ['a check run of no commit', { checkRuns: [rawCheckRun({ head_sha: null })] }, 'checkRuns.0.head_sha'],
    ['an id that is none', { statuses: [rawStatus({ id: '1e3' })] }, 'statuses.0.id'],
    ['no head', { headSha: undefined }, 'headSha'],
    ['an unknown key', { checkRun: [] }, 'Unrecognized key: "checkRun"'],
    ['an unknown policy key', { policy: { settle: 1 } }, 'policy: Unrecognized key: "settle"'],
    ['a check run without an id', { checkRuns: [rawCheckRun({ id: undefined })] }, 'checkRuns.0.id: expected an id'],
    ['a policy that requires nothing', { policy: { required: [] } }, 'policy.required: Too small'],
    [
      'a policy that would wait in vain',
      { policy: { required: ['lint'], ignore: ['l*'] } },
      'policy.required: "lint" can never count: `ignore` leaves it out',
    ],
    ['a wait without end', { policy: { settleSeconds: 1e300 } }, 'policy.settleSeconds: Too big'],
    ['a bad instant', { now: 'now' }, 'now: expected an ISO 8601 instant'],
  ])('refuses %s', (_what, change, message) => {
    const { exitCode, stdout, stderr } = explain('ci', JSON.stringify({ ...INPUT, ...change }));

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('explain command', () => {
  it('lists the commands of a comment', () => {
    expect(
      ask('command', 'hi\n/ratchet check src/ a\n> /ratchet stop\n\n@ratchet enable\n/ratchet dance\n/ratchet'),
    ).toEqual({
      commands: [
        { name: 'check', args: ['src/', 'a'] },
        { name: 'enable', args: [] },
      ],
      unread: [
        { line: '/ratchet dance', why: 'there is no command "dance"' },
        { line: '/ratchet', why: 'no command is named' },
      ],
    });
  });

  it('tells which lines for Ratchet are not carried out, and why (L14)', () => {
    expect(
      ask(
        'command',
        '# @ratchet retry\n\n/ratchet enabel\n/ratchet enable --dry-run \n/ratchet stop && /ratchet retry',
      ),
    ).toEqual({
      commands: [{ name: 'stop', args: ['&&', '/ratchet', 'retry'] }],
      unread: [
        { line: '# @ratchet retry', why: 'it is a heading' },
        { line: '/ratchet enabel', why: 'there is no command "enabel"; did you mean "enable"?' },
        { line: '/ratchet enable --dry-run', why: '"enable" takes nothing else, and "--dry-run" is not known' },
        { line: '/ratchet stop && /ratchet retry', why: 'each command needs a line of its own' },
      ],
    });
  });

  it('answers no commands to a comment without any', () => {
    expect(ask('command', '')).toEqual({ commands: [], unread: [] });
  });
});

describe('explain', () => {
  it.each([
    ['', ''],
    ['toString', ''],
    ['Decision', '; did you mean decision?'],
  ])('says what there is instead of %j', (what, hint) => {
    expect(explain(what, '{}')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ratchet: explain: ${JSON.stringify(what)} cannot be explained; there is decision, ci, reviews, exit, command, change, failure, merge${hint}\n`,
    });
  });

  it('asks what to explain', () => {
    expect(explain(undefined, '{}')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'ratchet: explain: say what to explain: decision, ci, reviews, exit, command, change, failure, merge\n',
    });
  });

  it('reads a document that a byte order mark precedes', () => {
    expect(ask('decision', `\uFEFF${JSON.stringify(SNAPSHOT)}`)).toMatchObject({ code: 'CI_FAILED' });
  });

  it.each(['decision', 'ci', 'exit', 'command'])('answers %s or refuses, whatever the input', (what) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (input) => {
        expect([0, 2]).toContain(explain(what, input).exitCode);
      }),
    );
  });
});

describe('runExplain', () => {
  it.each([[['command']], [['command', '--json']], [['--json', 'command']]])(
    'answers %j from its input',
    async (args) => {
      const result = await runExplain(args, () => Promise.resolve('/ratchet help'));

      expect(result).toEqual({
        exitCode: 0,
        stdout: '{"commands":[{"name":"help","args":[]}],"unread":[]}\n',
        stderr: '',
      });
    },
  );

  it('asks for no more than it reads, and refuses more', async () => {
    const limits: number[] = [];
    const result = await runExplain(['command'], (maxBytes) => {
      limits.push(maxBytes);
      return Promise.resolve(null);
    });

    expect(limits).toEqual([MAX_EXPLAIN_BYTES]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toBe(`ratchet: explain command: the input is longer than ${MAX_EXPLAIN_BYTES} bytes\n`);
  });

  it.each([
    [[], 'explain: say what to explain'],
    [['--verbose'], 'explain: "--verbose" cannot be explained'],
    [['exit', '1'], 'explain exit: unexpected argument "1"'],
    [['decision', 'snapshot.json'], 'explain decision: unexpected argument "snapshot.json"'],
  ])('refuses %j and reads nothing', async (args, message) => {
    const result = await runExplain(args, () => Promise.reject(new Error('nothing may be read')));

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
