import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CiInput, toCiVerdict, toNoCiProven } from '../../../src/core/ci/ci-verdict.ts';
import { toLatestResults } from '../../../src/core/ci/latest-results.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import type { CiStatus } from '../../../src/core/model/snapshot.ts';
import { createNameMatcher, MAX_NAME_GLOB_LENGTH } from '../../../src/core/paths/check-name-glob.ts';
import { aCheck, aStatus, fakeSha, NOW } from '../../support/builders.ts';

const POLICY = { settleSeconds: 60, required: null, ignore: [] };
const OWN_APP_ID = 99;

function verdict(checks: readonly CheckResult[], change: Partial<CiInput<CheckResult>> = {}) {
  return toCiVerdict({
    headSha: fakeSha('head'),
    headPushedAt: NOW - 3_600_000,
    now: NOW,
    ownAppId: OWN_APP_ID,
    checks,
    policy: POLICY,
    noCiProven: false,
    ...change,
  });
}

const RED = aCheck({ conclusion: 'failure' });
const RUNNING = aCheck({ id: 5, name: 'slow', status: 'in_progress', conclusion: null, completedAt: null });

/** One row for each conclusion and status (S3). */
const ONE: readonly (readonly [string, Partial<CheckResult>, CiStatus])[] = [
  ['success', { conclusion: 'success' }, 'success'],
  ['neutral alone (trap 77, trap 80)', { conclusion: 'neutral' }, 'success'],
  ['skipped alone (trap 68)', { conclusion: 'skipped' }, 'success'],
  ['failure', { conclusion: 'failure' }, 'failure'],
  ['timed_out (trap 78)', { conclusion: 'timed_out' }, 'failure'],
  ['startup_failure (trap 67, trap 81)', { conclusion: 'startup_failure' }, 'failure'],
  ['action_required (trap 144)', { conclusion: 'action_required' }, 'blocked'],
  ['a lone cancel (trap 1, trap 2, trap 79)', { conclusion: 'cancelled' }, 'pending'],
  ['stale (trap 67)', { conclusion: 'stale' }, 'pending'],
  ['an unknown conclusion (trap 73, S3)', { conclusion: 'unknown' }, 'pending'],
  ['completed without a conclusion', { conclusion: null }, 'pending'],
  ['queued', { status: 'queued', conclusion: null }, 'pending'],
  ['in_progress', { status: 'in_progress', conclusion: null }, 'pending'],
  ['waiting: a deployment is protected (L10)', { status: 'waiting', conclusion: null }, 'blocked'],
  ['an unknown status', { status: 'unknown', conclusion: null }, 'pending'],
];

