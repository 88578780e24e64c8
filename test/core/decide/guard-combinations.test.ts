import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { determineFixupAction, GUARDS } from '../../../src/core/decide/determine-fixup-action.ts';
import { LAUNCH_HOLDS } from '../../../src/core/decide/holds.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { aSnapshot, NOW } from '../../support/builders.ts';

/** Codes in whose place a hold may answer. */
const FIXES: ReadonlySet<string> = new Set([
  ...['MERGE_CONFLICT', 'BRANCH_BEHIND', 'CI_FLAKY', 'BASE_REPAIRED', 'CI_FAILED', 'MERGE_QUEUE_FAILED'],
  ...['QUALITY_FINDINGS', 'REVIEW_COMMENTS'],
]);
const SHORT_AGO = NOW - 1000;
const LONG_AGO = NOW - 1_000_000_000;

/** What a pull request can be like, in words: one value of each makes a case. */
const DIMENSIONS = {
  session: ['none', 'working'],
  pullRequest: ['open', 'closed', 'missing'],
  origin: ['own', 'fork'],
  ci: [
    ...['red', 'green', 'none', 'silent', 'only others run', 'running', 'one is missing', 'misnamed', 'blocked'],
    'unapproved',
  ],
  waited: ['short', 'long'],
  pushed: ['never', 'picked up', 'stale', 'stale for long', 'unseen', 'unseen for long'],
  toggle: ['on', 'off'],
  policyFile: ['valid', 'broken'],
  merge: ['clean', 'behind', 'conflict', 'unknown'],
  upToDate: ['optional', 'demanded', 'asked for', 'asked for long ago'],
  hold: ['none', 'paused', 'label', 'draft'],
  budget: ['left', 'no attempt', 'no launch'],
  merging: ['by hand', 'queue', 'failed in the queue', 'auto', 'auto, dismissing', 'auto, disarmed'],
  branch: ['free', 'forbidden'],
  mode: ['push', 'suggest', 'observe'],
  stop: ['none', 'same cause', 'other cause'],
  failure: [
    'unknown',
    'flaky',
    'flaky before',
    'run again',
    'run again long ago',
    'on base',
    'as before',
    'repaired',
    'person',
  ],
  review: ['none', 'settled', 'young', 'undated'],
  works: ['on all', 'not on conflicts', 'not on reviews', 'on red bases', 'on equal failures'],
} as const;
type Dimension = keyof typeof DIMENSIONS;
type Case = { readonly [Name in Dimension]: (typeof DIMENSIONS)[Name][number] };

const PLAIN: Case = {
  session: 'none',
  pullRequest: 'open',
  origin: 'own',
  ci: 'red',
  waited: 'short',
  pushed: 'never',
  toggle: 'on',
  policyFile: 'valid',
  merge: 'clean',
  upToDate: 'optional',
  hold: 'none',
  budget: 'left',
  merging: 'by hand',
  branch: 'free',
  mode: 'push',
  stop: 'none',
  failure: 'unknown',
  review: 'none',
  works: 'on all',
};

const CI = {
  red: { status: 'failure', runId: 'run-2' },
  green: { status: 'success', runId: 'run-2' },
  none: { status: 'none', runId: null },
  silent: { status: 'pending', runId: null },
  'only others run': { status: 'pending', runId: null, running: true },
  'one is missing': { status: 'pending', runId: 'run-2', running: false },
  running: { status: 'pending', runId: 'run-2' },
  misnamed: { status: 'pending', runId: 'run-2', running: false, missing: [{ name: 'test', near: 'ci / test' }] },
  blocked: { status: 'blocked', runId: 'run-2' },
  unapproved: { status: 'blocked', runId: 'run-2', unapproved: true },
} as const;
const RERUN = {
  'flaky before': { ciRunId: 'run-1', at: SHORT_AGO },
  'run again': { ciRunId: 'run-2', at: SHORT_AGO },
  'run again long ago': { ciRunId: 'run-2', at: LONG_AGO },
} as const;

