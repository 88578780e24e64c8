import { describe, expect, it } from 'vitest';
import type { Severity } from '../../../src/core/model/finding.ts';
import {
  type Checkpoint,
  findStopCause,
  isCheckpointDue,
  STOP_CAUSES,
} from '../../../src/core/tasks/judge-progress.ts';

let trees = 0;
const at = (fingerprints: string, change: Partial<Checkpoint> = {}): Checkpoint => ({
  findings: fingerprints.split('').map((fingerprint) => ({ fingerprint, severity: severityOf(fingerprint) })),
  tree: `tree-${String((trees += 1))}`,
  changedLines: 0,
  netLines: 0,
  ...change,
});
const severityOf = (fingerprint: string): Severity => (/[A-Z]/u.test(fingerprint) ? 'blocker' : 'high');

describe('a run', () => {
  it('goes on while checkpoints show fewer findings', () => {
    expect(findStopCause([])).toBeNull();
    expect(findStopCause([at('abcd')])).toBeNull();
    expect(findStopCause([at('abcd'), at('abc'), at('ab'), at('a')])).toBeNull();
  });

  it('goes on once without a reduction, and stops after the second time', () => {
    expect(findStopCause([at('abc'), at('abd')])).toBeNull();
    expect(findStopCause([at('abc'), at('abd'), at('abe')])).toBe('NO_REDUCTION');
    expect(findStopCause([at('abc'), at('abd'), at('ab'), at('ax')])).toBeNull();
  });

  it('measures a reduction by the best checkpoint, so that up and down is none', () => {
    expect(findStopCause([at('abc'), at('ab'), at('abcd'), at('xyz')])).toBe('NO_REDUCTION');
  });

  it('counts fewer blockers as a reduction, although more findings show', () => {
    expect(findStopCause([at('A'), at('abcdef'), at('abcde')])).toBeNull();
    expect(findStopCause([at('Aab'), at('ABa'), at('ABb')])).toBe('NO_REDUCTION');
  });

  it('stops when the same findings come back', () => {
    expect(findStopCause([at('abc'), at('ab'), at('cab')])).toBe('FINDINGS_REPEAT');
    expect(findStopCause([at('abc'), at('cba')])).toBeNull();
  });

  it('stops when the same tree comes back, or when much is changed to and fro', () => {
    expect(findStopCause([at('abcd', { tree: 'x' }), at('abc', { tree: 'y' }), at('ab', { tree: 'x' })])).toBe(
      'DIFFS_CHURN',
    );
    expect(findStopCause([at('abc', { tree: 'x' }), at('abc', { tree: 'x' })])).toBeNull();
    expect(findStopCause([at('ab'), at('a', { changedLines: 100, netLines: 33 })])).toBe('DIFFS_CHURN');
    expect(findStopCause([at('ab'), at('a', { changedLines: 100, netLines: 34 })])).toBeNull();
    expect(findStopCause([at('ab'), at('a', { changedLines: 99, netLines: 0 })])).toBeNull();
  });

  it('does not stop where nothing is left: it is done', () => {
    expect(findStopCause([at('abc', { tree: 'x' }), at('a', { tree: 'y' }), at('', { tree: 'x' })])).toBeNull();
    expect(STOP_CAUSES).toEqual(['NO_REDUCTION', 'FINDINGS_REPEAT', 'DIFFS_CHURN']);
  });

  it('collects again after N successes or T minutes, whichever comes first (001.R24)', () => {
    const settings = { checkpointTasks: 5, checkpointMinutes: 30 };
    const minutes = 60_000;

    expect(isCheckpointDue({ succeeded: 4, at: 0 }, 30 * minutes - 1, settings)).toBe(false);
    expect(isCheckpointDue({ succeeded: 5, at: 0 }, 1, settings)).toBe(true);
    expect(isCheckpointDue({ succeeded: 0, at: 0 }, 30 * minutes, settings)).toBe(true);
  });
});