describe('toCiVerdict', () => {
  it.each(ONE)('reads %s', (_what, check, status) => {
    expect(verdict([aCheck(check)]).status).toBe(status);
    expect(verdict([aStatus(check)]).status).toBe(status);
  });

  it.each(ONE)('calls nothing red but what failed: %s', (_what, check, status) => {
    expect(verdict([aCheck(check)]).failing).toHaveLength(status === 'failure' ? 1 : 0);
  });

  const TOGETHER: readonly (readonly [string, readonly CheckResult[], CiStatus])[] = [
    ['waits for what runs, although something is red (002 guard 3, trap 76)', [RED, RUNNING], 'pending'],
    ['waits for what runs before an approval', [aCheck({ conclusion: 'action_required' }), RUNNING], 'pending'],
    [
      'is red although another check waits for a person (L10)',
      [aCheck({ id: 2, name: 'cla', conclusion: 'action_required' }), RED],
      'failure',
    ],
    [
      'is red although a deployment waits for a person (L10)',
      [aCheck({ id: 2, name: 'deploy', status: 'waiting', conclusion: null }), RED],
      'failure',
    ],
    [
      'waits for a person before it asks about what was cancelled',
      [
        aCheck({ id: 2, name: 'deploy', status: 'waiting', conclusion: null }),
        aCheck({ id: 3, name: 'e2e', conclusion: 'cancelled' }),
      ],
      'blocked',
    ],
    [
      'waits for the approval of a workflow run before it calls the rest red (trap 11, trap 12)',
      [aCheck({ id: 2, name: 'ci', isRun: true, conclusion: 'action_required' }), RED],
      'blocked',
    ],
    [
      'is red although a workflow run waits for a deployment (L10)',
      [aCheck({ id: 2, name: 'ci', isRun: true, status: 'waiting', conclusion: null }), RED],
      'failure',
    ],
    [
      'waits where a workflow run ended in a way that its jobs do not show',
      [aCheck({ id: 2, name: 'ci', isRun: true, conclusion: 'unknown' }), RED],
      'pending',
    ],
    [
      'is red where fail-fast cancelled the other jobs',
      [RED, aCheck({ id: 2, name: 'build (20)', conclusion: 'cancelled' })],
      'failure',
    ],
    [
      'is not green beside a lone cancel (trap 3)',
      [aCheck(), aCheck({ id: 2, name: 'e2e', conclusion: 'cancelled' })],
      'pending',
    ],
    ['counts a red status beside green checks (trap 13)', [aCheck(), aStatus({ conclusion: 'failure' })], 'failure'],
    ['counts a red check beside green statuses (trap 13)', [RED, aStatus()], 'failure'],
    [
      'leaves other heads out (trap 7)',
      [aCheck(), aCheck({ id: 9, headSha: fakeSha('old'), conclusion: 'failure' })],
      'success',
    ],
    [
      'leaves our own check run out',
      [aCheck(), aCheck({ id: 9, name: 'Ratchet', appId: OWN_APP_ID, status: 'in_progress' })],
      'success',
    ],
    [
      'takes the newer of a superseded cancel (trap 1, trap 2)',
      [aCheck({ conclusion: 'cancelled' }), aCheck({ id: 2, startedAt: NOW })],
      'success',
    ],
    [
      'leaves a cancel out that a newer run of the job replaced by another event (trap 2)',
      [aCheck({ event: 'push', conclusion: 'cancelled' }), aCheck({ id: 2, startedAt: NOW })],
      'success',
    ],
    [
      'leaves a stale one out in the same way',
      [aCheck({ event: 'push', conclusion: 'stale' }), aCheck({ id: 2, startedAt: NOW })],
      'success',
    ],
    [
      'takes what replaced a cancel for what it is',
      [aCheck({ event: 'push', conclusion: 'cancelled' }), aCheck({ id: 2, startedAt: NOW, conclusion: 'failure' })],
      'failure',
    ],
    [
      'is not green where the cancel is the newer one (trap 3)',
      [aCheck({ event: 'push', conclusion: 'cancelled', startedAt: NOW }), aCheck({ id: 2 })],
      'pending',
    ],
    [
      'is not green where the job was cancelled again (trap 3)',
      [
        aCheck({ event: 'push', conclusion: 'cancelled' }),
        aCheck({ id: 2, startedAt: NOW, conclusion: 'cancelled' }),
        aCheck({ id: 3, name: 'lint' }),
      ],
      'pending',
    ],
    [
      'does not take a job of another workflow for the successor of a cancel (trap 2)',
      [
        aCheck({ workflow: 'ci', event: 'push', conclusion: 'cancelled' }),
        aCheck({ id: 2, workflow: 'release', startedAt: NOW }),
      ],
      'pending',
    ],
    [
      'does not take the job of another App for the successor of a cancel (trap 2)',
      [aCheck({ appId: 1, conclusion: 'cancelled' }), aCheck({ id: 2, appId: 2, startedAt: NOW })],
      'pending',
    ],
    [
      'keeps an unknown value although a newer run of another event is green',
      [aCheck({ event: 'push', conclusion: 'unknown' }), aCheck({ id: 2, startedAt: NOW })],
      'pending',
    ],
    [
      'takes the green re-run of a red one (trap 82)',
      [aCheck({ conclusion: 'failure', startedAt: NOW - 9 }), aCheck({ id: 2, startedAt: NOW })],
      'success',
    ],
    [
      'takes the red re-run of a green one',
      [aCheck({ startedAt: NOW - 9 }), aCheck({ id: 2, startedAt: NOW, conclusion: 'failure' })],
      'failure',
    ],
    ['decides by id at the same instant', [aCheck({ id: 3 }), aCheck({ id: 2, conclusion: 'failure' })], 'success'],
    ['lets a start beat an id', [aCheck({ id: 3, startedAt: 1 }), aCheck({ id: 2, conclusion: 'failure' })], 'failure'],
    [
      'takes what has not started as the newest',
      [aCheck(), aCheck({ id: 2, startedAt: null, status: 'queued', conclusion: null })],
      'pending',
    ],
    [
      'takes the end where no start is told',
      [aCheck({ startedAt: null, completedAt: NOW }), aCheck({ id: 2, conclusion: 'failure' })],
      'success',
    ],
    [
      'takes a result without any time as the oldest',
      [aCheck({ startedAt: null, completedAt: null }), aCheck({ id: 0, conclusion: 'failure' })],
      'failure',
    ],
    [
      'takes the completed one of two rows of one id (trap 10)',
      [aCheck({ status: 'in_progress', conclusion: null, completedAt: null }), aCheck()],
      'success',
    ],
    [
      'takes the completed one even without its end',
      [aCheck({ status: 'in_progress', conclusion: null }), aCheck({ completedAt: null })],
      'success',
    ],
    [
      'keeps push and pull_request apart (trap 142)',
      [aCheck({ id: 1, event: 'push', conclusion: 'failure' }), aCheck({ id: 2, startedAt: NOW })],
      'failure',
    ],
    [
      'keeps two workflows with one job name apart',
      [aCheck({ workflow: 'ci', conclusion: 'failure' }), aCheck({ id: 2, workflow: 'release', startedAt: NOW })],
      'failure',
    ],
    [
      'keeps two Apps with one name apart',
      [aCheck({ appId: 1, conclusion: 'failure' }), aCheck({ id: 2, appId: 2, startedAt: NOW })],
      'failure',
    ],
    [
      'keeps a check and a status of one name apart',
      [aCheck({ name: 'x', conclusion: 'failure' }), aStatus({ name: 'x', id: 2 })],
      'failure',
    ],
  ];
  it.each(TOGETHER)('%s', (_title, checks, status) => {
    expect(verdict(checks).status).toBe(status);
    expect(verdict([...checks].reverse()).status).toBe(status);
  });

  it('lists red results while others still run, sorted, each with its check', () => {
    const second = aCheck({ id: 7, name: 'a', conclusion: 'timed_out' });

    expect(verdict([RED, RUNNING, second]).failing).toEqual([
      { name: 'a', conclusion: 'timed_out', check: second },
      { name: 'build', conclusion: 'failure', check: RED },
    ]);
    expect(
      verdict([aCheck({ id: 2, event: 'push', conclusion: 'failure' }), RED]).failing.map(({ check }) => check.id),
    ).toEqual([1, 2]);
  });

  it('does not leave a status of nobody out where our own App is not known', () => {
    expect(verdict([aStatus({ conclusion: 'failure' })], { ownAppId: null }).status).toBe('failure');
  });

  it('says in its reason what it is about', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name, id) => aCheck({ id, name, conclusion: 'failure' }));

    expect(verdict(many).reason).toBe('"a", "b", "c" and 2 more failed.');
    expect(verdict([RUNNING]).reason).toBe('"slow" is still running.');
    expect(verdict([RUNNING, aCheck({ id: 6, name: 'z', status: 'queued' })]).reason).toBe(
      '"slow", "z" are still running.',
    );
    expect(verdict([aCheck()]).reason).toBe('1 result, all green.');
    expect(verdict([aCheck({ conclusion: 'cancelled' })]).reason).toBe('"build" is neither passed nor failed.');
    expect(verdict([aCheck({ conclusion: 'action_required' })]).reason).toBe('"build" is waiting for approval.');
    expect(verdict([]).reason).toBe('There is no result yet, and no proof that there is no CI.');
  });
});