function toSnapshot(of: Case): Snapshot {
  return aSnapshot({
    pullRequest:
      of.pullRequest === 'missing'
        ? null
        : {
            state: of.pullRequest,
            fork: of.origin === 'fork',
            draft: of.hold === 'draft',
            holdLabel: of.hold === 'label',
            inMergeQueue: of.merging === 'queue',
            queueFailure: of.merging === 'failed in the queue' ? 'CI_FAILURE' : null,
            autoMerge: of.merging.startsWith('auto'),
            approvalsSurvive: of.merging !== 'auto, dismissing',
            mustBeUpToDate: of.upToDate !== 'optional',
            pushForbidden: of.branch === 'forbidden' ? 'It is locked.' : null,
          },
    ci: { ...CI[of.ci], failure: toFailure(of.failure) },
    merge: of.merge,
    review: { actionable: of.review === 'none' ? 0 : 2, newestAt: toNewestAt(of.review) },
    ratchet: {
      enabled: of.toggle === 'on',
      consecutiveAttempts: of.budget === 'no attempt' ? 3 : 1,
      launchesToday: of.budget === 'no launch' ? 20 : 1,
      stoppedFor: of.stop === 'none' ? null : of.stop,
      waitingSince: of.waited === 'long' ? LONG_AGO : SHORT_AGO,
      paused: of.hold === 'paused',
      updateAskedAt: toUpdateAskedAt(of.upToDate),
      rerun: toRerun(of.failure),
      ...toPushed(of.pushed),
    },
    causeKey: 'same cause',
    workingSession: of.session === 'working',
    policyErrors: of.policyFile === 'broken' ? ['bad'] : [],
    policy: {
      mode: of.mode,
      holdDrafts: true,
      disarmAutoMerge: of.merging === 'auto, disarmed',
      stopOnSameFailure: of.works !== 'on equal failures',
      fixRedOnBase: of.works === 'on red bases',
      resolveConflicts: of.works !== 'not on conflicts',
      fixReviews: of.works !== 'not on reviews',
    },
  });
}

function toRerun(failure: Case['failure']): Snapshot['ratchet']['rerun'] {
  return failure === 'flaky before' || failure === 'run again' || failure === 'run again long ago'
    ? RERUN[failure]
    : null;
}

function toFailure(failure: Case['failure']): Snapshot['ci']['failure'] {
  if (failure === 'unknown') return null;
  return {
    rerunnable: failure.startsWith('flaky') || failure.startsWith('run again'),
    repairedOnBase: failure === 'repaired',
    person: failure === 'person' ? { name: 'test', line: 'Bad credentials' } : null,
    redOnBase: failure === 'on base',
    sameAsBefore: failure === 'as before',
  };
}

function toNewestAt(review: Case['review']): number | null {
  return { none: null, undated: null, settled: LONG_AGO, young: SHORT_AGO }[review];
}

function toUpdateAskedAt(upToDate: Case['upToDate']): number | null {
  return { optional: null, demanded: null, 'asked for': SHORT_AGO, 'asked for long ago': LONG_AGO }[upToDate];
}

function toPushed(pushed: Case['pushed']): Pick<Snapshot['ratchet'], 'lastCiRunId' | 'staleCiSince'> {
  return {
    never: { lastCiRunId: null, staleCiSince: null },
    'picked up': { lastCiRunId: 'run-1', staleCiSince: null },
    stale: { lastCiRunId: 'run-2', staleCiSince: SHORT_AGO },
    'stale for long': { lastCiRunId: 'run-2', staleCiSince: LONG_AGO },
    // Launched at a head without a CI result.
    unseen: { lastCiRunId: null, staleCiSince: SHORT_AGO },
    'unseen for long': { lastCiRunId: null, staleCiSince: LONG_AGO },
  }[pushed];
}

/** A line of the decision table: the first whose condition holds decides. */
type Line = readonly [decision: string, holds: (of: Case) => boolean];

const isConflictWithoutRun = (of: Case): boolean => of.merge === 'conflict' && (of.ci === 'none' || of.ci === 'silent');
const isSilent = (of: Case): boolean => of.ci === 'silent' || of.ci === 'only others run';
const isUnseen = (of: Case): boolean => of.pushed.startsWith('unseen');
const isSilentAfterPush = (of: Case): boolean =>
  of.pushed !== 'never' && ((of.ci === 'none' && !isUnseen(of)) || isSilent(of));
