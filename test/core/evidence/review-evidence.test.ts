import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toReviewEvidence } from '../../../src/core/evidence/to-review-evidence.ts';
import { toReviewItems } from '../../../src/core/reviews/review-items.ts';
import type { ActionableItem, ThreadItem } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, aPerson, NOW } from '../../support/builders.ts';

const OPTIONS = { maxBytes: 10_000, redact: (text: string) => text };

function aThreadItem(bodies: readonly string[], change: Partial<ThreadItem> = {}): ThreadItem {
  return {
    ...{ kind: 'thread', threadId: 'thread-1', path: 'src/a.ts', line: 3, author: 'grace' },
    ...{ newestCommentId: bodies.length, request: '' },
    words: bodies.map((body, index) => ({ role: 'reviewer', comment: aComment({ id: index + 1, body }) })),
    ...change,
  };
}

function evidenceOf(item: ActionableItem, options = OPTIONS): Record<string, unknown> {
  const [first] = toReviewItems([item]);
  // oxlint-disable-next-line typescript/no-unsafe-return -- the text is what is under test
  return first === undefined ? {} : JSON.parse(toReviewEvidence(first, options));
}

function textsOf(evidence: Record<string, unknown>): readonly string[] {
  const comments = evidence['comments'];
  return Array.isArray(comments) ? comments.map((comment: { readonly text: string }) => comment.text) : [];
}

describe('the evidence of an item', () => {
  it('is one JSON document that names who said what, and when', () => {
    const words: ThreadItem['words'] = [
      { role: 'reviewer', comment: aComment({ body: 'Rename this.' }) },
      { role: 'author', comment: aComment({ body: 'To what?', author: aPerson() }) },
      { role: 'us', comment: aComment({ body: 'Not changed.', author: aPerson({ login: 'ratchet', kind: 'bot' }) }) },
      { role: 'allowed_bot', comment: aComment({ body: 'A nit.', author: aPerson({ login: 'linter', kind: 'bot' }) }) },
    ];
    const at = new Date(NOW).toISOString();

    expect(evidenceOf(aThreadItem([], { words, request: 'See below.' }))).toEqual({
      id: 'item-1',
      kind: 'thread',
      path: 'src/a.ts',
      line: 3,
      comments: [
        { author: 'grace', role: 'reviewer', at, text: 'Rename this.' },
        { author: 'ada', role: 'author of the pull request', at, text: 'To what?' },
        { author: 'ratchet', role: 'ratchet', at, text: 'Not changed.' },
        { author: 'linter', role: 'review bot', at, text: 'A nit.' },
      ],
      leftOutComments: 0,
      requestOfReviewer: 'See below.',
    });
  });

  it('holds the text of a request without a thread', () => {
    const request = { kind: 'changes_requested', reviewId: 5, author: 'alan', body: 'Add a test.' } as const;

    expect(evidenceOf(request)).toEqual({
      id: 'item-1',
      kind: 'request for changes',
      author: 'alan',
      request: 'Add a test.',
    });
    expect(evidenceOf({ ...request, body: 'x'.repeat(50) }, { ...OPTIONS, maxBytes: 10 })).toMatchObject({
      request: `${'x'.repeat(10)}… (cut)`,
    });
  });

  it.each([
    ['a comment of HTML', 'a<!-- run this -->b', 'ab'],
    ['one of several lines', 'a<!--\nrun\n-->b<!-- and this -->c', 'abc'],
    ['one that nobody closed', 'a<!-- run this', 'a'],
    ['text without a width', 'a\u200B\u202Eb', 'ab'],
    ['line ends', 'a\r\nb', 'a\nb'],
  ])('T55: leaves out what nobody sees: %s', (_what, body, text) => {
    expect(textsOf(evidenceOf(aThreadItem([body])))).toEqual([text]);
  });

  it('redacts each text before it is cut', () => {
    const redact = (text: string): string => text.replaceAll('secret', '[redacted]');
    const item = aThreadItem([`${'x'.repeat(43)}secret`], { request: 'secret' });

    expect(evidenceOf(item, { maxBytes: 100, redact })).toMatchObject({
      comments: [{ text: `${'x'.repeat(43)}[r… (cut)` }],
      requestOfReviewer: '[redacted]',
    });
    expect(
      evidenceOf({ kind: 'changes_requested', reviewId: 1, author: 'a', body: 'secret' }, { ...OPTIONS, redact }),
    ).toMatchObject({
      request: '[redacted]',
    });
  });

  it('keeps the first and the newest of a long thread, and says how many are missing', () => {
    const bodies = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(2, '0')}${'x'.repeat(98)}`);
    const evidence = evidenceOf(aThreadItem(bodies), { ...OPTIONS, maxBytes: 600 });

    expect(textsOf(evidence).map((text) => text.slice(0, 2))).toEqual(['00', '25', '26', '27', '28', '29']);
    expect(evidence['leftOutComments']).toBe(24);
  });

  it('cuts each text to its share', () => {
    const evidence = evidenceOf(aThreadItem(['a'.repeat(1000), 'b'.repeat(1000)], { request: 'c'.repeat(1000) }), {
      ...OPTIONS,
      maxBytes: 400,
    });
    const request = `${'c'.repeat(100)}… (cut)`;
    const left = 400 - request.length - 2;

    expect(evidence['requestOfReviewer']).toBe(request);
    expect(textsOf(evidence)).toEqual([
      `${'a'.repeat(Math.floor(left / 2))}… (cut)`,
      `${'b'.repeat(Math.floor(left / 4))}… (cut)`,
    ]);
  });

  it('may be without any comment', () => {
    expect(evidenceOf(aThreadItem([]))).toMatchObject({ comments: [], leftOutComments: 0 });
  });

  it('trap 107: stays bounded and valid, whatever is written', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 400 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, (bodies, request) => {
        const evidence = evidenceOf(aThreadItem(bodies, { request }), { ...OPTIONS, maxBytes: 512 });

        expect(Buffer.byteLength(textsOf(evidence).join(''))).toBeLessThan(512 + 12 * 16);
      }),
    );
  });
});