describe('what a verdict says', () => {
  it('names in the order of the text, whatever the order of the input', () => {
    const named = ['c', 'a', 'b'].map((name, id) => aCheck({ id, name, workflow: String(9 - id), status: 'queued' }));

    expect(verdict(named).reason).toBe('"a", "b", "c" are still running.');
    expect(
      verdict(named.map((check) => ({ ...check, status: 'completed', conclusion: 'failure' }))).failing.map(
        ({ name }) => name,
      ),
    ).toEqual(['a', 'b', 'c']);
  });

  it('lists red results of one name by their id', () => {
    const red = [7, 3, 5].map((id) => aCheck({ id, event: `e${String(9 - id)}`, conclusion: 'failure' }));

    expect(verdict(red).failing.map(({ check }) => check.id)).toEqual([3, 5, 7]);
  });

  it('cuts a long name', () => {
    expect(verdict([aCheck({ name: 'x'.repeat(121), conclusion: 'failure' })]).reason).toBe(
      `"${'x'.repeat(120)}" failed.`,
    );
  });

  it('says that a young head is silent', () => {
    expect(verdict([], { headPushedAt: NOW }).reason).toBe(
      'There is no result yet; confirming for 1 min, in case more checks start.',
    );
  });

  it('leaves our App’s own check run out, and nothing else of it', () => {
    const own = aCheck({ id: 9, name: 'Ratchet', appId: OWN_APP_ID, conclusion: 'failure' });

    expect(verdict([aCheck(), own]).status).toBe('success');
    expect(verdict([aCheck(), { ...own, source: 'status' }]).status).toBe('failure');
    expect(verdict([aCheck(), { ...own, appId: null }], { ownAppId: null }).status).toBe('failure');
    expect(verdict([aCheck(), own], { ownAppId: null }).status).toBe('failure');
  });
});

