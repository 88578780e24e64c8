import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import { aFailure, aSnapshot, NOW, type SnapshotChange } from '../../support/builders.ts';

describe('what was tried (002.R31)', () => {
  const FAULTS = [
    ['a CI failure', { ci: { status: 'failure' } }],
    ['a review comment', { ci: { status: 'success' }, review: { actionable: 1 } }],
    ['a conflict', { merge: 'conflict' }],
  ] as const satisfies readonly (readonly [string, SnapshotChange])[];

  it.each(FAULTS)('is not launched again for %s', (_what, fault) => {
    const codes = [
      { workingSession: true },
      { ratchet: { stoppedFor: 'cause-1' } },
      { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW } },
    ].map((before) => determineFixupAction(aSnapshot({ ...fault, ...before })).code);

    expect(codes).toEqual(['WORKING_SESSION', 'STOPPED_SAME_CAUSE', 'STALE_CI_RUN']);
  });

  it.each(FAULTS)('is launched for another cause than before: %s', (_what, fault) => {
    const before: SnapshotChange = { ratchet: { stoppedFor: 'cause-0', lastCiRunId: 'run-1' } };

    expect(determineFixupAction(aSnapshot({ ...fault, ...before })).means).toBe('agent');
  });
});

describe('the switch (002.R10)', () => {
  it.each<[string, SnapshotChange, DecisionCode]>([
    ['CI runs', { ci: { status: 'pending' } }, 'CI_RUNNING'],
    ['CI has not picked up the push', { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW } }, 'STALE_CI_RUN'],
    ['it is merged', { pullRequest: { state: 'merged' } }, 'PR_NOT_OPEN'],
    ['it conflicts', { merge: 'conflict' }, 'DISABLED'],
    ['CI is red', {}, 'DISABLED'],
    ['no attempt is left', { ratchet: { consecutiveAttempts: 3 } }, 'DISABLED'],
    ['a reviewer asks for a change', { ci: { status: 'success' }, review: { actionable: 1 } }, 'DISABLED'],
    ['all is green', { ci: { status: 'success' } }, 'DISABLED'],
  ])('is looked at after watching and before any action: %s', (_what, change, code) => {
    const snapshot = aSnapshot({ ...change, ratchet: { ...change.ratchet, enabled: false } });

    expect(determineFixupAction(snapshot).code).toBe(code);
  });
});

describe('an exhausted budget (002.R13)', () => {
  const exhausted = { consecutiveAttempts: 3 };
  const flaky = { ci: { failure: aFailure({ rerunnable: true }) } };

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['is told before a pause', { ratchet: { ...exhausted, paused: true } }, 'ATTEMPTS_EXHAUSTED'],
    [
      'is told before a held draft',
      { ratchet: exhausted, pullRequest: { draft: true }, policy: { holdDrafts: true } },
      'ATTEMPTS_EXHAUSTED',
    ],
    ['forbids no re-run', { ...flaky, ratchet: exhausted }, 'CI_FLAKY'],
    ['leaves it to a pause to forbid one', { ...flaky, ratchet: { ...exhausted, paused: true } }, 'PAUSED'],
  ])('%s', (_what, change, code) => {
    expect(determineFixupAction(aSnapshot(change)).code).toBe(code);
  });
});
