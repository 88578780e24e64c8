import type { CiVerdict } from '../../src/core/ci/ci-verdict.ts';
import type { LogFailure } from '../../src/core/evidence/log-failure.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { parseSessionId, parseSha, type Sha, toPullRequestKey } from '../../src/core/model/ids.ts';
import type {
  Actor,
  BranchRules,
  CheckResult,
  PullRequestFacts,
  RepositoryRef,
  Review,
  ReviewComment,
  ReviewThread,
} from '../../src/core/model/pull-request.ts';
import type {
  Fixup,
  HeldChange,
  ReviewAnswer,
  Session,
  SessionOutcome,
  ValidationRun,
} from '../../src/core/model/session.ts';
import type { CiFailure, Snapshot } from '../../src/core/model/snapshot.ts';
import type { TreeChange } from '../../src/core/model/tree-change.ts';
import type { Diagnosis, Workspace } from '../../src/core/model/workspace.ts';
import { toDecisionPolicy } from '../../src/core/policy/to-decision-policy.ts';

/** The instant at which tests happen, unless they say otherwise. */
export const NOW = Date.UTC(2026, 0, 1);

/** A full object name that is the same for the same seed, and another for another. */
export function fakeSha(seed: number | string): Sha {
  const digits = Array.from(String(seed), (letter) => letter.charCodeAt(0).toString(16)).join('');
  return parseSha(digits.padStart(40, '0').slice(-40));
}

/** Made once: tables of combinations need a million snapshots. */
const DECISION_POLICY = toDecisionPolicy(DEFAULT_POLICY);

/** An open pull request with red CI at a settled head, enabled, nothing tried yet: the decision is FIX_CI. */
export function aSnapshot(change: SnapshotChange = {}): Snapshot {
  const { pullRequest, ci, review, ratchet, policy, ...rest } = change;
  const base: Snapshot = {
    pullRequest: {
      state: 'open',
      draft: false,
      fork: false,
      autoMerge: false,
      inMergeQueue: false,
      queueFailure: null,
      approvalsSurvive: true,
      holdLabel: false,
      mustBeUpToDate: false,
      pushForbidden: null,
      beside: [],
    },
    ci: { status: 'failure', runId: 'run-2', running: null, unapproved: false, missing: [], failure: null },
    merge: 'clean',
    review: {
      ...{ actionable: 0, newestAt: null, left: 0, leftItems: [], otherOpen: 0 },
      ...{ changesRequestedBy: [], decision: null },
    },
    ratchet: {
      enabled: true,
      consecutiveAttempts: 0,
      launchesToday: 0,
      lastCiRunId: null,
      staleCiSince: null,
      stoppedFor: null,
      waitingFor: null,
      waitingSince: null,
      paused: false,
      pausedBeside: null,
      takenBack: null,
      rerun: null,
      updateAskedAt: null,
    },
    agent: { kind: 'ready' },
    mergeNeedsAgent: false,
    causeKey: 'cause-1',
    workingSession: false,
    sessionBeside: null,
    policyErrors: [],
    now: NOW,
    policy: DECISION_POLICY,
  };
  return {
    ...base,
    ...rest,
    pullRequest: pullRequest === null || base.pullRequest === null ? null : { ...base.pullRequest, ...pullRequest },
    ci: { ...base.ci, ...ci },
    review: { ...base.review, ...review },
    ratchet: { ...base.ratchet, ...ratchet },
    policy: { ...base.policy, ...policy },
  };
}

/** A closer look that found nothing. */
export function aFailure(change: Partial<CiFailure> = {}): CiFailure {
  return { rerunnable: false, repairedOnBase: false, person: null, redOnBase: false, sameAsBefore: false, ...change };
}

/** A failure that a log names. */
export function aLogFailure(change: Partial<LogFailure> = {}): LogFailure {
  return {
    ...{ kind: 'exception', tool: null, path: null, line: null, column: null, rule: null, testId: null },
    ...{ message: 'no', step: null, from: 0, to: 1 },
    ...change,
  };
}

/** A diagnosis of the CI result `run-2` that found nothing. */
export function aDiagnosis(change: Partial<Diagnosis> = {}): Diagnosis {
  return {
    ...{ ciRunId: 'run-2', freshStart: 0, base: { ref: 'main', sha: fakeSha('base') }, signature: 's' },
    ...{ jobs: [], flaky: [], person: [], redOnBase: [], repairedOnBase: [], failures: [] },
    ...change,
  };
}

/** A red verdict. */
export function aVerdict(change: Partial<CiVerdict> = {}): CiVerdict {
  return {
    ...{ status: 'failure', runId: 'r', isRunning: false, isUnapproved: false, missing: [], failing: [] },
    ...{ reason: 'x', settlesAt: null },
    ...change,
  };
}

/** What a test changes in a snapshot, at any depth. */
export type SnapshotChange = Partial<
  Pick<
    Snapshot,
    | 'quality'
    | 'merge'
    | 'agent'
    | 'mergeNeedsAgent'
    | 'causeKey'
    | 'workingSession'
    | 'sessionBeside'
    | 'policyErrors'
    | 'now'
  >
