import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { aFailure, aSnapshot, NOW, type SnapshotChange } from '../../support/builders.ts';

const MINUTE_MS = 60_000;

describe('the guards of CI', () => {
  it('works on what is left while a check waits for a person (L10)', () => {
    const decide = (change: SnapshotChange) =>
      determineFixupAction(aSnapshot({ ci: { status: 'blocked' }, ...change })).code;

    expect(decide({ review: { actionable: 1 } })).toBe('REVIEW_COMMENTS');
    expect(decide({ merge: 'conflict' })).toBe('MERGE_CONFLICT');
    expect(decide({ ratchet: { enabled: false } })).toBe('DISABLED');
    expect(decide({})).toBe('CI_BLOCKED');
    expect(decide({ ratchet: { waitingFor: 'CI_BLOCKED', waitingSince: NOW - 360 * MINUTE_MS } })).toBe('CI_TIMEOUT');
  });

  it('says of a required check that never reported which name has', () => {
    const missing = [
      { name: 'cla', near: null },
      { name: 'test', near: 'ci / test' },
    ];
    const decide = (ci: SnapshotChange['ci'], change: SnapshotChange = {}) =>
      determineFixupAction(aSnapshot({ ci: { status: 'pending', running: false, missing, ...ci }, ...change }));

    expect(decide({}).reason).toBe('The required check "test" has no result, but "ci / test" has one.');
    expect(
      decide({}, { ratchet: { waitingFor: 'CI_REQUIRED_MISSING', waitingSince: NOW - 360 * MINUTE_MS } }),
    ).toMatchObject({ action: 'DONE', code: 'CI_TIMEOUT' });
    expect(decide({ running: true }).code).toBe('CI_RUNNING');
    expect(decide({ running: null }).code).toBe('CI_RUNNING');
    expect(decide({ missing: missing.slice(0, 1) }).code).toBe('CI_RUNNING');
    expect(decide({}, { merge: 'conflict' }).code).toBe('MERGE_CONFLICT');
    expect(decide({ runId: null }, { ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW } }).code).toBe('STALE_CI_RUN');
  });

  it('asks a person about what no code can mend, with the line that says so (L12, S21)', () => {
    const person = { name: 'deploy', line: 'Input required and not supplied: token' };
    const { action, reason } = determineFixupAction(
      aSnapshot({ ci: { failure: aFailure({ person, redOnBase: true, sameAsBefore: true }) } }),
    );

    expect(action).toBe('DONE');
    expect(reason).toBe(
      'CI failed for a reason outside the code. "deploy" says: Input required and not supplied: token',
    );
  });

  it('updates a branch whose base has repaired the failure, once for each base, and then goes on (L11)', () => {
    const decide = (updateAskedAt: number | null, change: SnapshotChange = {}) =>
      determineFixupAction(
        aSnapshot({ ci: { failure: aFailure({ repairedOnBase: true }) }, ratchet: { updateAskedAt }, ...change }),
      );

    expect(decide(null)).toMatchObject({ code: 'BASE_REPAIRED', means: 'update-branch' });
    expect(decide(NOW).code).toBe('UPDATE_AWAITED');
    expect(decide(NOW - 5 * MINUTE_MS).code).toBe('CI_FAILED');
    expect(decide(null, { pullRequest: { inMergeQueue: true } }).code).toBe('IN_MERGE_QUEUE');
  });

  it('waits for CI after a push to a head without a result no longer than after any other (002.R8, S5)', () => {
    const decide = (ci: SnapshotChange['ci'], staleCiSince: number | null) =>
      determineFixupAction(aSnapshot({ ci: { runId: null, ...ci }, ratchet: { staleCiSince } })).code;

    expect(decide({ status: 'pending' }, NOW)).toBe('STALE_CI_RUN');
    expect(decide({ status: 'pending' }, NOW - 5 * MINUTE_MS)).toBe('STALE_CI_TIMEOUT');
    expect(decide({ status: 'pending' }, null)).toBe('CI_RUNNING');
    expect(decide({ status: 'pending', runId: 'run-1' }, NOW - 5 * MINUTE_MS)).toBe('CI_RUNNING');
    expect(decide({ status: 'success', runId: 'run-1' }, NOW - 5 * MINUTE_MS)).toBe('ALL_GREEN');
    expect(decide({ status: 'none' }, NOW - 5 * MINUTE_MS)).toBe('ALL_GREEN');
  });
});
