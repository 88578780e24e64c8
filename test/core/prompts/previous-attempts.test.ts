import { describe, expect, it } from 'vitest';
import { parseSessionId } from '../../../src/core/model/ids.ts';
import type { Fixup, SessionOutcome } from '../../../src/core/model/session.ts';
import {
  type EndedSession,
  findPreviousAttempt,
  toAnswersExhibit,
  toAnswersText,
  toPreviousEnds,
  toPreviousExhibits,
  toRefusalText,
} from '../../../src/core/prompts/previous-attempts.ts';
import {
  aDeclining,
  aFixup,
  aHeldChange,
  aPush,
  aRejection,
  aSession,
  aSuggestion,
  aValidationRun,
  forge,
} from '../../support/builders.ts';

const TIMED_OUT: SessionOutcome = { kind: 'timed_out', afterMs: 1 };
const DIED: SessionOutcome = { kind: 'died', detail: '' };
const SUPERSEDED: SessionOutcome = { kind: 'superseded', why: 'closed', detail: '' };

describe('findPreviousAttempt', () => {
  const older = aSession(aRejection(), { id: parseSessionId('older') });

  it.each([
    ['a refused one', [aSession(aRejection())], 'session-1'],
    ['one that ran out of time', [aSession(TIMED_OUT)], 'session-1'],
    ['one that waits for a person', [aSession(aHeldChange()), older], 'session-1'],
    ['none', [], null],
    ['a pushed one', [aSession(aPush()), older], null],
    ['a suggested one', [aSession(aSuggestion()), older], null],
    ['a declined one', [aSession(aDeclining()), older], null],
    ['interrupted ones', [aSession(DIED), aSession(SUPERSEDED), aSession(null), older], 'older'],
    ['one at another task', [aSession(aRejection(), { fixup: aFixup({ action: 'FIX_REVIEW' }) }), older], 'older'],
    ['one of a person', [aSession(aRejection(), { fixup: null }), older], 'older'],
  ])('after %s', (_what, ended, id) => {
    expect(findPreviousAttempt(ended, 'FIX_CI')?.id ?? null).toBe(id);
  });
});

describe('toRefusalText', () => {
  it('gives the detail, and the output of the first command that failed', () => {
    const validation = [
      aValidationRun({ command: 'npm run lint', tail: 'fine' }),
      aValidationRun({ command: 'npm test', exitCode: 1, tail: '1 failed' }),
      aValidationRun({ command: 'npm run e2e', exitCode: 1, tail: 'later' }),
    ];

    expect(toRefusalText(aRejection({ detail: 'It failed.' }))).toBe('It failed.');
    expect(toRefusalText(aRejection({ detail: 'It failed.', validation }))).toBe(
      'It failed.\n\nThe end of the output of npm test:\n1 failed',
    );
    expect(toRefusalText(TIMED_OUT)).toBe('');
  });

  it('gives what a person has to look at, so that the next attempt can do without it', () => {
    const facts = [
      { code: 'TEST_SKIPPED', path: 'a.test.js', line: 3, message: 'It is skipped.' },
      { code: 'SNAPSHOT_REWRITTEN', path: 'a.snap', line: null, message: 'It is another one.' },
      { code: 'NOT_PROVEN', path: null, line: null, message: 'Nothing is proven.' },
    ];

    expect(toRefusalText(aHeldChange({ facts }))).toBe(
      'TEST_SKIPPED a.test.js:3: It is skipped.\nSNAPSHOT_REWRITTEN a.snap: It is another one.\nNOT_PROVEN: Nothing is proven.',
    );
  });

  it('is empty where nothing was refused', () => {
    expect(toRefusalText(aPush())).toBe('');
    expect(toRefusalText(null)).toBe('');
  });
});

describe('toPreviousExhibits', () => {
  it('gives the reason and the diff, where there are any', () => {
    const exhibits = toPreviousExhibits({ reason: 'Too large.', patch: 'diff --git' }, '/e');

    expect(exhibits.map(({ path, text }) => [path, text])).toEqual([
      ['/e/previous-refusal.txt', 'Too large.'],
      ['/e/previous.diff', 'diff --git'],
    ]);
    expect(toPreviousExhibits({ reason: '', patch: '\n' }, '/e')).toEqual([]);
    expect(toPreviousExhibits({ reason: '', patch: null }, '/e')).toEqual([]);
    expect(toPreviousExhibits(null, '/e')).toEqual([]);
  });
});

describe('toPreviousEnds', () => {
  it('names at most three earlier attempts, by codes and commands only', () => {
    const detail = 'secret words of an agent';
    const failed = aValidationRun({ exitCode: 1, tail: detail });
    const previous = [
      aSession(aRejection({ detail, validation: [aValidationRun(), failed] })),
      aSession(null),
      aSession(aRejection({ code: 'NO_CHANGE', detail })),
      aSession(TIMED_OUT),
      aSession({ kind: 'died', detail }),
    ];

    expect(toPreviousEnds(previous, 4)).toBe(
      [
        'This is attempt 4. How the ones before ended, the newest first:',
        '- refused: VALIDATION_FAILED; "npm test" did not end with exit code 0',
        '- refused: NO_CHANGE',
        '- ran out of time',
      ].join('\n'),
    );
  });

  it.each([
    [SUPERSEDED, 'was overtaken'],
    [DIED, 'was interrupted'],
    [aSuggestion(), 'suggested as a patch (1 file)'],
    [aHeldChange(), 'kept back for a person: TEST_SKIPPED'],
    [aDeclining(), 'declined every review comment'],
  ])('says how %j ended', (outcome, text) => {
    expect(toPreviousEnds([aSession(outcome)], 2)).toContain(text);
  });

  it('refuses an outcome that does not exist', () => {
    const broken: EndedSession = { ...aSession(null), outcome: forge<SessionOutcome>('{"kind":"odd"}') };

    expect(() => toPreviousEnds([broken], 2)).toThrow('unexpected value');
  });
});

describe('what people answered', () => {
  const answered = (id: string, text: string | null, action: Fixup['action'] = 'FIX_CI'): EndedSession => ({
    id: parseSessionId(id),
    fixup: aFixup({ action }),
    outcome: aRejection({
      code: 'ANSWER_NEEDED',
      question: { text: `Which ${id}?`, choices: [], answer: text === null ? null : { text, by: '@ada' } },
    }),
  });

  it('is told with the question, of the same task only, the newest three (004.R36)', () => {
    const ended = [
      ...[answered('s6', null), answered('s5', 'five'), answered('s4', 'other', 'FIX_REVIEW')],
      ...[answered('s3', 'three'), answered('s2', 'two'), answered('s1', 'one')],
      { id: parseSessionId('s0'), fixup: aFixup({ action: 'FIX_CI' }), outcome: aRejection() },
    ];
    expect(toAnswersText(ended, 'FIX_CI')).toBe(
      'Question: Which s5?\nAnswer: five\n\nQuestion: Which s3?\nAnswer: three\n\nQuestion: Which s2?\nAnswer: two',
    );
    expect(toAnswersText([], 'FIX_CI')).toBe('');
  });

  it('is a text of others in the prompt', () => {
    expect(toAnswersExhibit('', '/inputs')).toEqual([]);
    expect(toAnswersExhibit('Question: …', '/inputs')).toEqual([
      {
        label: 'what a maintainer answered to earlier questions of yours',
        ...{ path: '/inputs/answers.txt', text: 'Question: …', cut: 'head' },
      },
    ]);
  });
});
