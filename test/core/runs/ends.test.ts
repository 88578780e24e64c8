import { describe, expect, it } from 'vitest';
import { GitHubError, RepositoryError } from '../../../src/core/model/errors.ts';
import type { SessionOutcome, SupersededBy } from '../../../src/core/model/session.ts';
import { describeOutcome, leavesNewSituation, toFixupOutcome } from '../../../src/core/runs/fixup-end.ts';
import type { Interruption } from '../../../src/core/runs/interruption.ts';
import { toQualityStop } from '../../../src/core/runs/quality-end.ts';
import { aHeldChange, fakeSha, forge } from '../../support/builders.ts';

const STOPS: Readonly<Record<SupersededBy, string>> = {
  head_moved: 'Somebody pushed to the branch while the fixup ran.',
  closed: 'The pull request was closed while the fixup ran.',
  disabled: 'Ratchet was disabled while the fixup ran.',
  permission: 'Permission was withdrawn while the fixup ran.',
  stopped: 'The fixup was stopped.',
  paused: 'Ratchet was paused while the fixup ran.',
  cause_gone: 'CI is not red any more.',
  base_changed: 'The base branch or its policy changed while the fixup ran.',
  shutdown: 'The service was shut down while the fixup ran; it will be taken up again.',
};
const LATER = new RepositoryError('FETCH_FAILED', 'no route to /var/secret', { retry: 'later' });

describe('a fixup that was interrupted', () => {
  it.each(Object.entries(STOPS))('because of %s says so', (why, detail) => {
    const outcomes = (
      [
        'head_moved',
        'closed',
        'disabled',
        'permission',
        'stopped',
        'paused',
        'cause_gone',
        'base_changed',
        'shutdown',
      ] as const
    )
      .filter((candidate) => candidate === why)
      .map((candidate) => toFixupOutcome({ kind: 'stopped', why: candidate }, 5));

    expect(outcomes).toEqual([{ kind: 'superseded', why, detail }]);
  });

  it.each<[string, Interruption, SessionOutcome | null]>([
    ['by a crash died', { kind: 'crashed' }, { kind: 'died', detail: 'The process that ran it ended in the middle.' }],
    ['at its deadline timed out', { kind: 'timed_out' }, { kind: 'timed_out', afterMs: 5 }],
    [
      'by an error died, and says nothing of it but its code',
      { kind: 'failed', error: new RepositoryError('GIT_FAILED', 'no /var/secret', { retry: 'later' }) },
      { kind: 'died', detail: 'RepositoryError (GIT_FAILED).' },
    ],
    ['by an outage of git stays open', { kind: 'failed', error: LATER }, null],
    [
      'by refs that lag stays open',
      { kind: 'failed', error: new RepositoryError('REF_LAGS', 'old', { retry: 'later' }) },
      null,
    ],
    [
      'by an outage of the API stays open',
      { kind: 'failed', error: new GitHubError('UNAVAILABLE', '502', { retry: 'now' }) },
      null,
    ],
    [
      'by a rate limit stays open',
      { kind: 'failed', error: new GitHubError('RATE_LIMITED', 'wait', { retry: 'later' }) },
      null,
    ],
    [
      'by a right that was withdrawn waits for a person, and says why',
      { kind: 'failed', error: new GitHubError('NOT_GRANTED', 'not granted', { retry: 'never' }) },
      { kind: 'superseded', why: 'permission', detail: 'GitHub refuses Ratchet: not granted.' },
    ],
    [
      'by a bug died, and says nothing of it',
      { kind: 'failed', error: new Error('cannot open /var/secret') },
      { kind: 'died', detail: 'An unexpected error of Ratchet itself; the log has it.' },
    ],
  ])('%s', (_what, interruption, outcome) => {
    expect(toFixupOutcome(interruption, 5)).toEqual(outcome);
  });
});