> & {
  readonly pullRequest?: Partial<NonNullable<Snapshot['pullRequest']>> | null;
  readonly ci?: Partial<Snapshot['ci']>;
  readonly review?: Partial<Snapshot['review']>;
  readonly ratchet?: Partial<Snapshot['ratchet']>;
  readonly policy?: Partial<Snapshot['policy']>;
};

/** A repository of one installation. */
export function aRepository(change: Partial<RepositoryRef> = {}): RepositoryRef {
  return { installationId: 1, repositoryId: 10, owner: 'acme', name: 'widget', ...change };
}

/** An enabled workspace that has seen its head and pushed nothing. */
export function aWorkspace(change: Partial<Workspace> = {}): Workspace {
  return {
    repository: aRepository(),
    number: 7,
    key: toPullRequestKey(10, 7),
    enablement: 'enabled',
    enabledBy: aPerson(),
    state: 'idle',
    activeSessionId: null,
    lastCiRunId: null,
    staleCiSince: null,
    lastCheckedAt: null,
    lastPushAt: null,
    lastPushSha: null,
    consecutiveAttempts: 0,
    stop: null,
    seenHeadSha: fakeSha('head'),
    seenHeadAt: NOW - 3_600_000,
    headRef: 'feature',
    baseRef: 'main',
    ciEverSeen: true,
    waitingFor: null,
    waitingSince: null,
    pause: null,
    freshStarts: 0,
    // As after a look at the head.
    settledHeadSha: change.seenHeadSha === undefined ? fakeSha('head') : change.seenHeadSha,
    openPush: null,
    askedAt: null,
    takenBack: null,
    diagnosis: null,
    flakes: [],
    seenMerge: null,
    commentHash: null,
    ...change,
  };
}

/** A person with an account. */
export function aPerson(change: Partial<Actor> = {}): Actor {
  return { id: 100, login: 'ada', kind: 'user', ...change };
}

/** Branches without rules. */
export const NO_RULES: BranchRules = {
  ...{ pushRefusals: [], requiredChecks: [], commitPatterns: [] },
  ...{ mustBeUpToDate: false, dismissesStaleApprovals: false, mustResolveThreads: false },
};

/** An open pull request with one red check. */
export function aPullRequest(change: Partial<PullRequestFacts> = {}): PullRequestFacts {
  return {
    number: 7,
    title: 'Add a widget',
    state: 'open',
    draft: false,
    fork: false,
    author: aPerson(),
    headSha: fakeSha('head'),
    headRef: 'feature',
    baseRef: 'main',
    baseSha: fakeSha('base'),
    merge: 'clean',
    isBlocked: false,
    autoMerge: false,
    inMergeQueue: false,
    queueFailure: null,
    labels: [],
    checks: [aCheck({ conclusion: 'failure' })],
    threads: [],
    reviews: [],
    reviewDecision: null,
    hasWorkflows: true,
    baseHasChecks: true,
    policyText: null,
    headPolicyText: null,
    organizationPolicyText: null,
    rules: NO_RULES,
    headParents: [],
    beside: [],
    ...change,
  };
}

/** A green, completed check run of GitHub Actions at the head. */
export function aCheck(change: Partial<CheckResult> = {}): CheckResult {
  return {
    source: 'check_run',
    id: 1,
    appId: 15368,
    appSlug: 'github-actions',
    name: 'build',
    event: 'pull_request',
    headSha: fakeSha('head'),
    status: 'completed',
    conclusion: 'success',
    startedAt: NOW - 600_000,
    completedAt: NOW - 300_000,
    detailsUrl: null,
    runAttempt: 1,
    ...change,
  };
}

/** A green commit status at the head. */
export function aStatus(change: Partial<CheckResult> = {}): CheckResult {
  return aCheck({
    source: 'status',
    appId: null,
    appSlug: null,
    name: 'ci/external',
    event: null,
    runAttempt: null,
    ...change,
  });
}

/** A comment of a reviewer. */
export function aComment(change?: Partial<ReviewComment> & { readonly author?: Actor }): ReviewComment & {
  readonly author: Actor;
};
export function aComment(change?: Partial<ReviewComment>): ReviewComment;
export function aComment(change: Partial<ReviewComment> = {}): ReviewComment {
  return {
    id: 1,
    author: aPerson({ id: 200, login: 'grace' }),
    body: 'Please rename this.',
    createdAt: NOW,
    updatedAt: change.createdAt ?? NOW,
    ...change,
  };
}

/** An open thread of a reviewer. */
export function aThread(change: Partial<ReviewThread> = {}): ReviewThread {
  return {
    id: 'thread-1',
    path: 'src/a.ts',
    line: 3,
    isResolved: false,
    isOutdated: false,
    comments: [aComment()],
    ...change,
  };
}