describe('toLatestResults', () => {
  it('gives one order for every order of the input', () => {
    const all = [
      aCheck({ id: 1, name: 'b' }),
      aCheck({ id: 2, name: 'a', event: 'push' }),
      aCheck({ id: 3, name: 'a' }),
      aStatus({ id: 4, name: 'a' }),
    ];
    const ids = toLatestResults(all).map(({ id }) => id);

    expect(ids).toHaveLength(4);
    expect(ids.at(-1)).toBe(1);
    expect(toLatestResults([...all].reverse()).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['the later end', { completedAt: 5 }, { completedAt: 6 }],
    ['the end that is told last', { completedAt: 5 }, { completedAt: null }],
    ['a conclusion over none', { conclusion: null }, { conclusion: 'failure' }],
    ['one conclusion over another', { conclusion: 'cancelled' }, { conclusion: 'failure' }],
  ] as const)('decides between two rows of one id by %s', (_what, older, newer) => {
    const rows = [aCheck(older), aCheck(newer)];

    expect(toLatestResults(rows)).toEqual([rows[1]]);
    expect(toLatestResults([...rows].reverse())).toEqual([rows[1]]);
  });

  it('decides between two rows of one id by the event, where both were called off', () => {
    const rows = ['pull_request', null, 'push'].map((event) => aCheck({ event, conclusion: 'cancelled' }));

    expect(toLatestResults(rows).map(({ event }) => event)).toEqual(['push']);
    expect(toLatestResults([...rows].reverse()).map(({ event }) => event)).toEqual(['push']);
  });
});

describe('a head without results', () => {
  it('is pending for ever without a proof (trap 80, trap 139, S3)', () => {
    expect(verdict([])).toMatchObject({ status: 'pending', runId: null, settlesAt: null });
  });

  it('has no CI when that is proven', () => {
    expect(verdict([], { noCiProven: true })).toMatchObject({ status: 'none', runId: null });
  });

  it('is pending while it is young, even so (S3)', () => {
    const young = verdict([], { noCiProven: true, headPushedAt: NOW - 59_999 });

    expect(young).toMatchObject({ status: 'pending', settlesAt: NOW + 1 });
    expect(verdict([], { noCiProven: true, headPushedAt: NOW - 60_000 }).status).toBe('none');
  });

  it.each([
    [false, false, false, true],
    [true, false, false, false],
    [false, true, false, false],
    [false, false, true, false],
  ])(
    'proves absence only from workflows %s, base %s, seen %s: %s (trap 8, S3)',
    (hasWorkflows, baseHasChecks, ciEverSeen, expected) => {
      expect(toNoCiProven({ hasWorkflows, baseHasChecks }, { ciEverSeen })).toBe(expected);
    },
  );
});

describe('a young head (S3)', () => {
  const young = { headPushedAt: NOW - 1000 };

  it('is not green yet', () => {
    expect(verdict([aCheck()], young)).toMatchObject({ status: 'pending', settlesAt: NOW + 59_000 });
    expect(verdict([aCheck()], young).reason).toBe('CI is green; confirming for 1 min, in case more checks start.');
  });

  it('is red at once', () => {
    expect(verdict([RED], young)).toMatchObject({ status: 'failure', settlesAt: null });
  });
});

describe('a policy for checks', () => {
  const required = { policy: { ...POLICY, required: ['build', 'test'] } };

  it('waits for a required name without a result (trap 52)', () => {
    expect(verdict([aCheck()], required)).toMatchObject({
      status: 'pending',
      reason: 'There is no result of "test" yet.',
    });
  });

  it('tells whether anything runs, required or not, but for what is ignored (trap 86)', () => {
    const cla = aCheck({ id: 7, name: 'build' });

    expect(verdict([cla], required)).toMatchObject({ status: 'pending', isRunning: false });
    expect(verdict([cla, RUNNING], required)).toMatchObject({ status: 'pending', isRunning: true });
    expect(verdict([cla, RUNNING], { policy: { ...required.policy, ignore: ['slow'] } }).isRunning).toBe(false);
    expect(verdict([RUNNING]).isRunning).toBe(true);
    expect(verdict([]).isRunning).toBe(false);
    expect(verdict([aCheck({ conclusion: 'cancelled' })]).isRunning).toBe(false);
    expect(verdict([aCheck({ conclusion: 'action_required' })]).isRunning).toBe(false);
  });

  it.each([
    ['conclusion', { conclusion: 'unknown' }],
    ['status', { status: 'unknown' }],
    ['end', { conclusion: null }],
  ] as const)('takes a check with an unknown %s for one that may run: it launches nothing (S3)', (_what, check) => {
    expect(verdict([aCheck(check)])).toMatchObject({ status: 'pending', isRunning: true });
  });

  it('asks a person where a run that nobody approved keeps a required job from coming (trap 11)', () => {
    const gate = aCheck({ id: 4, name: 'CI', conclusion: 'action_required' });

    expect(verdict([aCheck(), gate], required)).toMatchObject({
      status: 'blocked',
      failing: [],
      reason: 'There is no result of "test" yet, and "CI" is waiting for approval.',
    });
    expect(
      verdict([aCheck(), gate, aCheck({ id: 5, name: 'E2E', conclusion: 'action_required' })], required).reason,
    ).toBe('There is no result of "test" yet, and "CI", "E2E" are waiting for approval.');
    expect(verdict([aCheck(), aCheck({ id: 2, name: 'test' }), gate], required).status).toBe('success');
  });

  it('is not green for a required name that was cancelled (trap 3)', () => {
    expect(verdict([aCheck(), aCheck({ id: 2, name: 'test', conclusion: 'cancelled' })], required).status).toBe(
      'pending',
    );
  });

  it('is red although a required name is missing', () => {
    expect(verdict([RED], required).status).toBe('failure');
  });

  it('counts required names only', () => {
    const others = [aCheck(), aCheck({ id: 2, name: 'test' }), aCheck({ id: 3, name: 'flaky', conclusion: 'failure' })];

    expect(verdict(others, required)).toMatchObject({ status: 'success', failing: [] });
  });

  it('leaves ignored names out, of the identity too', () => {
    const ignore = { policy: { ...POLICY, ignore: ['cov*'] } };
    const noise = aStatus({ id: 8, name: 'coverage/project', conclusion: 'failure' });

    expect(verdict([aCheck(), noise], ignore)).toEqual(verdict([aCheck()], ignore));
  });
});

describe('the identity of a CI result', () => {
  it('changes with a re-run, an attempt, another head and another result (trap 72, trap 141, S5)', () => {
    const ids = [
      verdict([aCheck()]),
      verdict([aCheck({ id: 2 })]),
      verdict([aCheck({ startedAt: NOW })]),
      verdict([aCheck({ runAttempt: 2 })]),
      verdict([aCheck({ headSha: fakeSha('x') })], { headSha: fakeSha('x') }),
      verdict([aCheck(), aStatus()]),
      verdict([aStatus()]),
      verdict([aStatus({ id: 2 })]),
    ].map(({ runId }) => runId);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(null);
  });

  it('is the same for what was handled already (trap 74, S5)', () => {
    expect(verdict([RED, aStatus()]).runId).toBe(verdict([aStatus(), RED]).runId);
  });

  it('says which head and how many results', () => {
    expect(verdict([aCheck(), aStatus()]).runId).toMatch(/^0{12}\.2\.[0-9a-z]{22}$/u);
  });

  it('stays while a run goes on to its end', () => {
    expect(verdict([aCheck({ status: 'in_progress', conclusion: null })]).runId).toBe(verdict([aCheck()]).runId);
  });

  it('is made of the name and the number of a status, and of nothing else', () => {
    const { runId } = verdict([aStatus()]);

    expect(verdict([aStatus({ appId: 7 })]).runId).toBe(runId);
    expect(verdict([aStatus({ startedAt: NOW - 5_000 })]).runId).toBe(runId);
  });

  it('is short', () => {
    const many = Array.from({ length: 500 }, (_, id) => aCheck({ id, name: `job ${id}` }));

    expect(verdict(many).runId?.length).toBeLessThan(64);
  });
});

describe('several hundred checks', () => {
  const many = Array.from({ length: 900 }, (_, index) => aCheck({ id: index + 1, name: `job ${String(index)}` }));

  it('hide none that is red (trap 42)', () => {
    const withRed = [...many, aCheck({ id: 1000, name: 'leg', conclusion: 'failure' })];

    expect(verdict(withRed)).toMatchObject({ status: 'failure', reason: '"leg" failed.' });
    expect(verdict(many)).toMatchObject({ status: 'success', reason: '900 results, all green.' });
  });
});

const anyCheck: fc.Arbitrary<CheckResult> = fc
  .record({
    source: fc.constantFrom('check_run', 'status'),
    id: fc.nat({ max: 5 }),
    appId: fc.constantFrom(null, 1, OWN_APP_ID),
    name: fc.constantFrom('build', 'test', 'lint'),
    event: fc.constantFrom(null, 'push', 'pull_request'),
    headSha: fc.constantFrom(fakeSha('head'), fakeSha('old')),
    status: fc.constantFrom('queued', 'in_progress', 'completed', 'completed', 'completed', 'waiting', 'unknown'),
    conclusion: fc.constantFrom(
      'success',
      'success',
      'failure',
      'neutral',
      'cancelled',
      'action_required',
      'stale',
      'unknown',
      null,
    ),
    startedAt: fc.constantFrom(null, 1, 2),
    completedAt: fc.constantFrom(null, 3, 4),
  })
  .map((change) => aCheck(change));

const anyShuffled = fc
  .array(anyCheck, { maxLength: 8 })
  .chain((checks) => fc.tuple(fc.constant(checks), fc.shuffledSubarray(checks, { minLength: checks.length })));

describe('every verdict', () => {
  it('is the same in any order of the results, and for results given twice', () => {
    fc.assert(
      fc.property(anyShuffled, ([checks, shuffled]) => {
        const expected = verdict(checks);
        const again = verdict([...shuffled, ...checks]);

        expect([again.status, again.runId, again.reason]).toEqual([expected.status, expected.runId, expected.reason]);
        expect(again.failing).toHaveLength(expected.failing.length);
      }),
      { numRuns: 500 },
    );
  });

  it('is green or red only when all that counts is known', () => {
    fc.assert(
      fc.property(fc.array(anyCheck, { maxLength: 8 }), (checks) => {
        const { status, failing } = verdict(checks);

        if (status === 'success') expect(checks.some(({ headSha }) => headSha === fakeSha('head'))).toBe(true);
        if (status === 'failure') expect(failing).not.toEqual([]);
        if (status === 'success') expect(failing).toEqual([]);
        expect(status).not.toBe('none');
      }),
    );
  });
});

describe('createNameMatcher', () => {
  it.each([
    ['build (*)', 'build (18)', true],
    ['build (*, ubuntu)', 'build (20, ubuntu)', true],
    ['ci/*', 'ci/circleci: a/b', true],
    ['{lint,fmt}', 'fmt', true],
    ['[bot] *', '[bot] x', true],
    ['!build', 'test', false],
    ['build', 'build 2', false],
    ['(((', '(((', true],
    ['x'.repeat(MAX_NAME_GLOB_LENGTH), 'x'.repeat(MAX_NAME_GLOB_LENGTH), true],
    ['*', '.hidden', true],
    ['x'.repeat(MAX_NAME_GLOB_LENGTH + 1), 'x'.repeat(MAX_NAME_GLOB_LENGTH + 1), false],
  ])('matches %s against %s: %s', (glob, name, expected) => {
    expect(createNameMatcher([glob])(name)).toBe(expected);
  });
});

describe('checks that were asked to run again', () => {
  const rerun = { rerun: ['test'] };

  it('are awaited while GitHub has withdrawn their results (S5)', () => {
    expect(verdict([aCheck()], rerun)).toMatchObject({
      status: 'pending',
      isRunning: true,
      reason: '"test" is about to run again.',
    });
    expect(verdict([RED], rerun).status).toBe('pending');
    expect(verdict([aCheck()], { rerun: ['test', 'e2e'] }).reason).toBe('"test", "e2e" are about to run again.');
  });

  it('are awaited no longer than that', () => {
    const test = aCheck({ id: 2, name: 'test' });

    expect(verdict([aCheck(), test], rerun)).toMatchObject({ status: 'success', isRunning: false });
    expect(verdict([aCheck(), { ...test, status: 'queued', conclusion: null }], rerun).reason).toBe(
      '"test" is still running.',
    );
    expect(verdict([aCheck(), { ...test, headSha: fakeSha('old') }], rerun).status).toBe('pending');
  });

  it('are not awaited where they do not count', () => {
    expect(verdict([aCheck()], { ...rerun, policy: { ...POLICY, ignore: ['te*'] } }).status).toBe('success');
    expect(verdict([aCheck()], { ...rerun, policy: { ...POLICY, required: ['build'] } }).status).toBe('success');
    expect(verdict([aCheck()], { ...rerun, policy: { ...POLICY, required: ['build', 'test'] } }).status).toBe(
      'pending',
    );
  });
});

describe('who a verdict waits for', () => {
  const required = { policy: { ...POLICY, required: ['build', 'test'] } };

  it.each<[string, Partial<CheckResult>, boolean]>([
    ['a check', { conclusion: 'action_required' }, false],
    ['a deployment', { status: 'waiting', conclusion: null }, false],
    ['a workflow run with a deployment', { isRun: true, status: 'waiting', conclusion: null }, false],
    ['a workflow run that nobody approved (trap 12)', { isRun: true, conclusion: 'action_required' }, true],
  ])('is told for %s', (_what, change, isUnapproved) => {
    const gate = aCheck({ id: 4, name: 'gate', ...change });

    expect(verdict([aCheck(), gate])).toMatchObject({ status: 'blocked', isUnapproved, isRunning: false });
    expect(verdict([aCheck(), gate], required)).toMatchObject({ status: 'blocked', isUnapproved, missing: [] });
  });

  it('is nobody otherwise', () => {
    expect(verdict([aCheck()])).toMatchObject({ isUnapproved: false, missing: [] });
    expect(verdict([RED, aCheck({ id: 4, name: 'gate', conclusion: 'action_required' })]).isUnapproved).toBe(false);
  });
});
