import type { Decision } from '../model/decision.ts';
import { assertNever } from '../model/errors.ts';
import type { LeftItem, Snapshot } from '../model/snapshot.ts';
import { toCountText } from '../text/words.ts';

const MAX_LEFT_TOLD = 2;

/** What is left to people, as sentences: how many items, and Ratchet's answers to the first two. */
export function toLeftText({ left, leftItems }: Snapshot['review']): string {
  const count = left === 1 ? '1 review comment needs a person' : `${left} review comments need a person`;
  return [`${count}.`, ...leftItems.slice(0, MAX_LEFT_TOLD).map(toLeftItemText)].join(' ');
}

/** One item as a sentence. Contains untrusted text. */
export function toLeftItemText({ why, by, path, answer }: LeftItem): string {
  const place = path === null || path === '' ? '' : ` on ${path}`;
  const comment = `the comment of ${by ?? 'a deleted account'}${place}`;
  const said = answer === '' ? '.' : `: "${answer}"`;
  switch (why) {
    case 'needs_human':
      return `Ratchet left ${comment} to a person${said}`;
    case 'declined':
      return `Ratchet declined ${comment}${said}`;
    case 'unknown_author':
      return `Ratchet cannot tell whether ${comment} counts.`;
    case 'unread':
      return `The thread${place} is too long to be read completely.`;
    case 'unresolved':
      return `The base branch requires resolved conversations, and the one${place} is open.`;
    default:
      return assertNever(why);
  }
}

/** What the pull request still waits for when there is nothing to do for Ratchet, as sentences; empty if for nothing. */
export function toOpenText({ otherOpen, changesRequestedBy, decision }: Snapshot['review']): string {
  return [
    ...(otherOpen === 0 ? [] : [toOtherText(otherOpen)]),
    ...(changesRequestedBy.length > 0
      ? [`${toNames(changesRequestedBy)} requested changes and must review again.`]
      : []),
    ...(changesRequestedBy.length === 0 && decision === 'changes_requested'
      ? ['GitHub still counts a request for changes.']
      : []),
    ...(decision === 'review_required' ? ['An approving review is still required.'] : []),
  ].join(' ');
}

/** Whether the pull request is green and waits for a review. */
export function isReviewAwaited(
  { code }: Decision,
  { changesRequestedBy, decision }: Pick<Snapshot['review'], 'changesRequestedBy' | 'decision'>,
): boolean {
  const isMissing = decision === 'review_required' || decision === 'changes_requested';
  return code === 'ALL_GREEN' && (isMissing || changesRequestedBy.length > 0);
}

function toOtherText(count: number): string {
  return count === 1
    ? '1 review comment is open, but asks nothing of Ratchet.'
    : `${toCountText(count, 'review comment')} are open, but ask nothing of Ratchet.`;
}

const MAX_NAMES = 3;

/** At most three logins: `grace, alan and 2 more`. */
export function toNames(logins: readonly string[]): string {
  const shown = logins.slice(0, MAX_NAMES);
  const more = logins.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ').replace(/, (?=[^,]*$)/u, ' and ');
}