describe('a run of the engines that was interrupted', () => {
  const failed = (error: unknown): Interruption => ({ kind: 'failed', error });

  it.each<[string, Interruption, ReturnType<typeof toQualityStop>]>([
    ['by a crash says so', { kind: 'crashed' }, { kind: 'interrupted' }],
    ['by another head is superseded', { kind: 'stopped', why: 'head_moved' }, { kind: 'superseded', headSha: null }],
    ['by a shutdown stays open', { kind: 'stopped', why: 'shutdown' }, null],
    ['at its deadline timed out', { kind: 'timed_out' }, { kind: 'timed_out', limitMs: 9 }],
    ['by a bug stays open', failed(new Error('bug')), null],
    ['by what may work later stays open', failed(LATER), null],
    ['by refs that lag stays open', failed(new RepositoryError('REF_LAGS', 'old', { retry: 'later' })), null],
    [
      'by what never works says so',
      failed(new RepositoryError('REPO_TOO_LARGE', 'large', { retry: 'never' })),
      { kind: 'not_possible', why: 'The files of the head could not be prepared (REPO_TOO_LARGE).' },
    ],
  ])('%s', (_what, interruption, stop) => {
    expect(toQualityStop(interruption, 9)).toEqual(stop);
  });
});

describe('the end of a fixup', () => {
  const diff = { files: 2, insertions: 1, deletions: 1 };
  const done = { diff, files: ['a'], summary: 's', resolved: [], validation: [] };
  const commitSha = fakeSha('new');
  const pushed: SessionOutcome = { kind: 'pushed', commitSha, madeBy: 'agent', patchId: null, answers: [], ...done };
  const OUTCOMES: readonly (readonly [SessionOutcome, string, string, boolean])[] = [
    [pushed, 'PUSHED', `Pushed ${commitSha}.`, true],
    [
      { kind: 'timed_out', afterMs: 1_600 },
      'TIMED_OUT',
      'Ended at its time limit after 2 s; counted as one attempt.',
      true,
    ],
    [
      { kind: 'suggested', patch: '', ...done },
      'SUGGESTED',
      'Passed the gate and was offered as a patch (2 files); nothing was pushed.',
      true,
    ],
    [
      aHeldChange(),
      'HELD',
      'A change passed its validation and waits for a person, because of 1 point: TEST_SKIPPED.',
      true,
    ],
    [
      { kind: 'declined', answers: [], summary: '' },
      'DECLINED',
      'Every review item was declined or left to a person (0); nothing was pushed.',
      true,
    ],
    [
      { kind: 'rejected', code: 'NO_CHANGE', detail: 'Nothing.', diff: null, validation: [] },
      'NO_CHANGE',
      'Nothing.',
      true,
    ],
    [{ kind: 'superseded', why: 'permission', detail: 'gone' }, 'SUPERSEDED', 'gone', true],
    [{ kind: 'superseded', why: 'head_moved', detail: 'moved' }, 'SUPERSEDED', 'moved', false],
    [{ kind: 'superseded', why: 'base_changed', detail: 'base' }, 'SUPERSEDED', 'base', true],
    [{ kind: 'died', detail: 'crash' }, 'DIED', 'crash', false],
  ];

  it.each(OUTCOMES)('is told in one sentence: %o', (outcome, _code, reason) => {
    expect(describeOutcome(outcome)).toBe(reason);
  });

  it.each(OUTCOMES)('is looked at at once where the situation is a new one: %o', (outcome, _code, _reason, isNew) => {
    expect(leavesNewSituation(outcome)).toBe(isNew);
  });
});

describe('what a newer version might add', () => {
  it('is an error, and no end', () => {
    const odd = forge<Interruption>('{"kind":"odd"}');

    expect(() => toFixupOutcome(odd, 5)).toThrow('unexpected value');
    expect(() => toQualityStop(odd, 9)).toThrow('unexpected value');
    expect(() => describeOutcome(forge<SessionOutcome>('{"kind":"odd"}'))).toThrow('unexpected value');
  });
});