const isRunAwaited = (of: Case): boolean =>
  of.ci === 'running' ||
  (of.ci === 'one is missing' && of.merge !== 'conflict') ||
  (isSilent(of) && of.pushed === 'never' && !isConflictWithoutRun(of));
const isMisnamed = (of: Case): boolean => of.ci === 'misnamed' && of.merge !== 'conflict';
const isStale = (of: Case): boolean =>
  !isConflictWithoutRun(of) && (of.pushed.startsWith('stale') || isSilentAfterPush(of));
const isUpdateDemanded = (of: Case): boolean =>
  of.merge === 'behind' && of.upToDate !== 'optional' && of.merging !== 'queue';

const isRepaired = (of: Case): boolean => of.ci === 'red' && of.failure === 'repaired' && of.merging !== 'queue';
const hasFailedInQueue = (of: Case): boolean => of.merging === 'failed in the queue';

type Means = 'agent' | 'rerun' | 'update-branch';

/** What keeps each means from being used, the strongest first (resolutions S7, S8, S9, S16). */
const HOLDS: readonly (readonly [decision: string, means: readonly Means[], holds: (of: Case) => boolean])[] = [
  ['TERMINAL_FAILED ATTEMPTS_EXHAUSTED', ['agent'], (of) => of.budget === 'no attempt'],
  ['TERMINAL_FAILED LAUNCHES_EXHAUSTED', ['agent'], (of) => of.budget === 'no launch'],
  ['CLEANUP_ONLY PAUSED', ['agent', 'rerun', 'update-branch'], (of) => of.hold === 'paused' || of.hold === 'label'],
  ['CLEANUP_ONLY DRAFT_HELD', ['agent', 'rerun', 'update-branch'], (of) => of.hold === 'draft'],
  ['CLEANUP_ONLY IN_MERGE_QUEUE', ['agent'], (of) => of.merging === 'queue'],
  ['CLEANUP_ONLY AUTO_MERGE_ON', ['agent', 'update-branch'], (of) => of.merging === 'auto'],
  ['CLEANUP_ONLY PUSH_FORBIDDEN', ['agent', 'update-branch'], (of) => of.branch === 'forbidden'],
  ['CLEANUP_ONLY OBSERVE_ONLY', ['agent', 'rerun', 'update-branch'], (of) => of.mode === 'observe'],
  ['CLEANUP_ONLY OBSERVE_ONLY', ['update-branch'], (of) => of.mode === 'suggest'],
];
const STOPPED: Line = ['DONE STOPPED_SAME_CAUSE', (of) => of.stop === 'same cause'];

/** The lines of one problem: its holds, what policy leaves to people, the stop, and at last the fix. */
function fixes(
  decision: string,
  isProblem: (of: Case) => boolean,
  isLeftToPeople: (of: Case) => boolean = () => false,
): readonly Line[] {
  const lines: readonly Line[] = [
    ...HOLDS.filter(([, means]) => means.some((one) => decision.endsWith(` ${one}`))).map(
      ([held, , holds]): Line => [held, holds],
    ),
    ['CLEANUP_ONLY OBSERVE_ONLY', isLeftToPeople],
    STOPPED,
    ...(decision.includes('FIX_REVIEW') ? [SETTLING] : []),
    [decision, () => true],
  ];
  return lines.map(([held, holds]): Line => [held, (of) => isProblem(of) && holds(of)]);
}
const SETTLING: Line = ['WAIT REVIEW_SETTLING', (of) => of.review === 'young' && of.waited === 'short'];