/** A request for changes of a reviewer. */
export function aReview(change: Partial<Review> = {}): Review {
  return {
    id: 1,
    author: aPerson({ id: 200, login: 'grace' }),
    state: 'changes_requested',
    body: '',
    submittedAt: NOW,
    commitSha: fakeSha('head'),
    ...change,
  };
}

/** A changed text file. */
export function aChange(change: Partial<TreeChange> = {}): TreeChange {
  return {
    kind: 'modified',
    path: 'src/a.ts',
    oldMode: '100644',
    newMode: '100644',
    insertions: 1,
    deletions: 1,
    newBytes: 100,
    ...change,
  };
}

/** The default policy for changes. */
export const CHANGES_POLICY = DEFAULT_POLICY.changes;

/** A command that validated. */
export function aValidationRun(change: Partial<ValidationRun> = {}): ValidationRun {
  return { command: 'npm test', exitCode: 0, timedOut: false, durationMs: 12_000, tail: 'ok', ...change };
}

/** What a first CI fixup was launched for. */
export function aFixup(change: Partial<Fixup> = {}): Fixup {
  return {
    action: 'FIX_CI',
    causeKey: 'cause-1',
    headSha: fakeSha('head'),
    headRef: 'feature',
    baseSha: fakeSha('base'),
    attempt: 1,
    agent: 'command',
    signature: null,
    ...change,
  };
}

/** A `ratchet` session that ended with `outcome`. */
export function aSession(outcome: SessionOutcome | null, change: Partial<Session> = {}): Session {
  return {
    id: parseSessionId('session-1'),
    key: toPullRequestKey(10, 7),
    kind: 'ratchet',
    status: outcome === null ? 'working' : 'ended',
    fixup: aFixup(),
    label: null,
    startedAt: NOW - 600_000,
    heartbeatAt: NOW,
    deadlineAt: NOW + 1_200_000,
    endedAt: outcome === null ? null : NOW,
    outcome,
    setup: null,
    agentUse: null,
    ...change,
  };
}

/** A fixup that was pushed. */
export function aPush(change: Partial<Extract<SessionOutcome, { kind: 'pushed' }>> = {}): SessionOutcome {
  return {
    kind: 'pushed',
    commitSha: fakeSha('push'),
    diff: { files: 1, insertions: 2, deletions: 1 },
    files: ['src/a.ts'],
    summary: 'Corrected the sum.',
    validation: [aValidationRun()],
    madeBy: 'agent',
    resolved: [],
    patchId: null,
    answers: [],
    ...change,
  };
}

/** A fixup that passed the gate and was offered instead of pushed. */
export function aSuggestion(change: Partial<Extract<SessionOutcome, { kind: 'suggested' }>> = {}): SessionOutcome {
  return {
    kind: 'suggested',
    patch: ['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -1 +1 @@', '-1', '+2', ''].join('\n'),
    diff: { files: 1, insertions: 1, deletions: 1 },
    files: ['src/a.ts'],
    summary: 'Corrected the sum.',
    resolved: [],
    validation: [aValidationRun()],
    ...change,
  };
}

/** A change that waits for a person. */
export function aHeldChange(change: Partial<HeldChange> = {}): HeldChange {
  return {
    kind: 'held',
    facts: [{ code: 'TEST_SKIPPED', path: 'test/a.test.js', line: 3, message: 'The test "adds" is skipped.' }],
    commitSha: fakeSha('held'),
    commitMessage: 'fix: make the failing checks pass\n\nRatchet-Attempt: session-1\n',
    patch: ['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -1 +1 @@', '-1', '+2', ''].join('\n'),
    diff: { files: 1, insertions: 1, deletions: 1 },
    files: ['src/a.ts'],
    summary: 'Corrected the sum.',
    madeBy: 'agent',
    resolved: [],
    answers: [],
    validation: [aValidationRun()],
    ...change,
  };
}

/** A review fixup that found nothing to change. */
export function aDeclining(change: Partial<Extract<SessionOutcome, { kind: 'declined' }>> = {}): SessionOutcome {
  return { kind: 'declined', answers: [anAnswer()], summary: 'The name is right.', ...change };
}

/** What an agent answers to a thread that it leaves as it is. */
export function anAnswer(change: Partial<ReviewAnswer> = {}): ReviewAnswer {
  return { itemId: 'thread-1', status: 'declined', reason: 'The name is right.', newestCommentId: 1, ...change };
}

/** A fixup whose change was refused. */
export function aRejection(change: Partial<Extract<SessionOutcome, { kind: 'rejected' }>> = {}): SessionOutcome {
  return {
    kind: 'rejected',
    code: 'VALIDATION_FAILED',
    detail: 'npm test failed',
    diff: null,
    validation: [],
    ...change,
  };
}

/** A value that its type forbids, from JSON: to prove that code refuses what cannot be. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says at the call what is forged
export function forge<Value>(json: string): Value {
  // oxlint-disable-next-line typescript/no-unsafe-return -- a forged value is the point
  return JSON.parse(json);
}
