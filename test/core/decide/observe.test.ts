import { describe, expect, it } from 'vitest';
import { findUntoldPush, observe, type PushObservation } from '../../../src/core/decide/observe.ts';
import type { Asked } from '../../../src/core/model/ask.ts';
import type { CheckResult, PullRequestFacts } from '../../../src/core/model/pull-request.ts';
import type { Flake, TakenBack, Workspace } from '../../../src/core/model/workspace.ts';
import { aCheck, aDiagnosis, aPerson, aPullRequest, aWorkspace, fakeSha, NOW } from '../../support/builders.ts';

const HEAD = fakeSha('head');
const NEXT = fakeSha('next');
const BASE = fakeSha('base');
const OTHER = fakeSha('other');

type Ci = Parameters<typeof observe>[2];

function look(
  workspace: Partial<Workspace & Asked>,
  facts: Partial<PullRequestFacts> = {},
  ci: Partial<Ci> = {},
  pushed: Partial<PushObservation> = {},
) {
  const seen: Ci = { ciRunId: null, ciStatus: 'pending', failing: [], now: NOW, ...ci };
  const { rerun = null, branchUpdate = null } = workspace;
  const known = { rerun, branchUpdate, ...aWorkspace(workspace) };
  return observe(known, aPullRequest(facts), seen, { origin: null, takenBack: null, ...pushed });
}

/** GitHub tells that a person who may write pushed. */
function lookAtPush(workspace: Partial<Workspace & Asked>, facts: Partial<PullRequestFacts>) {
  return look(workspace, facts, {}, { origin: { kind: 'person', by: aPerson() } });
}

const RERUN = { headSha: HEAD, ciRunId: 'run-1', names: ['test', 'lint'], at: NOW - 60_000 };
const UPDATE = { headSha: HEAD, baseSha: BASE, ciRunId: 'run-1', at: NOW - 60_000 };
const DIAGNOSIS = aDiagnosis();
const STOP = { causeKey: 'cause-1', code: 'NO_PUSH', reason: 'x' } as const;

