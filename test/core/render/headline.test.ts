import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECISION_CODES } from '../../../src/core/model/decision.ts';
import { REJECT_CODES } from '../../../src/core/model/session.ts';
import { STOP_CODES, type Stop } from '../../../src/core/model/workspace.ts';
import { DECISION_WORDS } from '../../../src/core/render/decision-words.ts';
import { type Headlined, renderHeadline } from '../../../src/core/render/headline.ts';
import { ACTORS, type ReaderWords } from '../../../src/core/render/reader-words.ts';
import { REJECT_WORDS } from '../../../src/core/render/reject-words.ts';
import { renderCheckRun } from '../../../src/core/render/render-check-run.ts';
import { renderPersonComment } from '../../../src/core/render/render-person-comment.ts';
import { renderTitle } from '../../../src/core/render/render-title.ts';
import { STOP_WORDS } from '../../../src/core/render/stop-words.ts';
import { aStory } from '../../support/a-story.ts';
import {
  aCheck,
  aPullRequest,
  aRejection,
  aSession,
  aVerdict,
  aWorkspace,
  fakeSha,
  NOW,
} from '../../support/builders.ts';
import { aProgress } from '../../support/model-builders.ts';

const DETAIL = 'The detail of the attempt.';

function aStopped(stop: Omit<Stop, 'causeKey'>, change: Partial<Headlined> = {}): Headlined {
  const workspace = aWorkspace({ stop: { causeKey: 'cause-1', ...stop } });
  return aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace, ...change });
}

function toLine(code: string, story: Headlined): string {
  return [code, renderTitle(story), ...renderHeadline(story)].join('\n  ');
}

const OWN_STOPS = STOP_CODES.filter((code) => !Object.hasOwn(DECISION_WORDS, code));

describe('what people read about a code (L16)', () => {
  it('is this for a decision', () => {
    const texts = DECISION_CODES.map((code) =>
      toLine(code, aStory({}, { decision: { action: 'DONE', code, reason: 'The reason.' }, ci: null })),
    );

    expect(texts.join('\n')).toMatchSnapshot();
  });

  it('is this for a stop', () => {
    const texts = OWN_STOPS.map((code) => toLine(code, aStopped({ code, reason: DETAIL })));

    expect(texts.join('\n')).toMatchSnapshot();
  });

  it('is this for a rejected attempt', () => {
    const texts = REJECT_CODES.map((reject) => toLine(reject, aStopped({ code: 'NO_PUSH', reason: DETAIL, reject })));

    expect(texts.join('\n')).toMatchSnapshot();
  });

  it.each<[string, Readonly<Record<string, ReaderWords>>]>([
    ['decision', DECISION_WORDS],
    ['stop', STOP_WORDS],
    ['rejected attempt', REJECT_WORDS],
  ])('names who acts, in whole sentences, for each %s', (_what, table) => {
    for (const { title, first, next } of Object.values(table)) {
      expect(title).not.toMatch(/[.;]$/u);
      expect(first ?? 'Kept.').toMatch(/^[A-Z].*\.$/u);
      if (next !== null) expect([ACTORS.includes(next.who), next.what.endsWith('.')]).toEqual([true, true]);
    }
  });
});

