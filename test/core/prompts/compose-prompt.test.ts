import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractResult } from '../../../src/core/agents/extract-result.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { Prompt, PromptBase } from '../../../src/core/prompts/compose-prompt.ts';
import { chooseBudget, FULL_BUDGET, SMALL_BUDGET } from '../../../src/core/prompts/evidence-budget.ts';
import { toCiPrompt } from '../../../src/core/prompts/to-ci-prompt.ts';
import { toMergePrompt } from '../../../src/core/prompts/to-merge-prompt.ts';
import { toReviewPrompt } from '../../../src/core/prompts/to-review-prompt.ts';
import { MAX_REVIEW_ITEMS, toReviewItems } from '../../../src/core/reviews/review-items.ts';
import { aCheck, aFixup, aPullRequest, aRejection, aSession } from '../../support/builders.ts';
import { aPromptBase, splitPrompt } from '../../support/prompt-builders.ts';

const LONG = '"€🙂'.repeat(200);

/** Every list as long as it can get, and every text as long as a part of it may be. */
function largest(base: PromptBase, count: number, text: string, others = text): Readonly<Record<string, Prompt>> {
  const times = <Item>(most: number, item: Item): readonly Item[] =>
    Array.from({ length: Math.min(count, most) }, () => item);
  const thread = { kind: 'thread', threadId: 'thread-1', path: LONG, line: 99_999, author: LONG } as const;
  const items = toReviewItems(times(MAX_REVIEW_ITEMS, { ...thread, newestCommentId: 1, request: '', words: [] }));
  const failing = times(20, aCheck({ name: LONG })).map((check, index) => ({
    check,
    text: index === 0 ? text : others,
    failures: text,
  }));
  return {
    ci: toCiPrompt({
      ...base,
      failing,
      redOnBase: times(99, LONG),
      flaky: times(99, LONG),
      findings: [],
      sameAsBefore: true,
    }),
    review: toReviewPrompt({
      ...base,
      items: items.map((item, index) => ({ item, text: index === 0 ? text : others })),
    }),
    merge: toMergePrompt({
      ...base,
      conflicts: times(5000, { path: LONG, base: null, ours: null, theirs: 'x' }),
      messages: text,
    }),
  };
}

const LARGEST_BASE: Partial<PromptBase> = {
  facts: aPullRequest({ title: LONG, headRef: LONG, baseRef: LONG }),
  changes: {
    ...DEFAULT_POLICY.changes,
    allowedPaths: Array.from({ length: 1000 }, () => `${LONG}/**`),
    protectedPaths: Array.from({ length: 1000 }, () => 'x'.repeat(50)),
    maxFiles: 10_000,
    maxLines: 1_000_000,
  },
  validationCommands: Array.from({ length: 100 }, () => 'x'.repeat(4096)),
  previous: Array.from({ length: 3 }, () => aSession(aRejection())),
};