describe('an update of the branch that we asked for (S10)', () => {
  const asked = {
    branchUpdate: UPDATE,
    consecutiveAttempts: 2,
    stop: STOP,
    lastCiRunId: 'run-0',
    flakes: [aFlake('a')],
  };

  it('is no push from outside: attempts, stop and the update itself stay', () => {
    const { patch, observations } = look(asked, { headSha: NEXT, headParents: [HEAD, BASE] });

    expect(observations).toEqual([{ kind: 'own_update_seen', headSha: NEXT }]);
    expect(patch).toMatchObject({ seenHeadSha: NEXT, seenHeadAt: NOW, waitingFor: null, waitingSince: null });
    for (const kept of ['consecutiveAttempts', 'stop', 'freshStarts', 'flakes', 'pause'])
      expect(patch).not.toHaveProperty(kept);
  });

  it('starts the stale clock as a push of ours does: CI has to pick the new head up (S5, S11)', () => {
    const { patch } = look(asked, { headSha: NEXT, headParents: [HEAD, BASE] });

    expect(patch).toMatchObject({ lastPushSha: NEXT, lastCiRunId: 'run-1', staleCiSince: NOW });
    const seen = { seenHeadSha: NEXT, lastPushSha: NEXT, lastCiRunId: 'run-1', staleCiSince: NOW - 1 };
    expect(look({ ...asked, ...seen }, { headSha: NEXT }, { ciRunId: 'run-2' })).toMatchObject({
      patch: { staleCiSince: null },
      observations: [{ kind: 'ci_picked_up', headSha: NEXT }],
    });
  });

  it('awaits no CI where there was none', () => {
    const branchUpdate = { ...UPDATE, ciRunId: null };
    const { patch } = look({ ...asked, branchUpdate }, { headSha: NEXT, headParents: [HEAD, BASE] });

    expect(patch).toMatchObject({ lastPushSha: NEXT, lastCiRunId: null, staleCiSince: null });
  });

  it('that is not the head any more is no push from outside where GitHub does not tell of one: the stale guards ask (F15)', () => {
    const seen = { seenHeadSha: NEXT, seenHeadAt: NOW - 3_600_000, lastPushSha: NEXT, lastCiRunId: 'run-1' };

    expect(look({ ...asked, ...seen }, { headSha: HEAD }, { ciRunId: 'run-1' }).observations).toEqual([]);
  });

  it('may bring a base that moved on the way', () => {
    const facts = { headSha: NEXT, baseSha: OTHER, headParents: [HEAD, OTHER] };

    expect(look(asked, facts).observations).toEqual([{ kind: 'own_update_seen', headSha: NEXT }]);
  });

  it('may bring the base of then, though it has moved again since', () => {
    const facts = { headSha: NEXT, baseSha: OTHER, headParents: [HEAD, BASE] };

    expect(look(asked, facts).observations).toEqual([{ kind: 'own_update_seen', headSha: NEXT }]);
  });

  it.each<[string, Partial<Workspace & Asked>, readonly (typeof HEAD)[]]>([
    ['of which nobody asked', { branchUpdate: null }, [HEAD, BASE]],
    ['of another head', {}, [OTHER, BASE]],
    ['of something that is not the base', {}, [HEAD, OTHER]],
    ['the other way round', {}, [BASE, HEAD]],
    ['with a third parent', {}, [HEAD, BASE, OTHER]],
    ['that is no merge', {}, [HEAD]],
    ['without known parents', {}, []],
    ['on top of a commit that was not asked about', { seenHeadSha: OTHER }, [HEAD, BASE]],
  ])('is not taken for one when it is a merge %s', (_what, change, headParents) => {
    const { patch, observations } = lookAtPush({ ...asked, ...change }, { headSha: NEXT, headParents });

    expect(observations).toMatchObject([{ kind: 'outside_push_seen', headSha: NEXT }]);
    expect(patch).toMatchObject({ consecutiveAttempts: 0, stop: null, lastCiRunId: null, freshStarts: 1 });
  });

  it.each<[string, number, number]>([
    ['a lagging replica for a push from outside (F15)', NOW - 59_999, 0],
    ['a person who took it back, to where no CI result is known, for a lagging replica', NOW - 60_000, 1],
  ])('takes not %s', (_what, seenHeadAt, observed) => {
    const { patch, observations } = look({ ...asked, seenHeadSha: NEXT, seenHeadAt }, { headSha: HEAD });

    expect(observations).toHaveLength(observed);
    expect('seenHeadSha' in patch).toBe(observed === 1);
  });

  it('takes no other old head for a lagging replica', () => {
    const { observations } = lookAtPush({ ...asked, seenHeadSha: NEXT, seenHeadAt: NOW }, { headSha: OTHER });

    expect(observations).toMatchObject([{ kind: 'outside_push_seen' }]);
  });

  it('is not awaited where it is not known since when the head is seen', () => {
    const { observations } = lookAtPush({ ...asked, seenHeadSha: NEXT, seenHeadAt: null }, { headSha: HEAD });

    expect(observations).toMatchObject([{ kind: 'outside_push_seen' }]);
  });
});

describe('a new head', () => {
  const before = {
    rerun: RERUN,
    diagnosis: DIAGNOSIS,
    seenMerge: 'clean',
    branchUpdate: UPDATE,
    flakes: [aFlake('a')],
    pause: { by: aPerson(), at: NOW },
  } as const;

  it.each<[string, Partial<Workspace>, Partial<PullRequestFacts>]>([
    ['of our push', { lastPushSha: NEXT }, {}],
    ['of our update', {}, { headParents: [HEAD, BASE] }],
    ['from outside (002.R18)', {}, {}],
    ['that is seen first', { seenHeadSha: null }, {}],
  ])('%s voids what was found and asked for at the old one', (_what, workspace, facts) => {
    const { patch } = look({ ...before, ...workspace }, { headSha: NEXT, merge: 'unknown', ...facts });

    expect(patch).toMatchObject({ diagnosis: null, seenMerge: null });
    expect(patch).not.toHaveProperty('flakes');
    expect(patch).not.toHaveProperty('pause');
  });

  it('of our push leaves an update of the same base asked for (trap 65)', () => {
    expect(look({ ...before, lastPushSha: NEXT }, { headSha: NEXT }).patch).not.toHaveProperty('freshStarts');
  });

  it('from outside keeps a stop over declined comments, which no push answers by itself, and only that (S8)', () => {
    const declined = { ...STOP, code: 'DECLINED' } as const;

    expect(lookAtPush({ ...before, stop: declined }, { headSha: NEXT }).patch.stop).toEqual(declined);
    expect(lookAtPush({ ...before, stop: STOP }, { headSha: NEXT }).patch.stop).toBeNull();
  });

  it('from outside may be updated anew', () => {
    expect(lookAtPush(before, { headSha: NEXT }).patch.freshStarts).toBe(1);
  });
});