describe('the headline', () => {
  it.each([
    ['clean', { status: 'failure' }, [], 'fix 0 failing checks'],
    ['clean', { status: 'failure' }, ['test'], 'fix `test`'],
    ['clean', { status: 'failure' }, ['test', 'lint'], 'fix 2 failing checks'],
    ['clean', { status: 'success' }, [], 'address 1 review comment'],
    ['conflict', { status: 'failure' }, ['test'], 'resolve the conflict with `main`'],
  ] as const)('names what was not done: %s, %j, %j', (merge, ci, names, task) => {
    const failing = names.map((name) => ({ name, conclusion: 'failure', check: aCheck({ name }) }));
    const workspace = aWorkspace({
      stop: { causeKey: 'cause-1', code: 'NO_PUSH', reason: DETAIL, reject: 'VALIDATION_FAILED' },
    });
    const story = aStory(
      { merge, ci, review: { actionable: 1 }, ratchet: { stoppedFor: 'cause-1' } },
      { workspace, ci: aVerdict({ failing }) },
    );

    expect(renderTitle(story)).toBe(`Could not ${task} · the change failed validation`);
  });

  it('gives the reason once, also where the attempt has it', () => {
    const story = { ...aStory(), ...aStopped({ code: 'NO_PUSH', reason: DETAIL, reject: 'VALIDATION_FAILED' }) };
    const other = aSession(aRejection({ detail: 'Another detail.' }));
    const { summary } = renderCheckRun({ ...story, sessions: [aSession(aRejection({ detail: DETAIL })), other] });

    expect(summary.split(DETAIL)).toHaveLength(2);
    expect(summary).toContain('Detail: Another detail.');
  });

  it('is the same in the comment', () => {
    const story = aStopped({ code: 'NO_PUSH', reason: DETAIL, reject: 'NO_VALIDATION' });

    expect(renderPersonComment(story, fakeSha('head'))).toContain(
      [`**${renderTitle(story)}** (at \`${fakeSha('head').slice(0, 10)}\`)`, ...renderHeadline(story)].join('\n\n'),
    );
  });

  it('tells people to pull where the newest commit is ours', () => {
    const ours = aStory({}, { workspace: aWorkspace({ lastPushSha: aPullRequest().headSha }) });
    const others = aStory({}, { workspace: aWorkspace({ lastPushSha: fakeSha('older') }) });
    const pull = 'Pull it before you push.';

    expect(renderHeadline(ours).join('\n')).toContain(pull);
    expect(renderHeadline(others).join('\n')).not.toContain(pull);
    expect(renderHeadline({ ...ours, facts: null }).join('\n')).not.toContain(pull);
  });

  it('names the operator where only he can let Ratchet do more than observe', () => {
    const observed = aStory({ ci: { status: 'failure' }, policy: { mode: 'observe' } });

    expect(observed.decision.code).toBe('OBSERVE_ONLY');
    const capped = renderHeadline({
      ...observed,
      clamped: ['maxAttempts: 9 → 3 (operator)', 'mode: push → observe (operator)'],
    });
    expect(capped.join('\n')).toContain('**Next step (operator):**');
    expect(renderHeadline({ ...observed, clamped: ['maxAttempts: 9 → 3 (operator)'] }).join('\n')).toContain(
      '**Next step (author):**',
    );
  });

  it('says of a wait for CI what CI says, if it is known', () => {
    const reason = 'CI is green; confirming for 1 min, in case more checks start.';
    const running = aStory({ ci: { status: 'pending' } }, { ci: aVerdict({ reason }) });

    expect(renderHeadline(running)[0]).toBe(`**${reason}**`);
    expect(renderHeadline({ ...running, ci: null })[0]).toBe('**CI is running.**');
  });

  it('has five lines at most', () => {
    const codes = fc.constantFrom(...DECISION_CODES);
    const stops = fc.constantFrom<Stop['code']>(...STOP_CODES);
    fc.assert(
      fc.property(
        codes,
        stops,
        fc.constantFrom(undefined, ...REJECT_CODES),
        fc.boolean(),
        (code, stop, reject, busy) => {
          const workspace = aWorkspace({
            lastPushSha: aPullRequest().headSha,
            stop: { causeKey: 'c', code: stop, reason: DETAIL, ...(reject === undefined ? {} : { reject }) },
          });
          // Only a working session waits for GitHub or has an agent.
          const work =
            busy && code === 'WORKING_SESSION' ? { waiting: { why: 'x', since: NOW }, progress: aProgress() } : {};
          const decision = { action: 'WAIT', code, reason: 'R.' } as const;

          expect(renderHeadline(aStory({}, { decision, workspace, ...work })).length).toBeLessThanOrEqual(5);
        },
      ),
    );
  });
});
