import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import type { AcceptedFinding } from '../../../src/core/model/quality.ts';
import { findKnownFindings, toFindingsName } from '../../../src/core/quality/known-findings.ts';
import { aSnapshot, fakeSha, type SnapshotChange } from '../../support/builders.ts';

const HEAD = fakeSha('head');
const FINDING: AcceptedFinding = {
  ...{ tool: 'eslint', kind: 'lint', rule: 'no-var', severity: 'high', fingerprint: 'f1' },
  ...{ message: 'm', path: 'a.js', line: 1 },
};
const OTHER = { ...FINDING, fingerprint: 'f2' };
const RUN = { headSha: HEAD, status: 'finished', conclusion: 'failure', newFindings: [FINDING, OTHER] } as const;
const known = (change: Partial<Parameters<typeof findKnownFindings>[0]> = {}, fix: 'ci' | 'engines' = 'engines') =>
  findKnownFindings({ ...RUN, ...change }, HEAD, { fix }, []);

describe('the new findings that are to be fixed', () => {
  it('are those of the last finished run over this head', () => {
    expect(known()).toEqual([FINDING, OTHER]);
    expect(known({ status: 'reporting' })).toEqual([FINDING, OTHER]);
    expect(known({ newFindings: [], conclusion: 'success' })).toEqual([]);
  });

  it('are not known, and never 0, from a run of another head, or from one that did not end', () => {
    expect(known({ headSha: fakeSha('old') })).toBeNull();
    expect(known({ status: 'running', conclusion: null })).toBeNull();
    expect(known({ conclusion: 'cancelled' })).toBeNull();
    expect(known({ conclusion: 'interrupted' })).toBeNull();
    expect(findKnownFindings(undefined, HEAD, { fix: 'engines' }, [])).toBeNull();
  });

  it("are nobody's business where the policy does not say so", () => {
    expect(known({}, 'ci')).toBeNull();
  });

  it('are without those that a person accepted since', () => {
    const acceptance = { author: 'ann', reason: 'known', at: 1, findings: [FINDING] };

    expect(findKnownFindings(RUN, HEAD, { fix: 'engines' }, [acceptance])).toEqual([OTHER]);
  });

  it('have one name in any order, and none where there are none', () => {
    expect(toFindingsName([FINDING, OTHER])).toBe(toFindingsName([OTHER, FINDING]));
    expect(toFindingsName([FINDING])).not.toBe(toFindingsName([OTHER]));
    expect(toFindingsName([FINDING])).toMatch(/^[0-9a-f]{16}$/u);
    expect([toFindingsName([]), toFindingsName(null)]).toEqual([null, null]);
  });
});

describe('the decision about new findings', () => {
  const decide = (change: SnapshotChange) =>
    determineFixupAction(
      aSnapshot({
        ci: { status: 'success' },
        quality: { new: 2 },
        ...change,
        policy: { fixEngines: true, ...change.policy },
      }),
    );

  it('is to fix them, after CI and before reviews', () => {
    expect(decide({})).toEqual({
      ...{ action: 'FIX_CI', code: 'QUALITY_FINDINGS', means: 'agent' },
      reason: 'The engines report 2 new findings; attempt 1 of 3.',
    });
    expect(decide({ quality: { new: 1 } }).reason).toBe('The engines report 1 new finding; attempt 1 of 3.');
    expect(decide({ review: { actionable: 1 } }).code).toBe('QUALITY_FINDINGS');
    expect(decide({ ci: { status: 'failure' } }).code).toBe('CI_FAILED');
    expect(decide({ merge: 'conflict' }).code).toBe('MERGE_CONFLICT');
    expect(decide({ ci: { status: 'pending' } }).code).toBe('CI_RUNNING');
    expect(decide({ pullRequest: { queueFailure: 'CI_FAILURE' } }).code).toBe('MERGE_QUEUE_FAILED');
  });

  it('holds like every other fix', () => {
    expect(decide({ ratchet: { paused: true } }).code).toBe('PAUSED');
    expect(decide({ ratchet: { consecutiveAttempts: 3 } }).code).toBe('ATTEMPTS_EXHAUSTED');
    expect(decide({ causeKey: 'k', ratchet: { stoppedFor: 'k' } }).code).toBe('STOPPED_SAME_CAUSE');
  });

  it('is none where there are none, nobody knows, or the policy does not say so', () => {
    const { quality, ...unknown } = aSnapshot({ ci: { status: 'success' }, policy: { fixEngines: true } });

    expect(quality).toBeUndefined();
    const notKnown = '"Ratchet / quality" has no result for this commit yet.';
    const waiting = determineFixupAction(unknown);
    expect(waiting.code).toBe('ALL_GREEN');
    expect(waiting.reason).toContain(notKnown);
    for (const known of [decide({ quality: { new: 0 } }), decide({ policy: { fixEngines: false } })]) {
      expect(known.code).toBe('ALL_GREEN');
      expect(known.reason).not.toContain(notKnown);
    }
  });
});