describe('a revert by a person (S19, L6)', () => {
  const takenBack = { commitSha: OTHER, action: 'FIX_CI', by: aPerson(), headSha: NEXT, at: NOW } as const;
  const origin = { kind: 'person', by: aPerson() } as const;

  it('is kept, with the fresh start that every push of a person is', () => {
    const { patch, observations } = look({ consecutiveAttempts: 1 }, { headSha: NEXT }, {}, { origin, takenBack });

    expect(patch).toMatchObject({ takenBack, consecutiveAttempts: 0 });
    expect(observations.map(({ kind }) => kind)).toEqual(['outside_push_seen', 'taken_back']);
  });

  it.each<
    [string, TakenBack['action'], { readonly facts?: Partial<PullRequestFacts>; readonly ci?: Partial<Ci> }, boolean]
  >([
    ['green CI ends that of a CI fix', 'FIX_CI', { ci: { ciStatus: 'success' } }, true],
    ['red CI does not', 'FIX_CI', { ci: { ciStatus: 'failure' } }, false],
    ['running CI does not', 'FIX_CI', { ci: { ciStatus: 'pending' } }, false],
    ['a clean merge ends that of a merge', 'FIX_MERGE_CONFLICT', { facts: { merge: 'clean' } }, true],
    ['a merge that is not known does not', 'FIX_MERGE_CONFLICT', { facts: { merge: 'unknown' } }, false],
    ['a conflict does not', 'FIX_MERGE_CONFLICT', { facts: { merge: 'conflict' }, ci: { ciStatus: 'success' } }, false],
    ['green CI and a clean merge do not end that of a review', 'FIX_REVIEW', { ci: { ciStatus: 'success' } }, false],
  ])('%s', (_what, action, { facts, ci }, isOver) => {
    const { patch, observations } = look({ takenBack: { ...takenBack, action } }, facts, ci);

    expect(patch.takenBack).toBe(isOver ? null : undefined);
    expect(observations).toEqual(isOver ? [{ kind: 'taken_back_over', headSha: HEAD }] : []);
  });

  it('is over only at a later look', () => {
    const ci = { ciStatus: 'success' } as const;

    expect(look({}, { headSha: NEXT }, ci, { origin, takenBack }).patch.takenBack).toEqual(takenBack);
  });

  it('of an undo is not over while a read still shows the head before it (F15, S26)', () => {
    const undone = { ...takenBack, headSha: NEXT };
    const green = { ciStatus: 'success' } as const;
    const known = { takenBack: undone, lastPushSha: NEXT, settledHeadSha: HEAD };

    expect(look(known, { headSha: HEAD }, green).patch.takenBack).toBeUndefined();
    expect(look({ ...known, settledHeadSha: NEXT }, { headSha: NEXT }, green).patch.takenBack).toBeNull();
    expect(look(known, { headSha: OTHER }, green).patch.takenBack).toBeNull();
    expect(look({ ...known, lastPushSha: OTHER }, { headSha: HEAD }, green).patch.takenBack).toBeNull();
  });
});