describe('a prompt', () => {
  const log = `AssertionError: 3 !== -1\n${'x'.repeat(79)}\n`.repeat(30_000);

  it.each([
    ['the full budget', FULL_BUDGET],
    ['the small budget', SMALL_BUDGET],
  ])('stays within %s, with 3 MB of evidence in each text', (_what, budget) => {
    const patch = log;
    const base = aPromptBase({ ...LARGEST_BASE, budget, previousAttempt: { reason: log, patch } });
    for (const [action, { text, files }] of Object.entries(largest(base, 5000, log, log.slice(0, 50_000)))) {
      expect(Buffer.byteLength(text), action).toBeLessThanOrEqual(budget.promptBytes);
      expect(splitPrompt(text).outside).toMatch(
        /^- and (?:98|100) more, in the file \/ratchet\/evidence\/validation.txt$/mu,
      );
      expect(files['validation.txt']).toBe(`"${'x'.repeat(4096)}"\n`.repeat(100));
      expect(files['previous.diff']).toBe(patch);
    }
  });

  it('has at most 4 KiB of our own words', () => {
    const prompts = [
      toCiPrompt({ ...aPromptBase(), failing: [], redOnBase: [], flaky: [], findings: [], sameAsBefore: false }),
      toMergePrompt({ ...aPromptBase(), conflicts: [], messages: '' }),
      toReviewPrompt({ ...aPromptBase(), items: [] }),
    ];
    for (const { text } of prompts) expect(Buffer.byteLength(text)).toBeLessThan(4 * 1024);
  });

  it('gives typical evidence whole, in less than 16 KiB', () => {
    const base = aPromptBase({ previousAttempt: { reason: 'It failed.', patch: 'diff --git a/a b/a\n'.repeat(20) } });
    const text = 'AssertionError: 3 !== -1\n'.repeat(200);
    const prompts = [
      toCiPrompt({
        ...base,
        failing: [{ check: aCheck(), text, failures: '' }],
        redOnBase: [],
        flaky: [],
        findings: [],
        sameAsBefore: false,
      }),
      toMergePrompt({ ...base, conflicts: [{ path: 'a', base: text, ours: text, theirs: text }], messages: text }),
    ];
    for (const prompt of prompts) {
      expect(Buffer.byteLength(prompt.text)).toBeLessThan(16 * 1024);
      expect(prompt.text).not.toContain('shortened; whole');
      expect(prompt.text).not.toContain('too long for');
      expect(prompt.text).toContain('| It failed.\n');
      expect(prompt.previousEvidence).toEqual([
        '/ratchet/evidence/previous-refusal.txt',
        '/ratchet/evidence/previous.diff',
      ]);
    }
  });

  it('says that less has to be read the second time', () => {
    const [full, small] = [FULL_BUDGET, SMALL_BUDGET].map((budget) => largest(aPromptBase({ budget }), 1, 'x'));

    expect(full?.['ci']?.text).not.toContain('did not fit into the context');
    expect(small?.['ci']?.text).toContain('did not fit into the context');
  });

  it('names the limits of the policy', () => {
    const changes = { ...DEFAULT_POLICY.changes, allowedPaths: ['src/**'], protectedPaths: ['legal/**'], maxFiles: 1 };
    const { text } = toCiPrompt({
      ...aPromptBase({ changes }),
      ...{ failing: [], redOnBase: [], flaky: [], findings: [], sameAsBefore: false },
    });

    expect(text).toContain('- Change only paths that match one of: "src/**".\n');
    expect(text).toContain('- Never change lockfiles that are not named here, and no path');
    expect(text).toContain(', "legal/**".\n');
    expect(text).toContain('- Change at most 1 file, and at most 1000 inserted and deleted lines together.');
  });

  it('is never taken for an answer where an agent echoes it', () => {
    for (const { text } of Object.values(largest(aPromptBase(), 2, 'x'))) {
      expect(extractResult(text).kind).toBe('invalid');
    }
  });

  it('has the same words outside of the frame, whatever others write (T56, trap 107)', () => {
    const others = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(others, others, others, (title, name, said) => {
        const write = (a: string, b: string, c: string): readonly string[] => {
          const base = aPromptBase({
            facts: aPullRequest({ title: a, headRef: b, baseRef: c }),
            previousAttempt: { reason: `x${c}`, patch: `x${a}` },
          });
          return [
            toCiPrompt({
              ...{ ...base, redOnBase: [b], flaky: [a], findings: [], sameAsBefore: false },
              failing: [{ check: aCheck({ name: b }), text: c, failures: a }],
            }),
            toMergePrompt({ ...base, conflicts: [{ path: a, base: b, ours: c, theirs: null }], messages: b }),
            toReviewPrompt({
              ...base,
              items: toReviewItems([{ kind: 'changes_requested', reviewId: 1, author: a, body: b }]).map((item) => ({
                item,
                text: c,
              })),
            }),
          ].map(({ text }) => splitPrompt(text).outside);
        };
        expect(write(title, name, said)).toEqual(write('a', 'b', 'c'));
      }),
    );
  });
});

describe('chooseBudget', () => {
  const session = { fixup: aFixup({ causeKey: 'cause' }) };
  const tooLong = aSession(aRejection({ code: 'CONTEXT_TOO_LONG' }), { fixup: aFixup({ causeKey: 'cause' }) });

  it.each([
    ['nothing ended', [], FULL_BUDGET],
    ['the conversation was too long', [tooLong], SMALL_BUDGET],
    ['it was, and something else happened since', [aSession(aRejection()), tooLong], SMALL_BUDGET],
    ['it was too long for another cause', [{ ...tooLong, fixup: aFixup({ causeKey: 'other' }) }], FULL_BUDGET],
    ['it was refused otherwise', [{ ...tooLong, outcome: aRejection() }], FULL_BUDGET],
    ['it works', [{ ...tooLong, outcome: null }], FULL_BUDGET],
    ['a person works', [{ ...tooLong, fixup: null }], FULL_BUDGET],
  ])('when %s', (_what, ended, budget) => {
    expect(chooseBudget(ended, session)).toBe(budget);
  });
});
