import { describe, expect, it } from 'vitest';
import { needsCloserLook } from '../../../src/core/decide/needs-closer-look.ts';
import { aSnapshot, type SnapshotChange } from '../../support/builders.ts';

describe('a closer look at red CI (S7)', () => {
  it.each<[string, SnapshotChange]>([
    ['CI is what there is to fix', {}],
    ['Ratchet only suggests', { policy: { mode: 'suggest' } }],
    ['Ratchet only observes', { policy: { mode: 'observe' } }],
  ])('is needed where %s', (_what, change) => {
    expect(needsCloserLook(aSnapshot(change))).toBe(true);
  });

  it.each<[string, SnapshotChange]>([
    ['CI is green', { ci: { status: 'success' } }],
    ['the merge queue failed', { ci: { status: 'success' }, pullRequest: { queueFailure: 'CI_FAILURE' } }],
    ['a conflict comes first', { merge: 'conflict' }],
    ['a fixup is held', { ratchet: { paused: true } }],
    ['an observer would be held, too', { ratchet: { paused: true }, policy: { mode: 'observe' } }],
    ['no attempt is left', { ratchet: { consecutiveAttempts: 3 }, policy: { mode: 'observe' } }],
  ])('is not needed where %s', (_what, change) => {
    expect(needsCloserLook(aSnapshot(change))).toBe(false);
  });
});
