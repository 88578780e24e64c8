import { describe, expect, it } from 'vitest';
import { findInterruption, findLostGround } from '../../../src/core/runs/interruption.ts';
import { fakeSha } from '../../support/builders.ts';

describe('what ended the work of a run', () => {
  it.each([
    ['nothing', { stoppedBy: null, isShutDown: false, isOverdue: false }, null],
    [
      'a stop, before all else',
      { stoppedBy: 'closed', isShutDown: true, isOverdue: true },
      { kind: 'stopped', why: 'closed' },
    ],
    [
      'a shutdown, before the deadline',
      { stoppedBy: null, isShutDown: true, isOverdue: true },
      { kind: 'stopped', why: 'shutdown' },
    ],
    ['the deadline', { stoppedBy: null, isShutDown: false, isOverdue: true }, { kind: 'timed_out' }],
  ] as const)('is %s', (_what, { stoppedBy, ...fired }, interruption) => {
    expect(findInterruption(stoppedBy, fired)).toEqual(interruption);
  });
});

describe('the ground of a run', () => {
  const headSha = fakeSha('head');

  it.each([
    ['closed', null],
    ['closed', { state: 'closed', headSha }],
    ['closed', { state: 'merged', headSha: fakeSha('next') }],
    ['head_moved', { state: 'open', headSha: fakeSha('next') }],
    [null, { state: 'open', headSha }],
  ] as const)('is lost as %s where the pull request is %o', (why, facts) => {
    expect(findLostGround(facts, headSha)).toBe(why);
  });
});