const TABLE: readonly Line[] = [
  ['WAIT WORKING_SESSION', (of) => of.session === 'working'],
  ['DONE NO_PR', (of) => of.pullRequest === 'missing'],
  ['DONE PR_NOT_OPEN', (of) => of.pullRequest === 'closed'],
  ['CLEANUP_ONLY FORK_NOT_SUPPORTED', (of) => of.origin === 'fork' && of.toggle === 'on'],
  ['DONE CI_TIMEOUT', (of) => isMisnamed(of) && of.waited === 'long'],
  ['WAIT CI_REQUIRED_MISSING', isMisnamed],
  ['DONE CI_TIMEOUT', (of) => (isRunAwaited(of) || of.ci === 'unapproved') && of.waited === 'long'],
  ['WAIT CI_RUNNING', isRunAwaited],
  ['WAIT CI_BLOCKED', (of) => of.ci === 'unapproved'],
  ['DONE STALE_CI_TIMEOUT', (of) => isStale(of) && of.pushed.endsWith(' for long')],
  ['DONE STALE_CI_TIMEOUT', (of) => isStale(of) && of.pushed === 'picked up' && of.waited === 'long'],
  ['WAIT STALE_CI_RUN', isStale],
  ['CLEANUP_ONLY DISABLED', (of) => of.toggle === 'off'],
  ['CLEANUP_ONLY POLICY_INVALID', (of) => of.policyFile === 'broken'],
  ['DONE MERGE_UNKNOWN_TIMEOUT', (of) => of.merge === 'unknown' && of.waited === 'long'],
  ['WAIT MERGE_UNKNOWN', (of) => of.merge === 'unknown'],
  ...fixes(
    'FIX_MERGE_CONFLICT MERGE_CONFLICT agent',
    (of) => of.merge === 'conflict',
    (of) => of.works === 'not on conflicts',
  ),
  ['WAIT UPDATE_AWAITED', (of) => isUpdateDemanded(of) && of.upToDate === 'asked for'],
  ...fixes(
    'FIX_MERGE_CONFLICT BRANCH_BEHIND update-branch',
    (of) => isUpdateDemanded(of) && of.upToDate === 'demanded',
  ),
  ['WAIT RERUN_AWAITED', (of) => of.ci === 'red' && of.failure === 'run again'],
  ...fixes('FIX_CI CI_FLAKY rerun', (of) => of.ci === 'red' && of.failure.startsWith('flaky')),
  ['WAIT UPDATE_AWAITED', (of) => isRepaired(of) && of.upToDate === 'asked for'],
  ...fixes(
    'FIX_CI BASE_REPAIRED update-branch',
    (of) => isRepaired(of) && (of.upToDate === 'optional' || of.upToDate === 'demanded'),
  ),
  ['DONE CI_NEEDS_PERSON', (of) => of.ci === 'red' && of.failure === 'person'],
  ['DONE RED_ON_BASE', (of) => of.ci === 'red' && of.failure === 'on base' && of.works !== 'on red bases'],
  ['DONE SAME_FAILURE', (of) => of.ci === 'red' && of.failure === 'as before' && of.works !== 'on equal failures'],
  ...fixes('FIX_CI CI_FAILED agent', (of) => of.ci === 'red'),
  ['WAIT UPDATE_AWAITED', (of) => hasFailedInQueue(of) && of.upToDate === 'asked for'],
  ['DONE MERGE_QUEUE_UNEXPLAINED', (of) => hasFailedInQueue(of) && of.upToDate === 'asked for long ago'],
  ...fixes('FIX_CI MERGE_QUEUE_FAILED update-branch', hasFailedInQueue),
  ...fixes(
    'FIX_REVIEW REVIEW_COMMENTS agent',
    (of) => of.review !== 'none',
    (of) => of.works === 'not on reviews',
  ),
  ['DONE CI_TIMEOUT', (of) => of.ci === 'blocked' && of.waited === 'long'],
  ['WAIT CI_BLOCKED', (of) => of.ci === 'blocked'],
  ['DONE ALL_GREEN', () => true],
];

function expected(of: Case): string {
  return TABLE.find(([, holds]) => holds(of))?.[0] ?? 'nothing';
}

function decided(of: Case): string {
  const { action, code, means } = determineFixupAction(toSnapshot(of));
  return [action, code, ...(means === undefined ? [] : [means])].join(' ');
}

/** What the first guard that answers may answer. */
function answers(of: Case): readonly string[] {
  const snapshot = toSnapshot(of);
  const { codes } = GUARDS.find(({ find }) => find(snapshot) !== null) ?? { codes: ['ALL_GREEN'] };
  const isFix = codes.some((code) => FIXES.has(code));
  return isFix ? [...codes, ...LAUNCH_HOLDS.map(({ code }) => code)] : codes;
}