describe('findUntoldPush', () => {
  const find = (workspace: Partial<Workspace & Asked>, headSha = NEXT, now = NOW) => {
    const { rerun = null, branchUpdate = null } = workspace;
    return findUntoldPush({ rerun, branchUpdate, ...aWorkspace(workspace) }, { headSha }, now);
  };
  const openPush = { fromSha: OTHER, at: NOW };

  it.each<[string, Partial<Workspace & Asked>]>([
    ['an attempt was spent', { consecutiveAttempts: 1 }],
    ['there is a stop', { stop: STOP }],
    ['Ratchet pushed', { lastPushSha: HEAD }],
    ['a re-run was asked for', { rerun: RERUN }],
    ['an update was asked for', { branchUpdate: UPDATE }],
  ])('asks from the last head on where %s (S17)', (_what, workspace) => {
    expect(find(workspace)).toEqual({ fromSha: HEAD });
    expect(find(workspace, HEAD)).toBeNull();
  });

  it.each<[string, Partial<Workspace & Asked>]>([
    ['nothing was spent', {}],
    ['the head is the first that is seen', { seenHeadSha: null, consecutiveAttempts: 1 }],
    ["the push is Ratchet's own", { lastPushSha: NEXT, consecutiveAttempts: 1 }],
  ])('asks nothing where %s', (_what, workspace) => {
    expect(find(workspace)).toBeNull();
  });

  it('asks again for ten minutes about a push that GitHub has not told of', () => {
    expect(find({ openPush }, HEAD, NOW + 599_999)).toEqual({ fromSha: OTHER });
    expect(find({ openPush }, HEAD, NOW + 600_000)).toBeNull();
  });
});

describe('an unknown', () => {
  it('CI result is not the one that our push was made for', () => {
    const { observations } = lookAtPush({ seenHeadSha: HEAD, lastPushSha: HEAD, lastCiRunId: null }, { headSha: NEXT });

    expect(observations).toMatchObject([{ kind: 'outside_push_seen' }]);
  });

  it('head is not the one that we pushed', () => {
    const workspace = { seenHeadSha: null, lastPushSha: null, lastCiRunId: 'run-1' };

    expect(look(workspace, { headSha: HEAD }, { ciRunId: 'run-1' }).observations).toEqual([
      { kind: 'head_first_seen', headSha: HEAD },
    ]);
  });
});

describe('whether it merges', () => {
  it.each(['clean', 'behind', 'conflict'] as const)('is kept: %s', (merge) => {
    expect(look({ seenMerge: null }, { merge }).patch.seenMerge).toBe(merge);
  });

  it('is not forgotten while GitHub computes it', () => {
    expect(look({ seenMerge: 'conflict' }, { merge: 'unknown' }).patch).not.toHaveProperty('seenMerge');
  });
});

function aFlake(name: string, headSha = HEAD): Flake {
  return { name, headSha, at: NOW - 1000 };
}

