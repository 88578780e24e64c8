import type { Word } from '../reviews/judge-thread.ts';
import type { AgentReviewItem } from '../reviews/review-items.ts';
import { cutHead, toByteLength } from '../text/cut-bytes.ts';
import { stripInvisible } from '../text/escape.ts';

/** Options for writing the text of others into the file. */
export interface ReviewEvidenceOptions {
  /** For all comments of one item together. */
  readonly maxBytes: number;
  readonly redact: (text: string) => string;
}

const ROLE_WORDS: Readonly<Record<Word['role'], string>> = {
  us: 'ratchet',
  author: 'author of the pull request',
  reviewer: 'reviewer',
  allowed_bot: 'review bot',
};

/**
 * One review item as the JSON text of an evidence file (T55, T56; trap 107). Everything that others wrote is a JSON string
 * without what GitHub would not show. A long thread keeps its first comment and its newest ones.
 */
export function toReviewEvidence({ id, item }: AgentReviewItem, options: ReviewEvidenceOptions): string {
  const clean = (text: string): string => options.redact(stripHidden(text));
  if (item.kind === 'changes_requested') {
    const request = cutText(clean(item.body), options.maxBytes);
    return toText({ id, kind: 'request for changes', author: item.author, request });
  }
  const request = cutText(clean(item.request), Math.floor(options.maxBytes / 4));
  const comments = item.words.map(({ role, comment }) => ({
    author: comment.author.login,
    role: ROLE_WORDS[role],
    at: new Date(comment.createdAt).toISOString(),
    text: clean(comment.body),
  }));
  const kept = keepNewest(comments, options.maxBytes - toByteLength(request));
  const place = { path: item.path, line: item.line };
  const leftOut = comments.length - kept.length;
  return toText({ id, kind: 'thread', ...place, comments: kept, leftOutComments: leftOut, requestOfReviewer: request });
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The agent must not read what people cannot see on the page: HTML comments and invisible characters. */
function stripHidden(text: string): string {
  return stripInvisible(text.replaceAll(/<!--[^]*?(?:-->|$)/gu, ''));
}

function cutText(text: string, maxBytes: number): string {
  const cut = cutHead(text, maxBytes);
  return cut.length < text.length ? `${cut}… (cut)` : text;
}

/** The first comment says what is wanted, the last ones what is wanted now. Comments in between are dropped first. */
function keepNewest<Comment extends { readonly text: string }>(
  comments: readonly Comment[],
  maxBytes: number,
): readonly Comment[] {
  const [first, ...rest] = comments;
  if (first === undefined) return [];
  const opening = { ...first, text: cutText(first.text, Math.floor(maxBytes / 2)) };
  let left = maxBytes - toByteLength(opening.text);
  const newest: Comment[] = [];
  for (const comment of rest.toReversed()) {
    const text = cutText(comment.text, Math.floor(maxBytes / 4));
    left -= toByteLength(text);
    if (left < 0) break;
    newest.unshift({ ...comment, text });
  }
  return [opening, ...newest];
}