/** Every combination of the values of these dimensions, over `PLAIN` and `fixed`. */
function combine(dimensions: readonly Dimension[], fixed: Partial<Case> = {}): readonly Case[] {
  return dimensions.reduce<readonly Case[]>(
    (cases, dimension) =>
      cases.flatMap((of) => DIMENSIONS[dimension].map((value): Case => ({ ...of, [dimension]: value }))),
    [{ ...PLAIN, ...fixed }],
  );
}

/** The first few cases that are decided otherwise than the table says; how many were tried. */
function compare(cases: Iterable<Case>): { readonly tried: number; readonly wrong: readonly unknown[] } {
  const wrong: unknown[] = [];
  let tried = 0;
  for (const of of cases) {
    tried += 1;
    if (wrong.length < 5 && decided(of) !== expected(of))
      wrong.push({ of, decided: decided(of), expected: expected(of) });
  }
  return { tried, wrong };
}

describe('every combination of guards (002.R33)', () => {
  it('of the monitoring guards decides as the table says (002.R2, 002.R13, S2, S5)', () => {
    const dimensions = ['session', 'pullRequest', 'origin', 'ci', 'waited', 'pushed', 'toggle', 'policyFile', 'merge'];

    expect(compare(combine(dimensions.filter(isDimension)))).toEqual({ tried: 23_040, wrong: [] });
  });

  it('of the problems decides as the table says (S7)', () => {
    const dimensions = ['ci', 'merge', 'upToDate', 'merging', 'failure', 'review', 'works', 'waited'];

    expect(compare(combine(dimensions.filter(isDimension)))).toEqual({ tried: 345_600, wrong: [] });
  });

  it.each<[string, Partial<Case>]>([
    ['a conflict', { merge: 'conflict' }],
    ['a branch that must be updated', { merge: 'behind', upToDate: 'demanded' }],
    ['a flaky failure', { failure: 'flaky' }],
    ['a failure', {}],
    ['a review', { ci: 'green', review: 'settled' }],
    ['nothing', { ci: 'green' }],
  ])('of the holds of %s decides as the table says (S8, S9, S16)', (_what, fixed) => {
    const dimensions = ['hold', 'budget', 'merging', 'branch', 'mode', 'stop', 'works'];

    expect(compare(combine(dimensions.filter(isDimension), fixed))).toEqual({ tried: 6480, wrong: [] });
  });

  it('of everything with everything decides as the table says, as far as chance reaches', () => {
    const values = dimensionNames().map((name) =>
      fc.constantFrom(...DIMENSIONS[name]).map((value): Partial<Case> => ({ [name]: value })),
    );
    const anyCase = fc.tuple(...values).map((parts) => parts.reduce<Case>((of, part) => ({ ...of, ...part }), PLAIN));
    fc.assert(
      fc.property(anyCase, (of) => {
        expect(decided(of)).toBe(expected(of));
        expect(answers(of), 'a guard gives only codes that it lists').toContain(
          determineFixupAction(toSnapshot(of)).code,
        );
      }),
      { numRuns: 5000 },
    );
  });

  it('meets every line of the table', () => {
    const met = new Set<string>();
    for (const of of combine(['ci', 'merge', 'upToDate', 'failure', 'review', 'waited', 'mode', 'hold', 'pushed']))
      met.add(expected(of));
    for (const of of combine(['merging', 'upToDate', 'hold', 'branch', 'mode', 'stop'], { ci: 'green' }))
      met.add(expected(of));
    for (const of of combine([
      'session',
      'pullRequest',
      'origin',
      'toggle',
      'policyFile',
      'budget',
      'merging',
      'branch',
      'stop',
    ]))
      met.add(expected(of));

    expect(new Set(TABLE.map(([decision]) => decision))).toEqual(met);
  });
});

function isDimension(name: string): name is Dimension {
  return Object.hasOwn(DIMENSIONS, name);
}

function dimensionNames(): readonly Dimension[] {
  return Object.keys(DIMENSIONS).filter(isDimension);
}