describe('a flake', () => {
  const green = { checks: [aCheck({ name: 'test' }), aCheck({ id: 2, name: 'lint' })] };
  const rerun = { rerun: { ...RERUN, names: ['test'] } };

  it('is a job that we had run again and that is green now', () => {
    const { patch, observations } = look({ rerun: RERUN }, green, { ciRunId: 'run-2', ciStatus: 'success' });

    expect(patch.flakes).toEqual([
      { name: 'test', headSha: HEAD, at: NOW },
      { name: 'lint', headSha: HEAD, at: NOW },
    ]);
    expect(observations).toEqual([
      { kind: 'flake_seen', headSha: HEAD, name: 'test' },
      { kind: 'flake_seen', headSha: HEAD, name: 'lint' },
    ]);
  });

  it('is told beside a job that is still red', () => {
    const failing = [{ name: 'lint' }];

    expect(look({ rerun: RERUN }, green, { ciRunId: 'run-2', ciStatus: 'failure', failing }).observations).toEqual([
      { kind: 'flake_seen', headSha: HEAD, name: 'test' },
    ]);
  });

  it.each<[string, Partial<Workspace & Asked>, Partial<PullRequestFacts>, Partial<Ci>]>([
    ['nothing was run again', { rerun: null }, {}, {}],
    ['it was run again at another head', { rerun: { ...RERUN, headSha: OTHER } }, {}, {}],
    ['the result is still the one of before', {}, {}, { ciRunId: 'run-1' }],
    ['CI still runs', {}, {}, { ciStatus: 'pending' }],
    ['CI waits for an approval', {}, {}, { ciStatus: 'blocked' }],
    ['there is no CI', {}, {}, { ciStatus: 'none' }],
    ['it is red again', {}, {}, { ciStatus: 'failure', failing: [{ name: 'test' }] }],
    ['it was skipped this time', {}, { checks: [aCheck({ name: 'test', conclusion: 'skipped' })] }, {}],
    ['only another job is green', {}, { checks: [aCheck({ name: 'lint' })] }, {}],
    ['it is green at another commit', {}, { checks: [aCheck({ name: 'test', headSha: OTHER })] }, {}],
    ['it is known', { flakes: [aFlake('test')] }, {}, {}],
  ])('is not seen where %s', (_what, workspace, facts, ci) => {
    const seen = look(
      { ...rerun, ...workspace },
      { ...green, ...facts },
      { ciRunId: 'run-2', ciStatus: 'success', ...ci },
    );

    expect(seen.observations).toEqual([]);
    expect(seen.patch).not.toHaveProperty('flakes');
  });

  describe('by a re-run that somebody else asked for', () => {
    const job = { name: 'test', class: 'code', line: null, rule: null, command: null, tests: [] } as const;
    const red = { rerun: null, seenHeadSha: HEAD, diagnosis: aDiagnosis({ ciRunId: 'run-1', jobs: [job] }) };
    const again = (change: Partial<CheckResult> = {}) => ({
      checks: [aCheck({ name: 'test', runAttempt: 2, ...change })],
    });
    const seen = (workspace: Partial<Workspace>, facts: Partial<PullRequestFacts>) =>
      look({ ...red, ...workspace }, facts, { ciRunId: 'run-2', ciStatus: 'success' }).patch.flakes;

    it('is a job that a look found red at this head', () => {
      expect(seen({}, again())).toEqual([{ name: 'test', headSha: HEAD, at: NOW }]);
    });

    it.each<[string, Partial<Workspace>, Partial<PullRequestFacts>]>([
      ['nobody looked', { diagnosis: null }, again()],
      ['the look was at another head', { seenHeadSha: OTHER }, again()],
      ['the result is the red one', { diagnosis: aDiagnosis({ ciRunId: 'run-2', jobs: [job] }) }, again()],
      [
        'a person mended something',
        { diagnosis: aDiagnosis({ ciRunId: 'run-1', jobs: [{ ...job, class: 'person' }] }) },
        again(),
      ],
      [
        'another job was red',
        { diagnosis: aDiagnosis({ ciRunId: 'run-1', jobs: [{ ...job, name: 'lint' }] }) },
        again(),
      ],
      ['another run is green', {}, again({ runAttempt: 1 })],
      ['GitHub does not count its attempts', {}, again({ runAttempt: null })],
    ])('is not seen where %s', (_what, workspace, facts) => {
      expect(seen(workspace, facts)).toBeUndefined();
    });
  });

  it('is told once, however often it was named', () => {
    const twice = { rerun: { ...RERUN, names: ['test', 'test'] } };

    expect(look(twice, green, { ciRunId: 'run-2', ciStatus: 'success' }).observations).toHaveLength(1);
  });

  it('is told anew at another head, and of another job', () => {
    const flakes = [aFlake('test', OTHER), aFlake('lint')];
    const { patch } = look({ ...rerun, flakes }, green, { ciRunId: 'run-2', ciStatus: 'success' });

    expect(patch.flakes).toEqual([{ name: 'test', headSha: HEAD, at: NOW }, ...flakes]);
  });

  it('pushes out the oldest of twenty', () => {
    const flakes = Array.from({ length: 20 }, (_, index) => aFlake(`job ${index}`));
    const { patch } = look({ ...rerun, flakes }, green, { ciRunId: 'run-2', ciStatus: 'success' });

    expect(patch.flakes).toHaveLength(20);
    expect(patch.flakes?.[0]?.name).toBe('test');
    expect(patch.flakes?.at(-1)?.name).toBe('job 18');
  });
});
