import type { AgentResult } from '../model/agent-contract.ts';
import type { RejectCode, ReviewAnswer } from '../model/session.ts';
import type { AgentReviewItem } from './review-items.ts';

/** What an agent left for a review fixup. */
export interface AnswersInput {
  readonly items: readonly AgentReviewItem[];
  /** Untrusted. */
  readonly answers: NonNullable<AgentResult['answers']>;
  readonly hasChanges: boolean;
}

/** Whether the answers and the tree agree. */
export type AnswersVerdict =
  | { readonly kind: 'answered'; readonly answers: readonly ReviewAnswer[] }
  /** Nothing was fixed or changed, and every item has a reason: an end, but not a failure (trap 57). */
  | { readonly kind: 'declined'; readonly answers: readonly ReviewAnswer[] }
  | { readonly kind: 'rejected'; readonly code: RejectCode; readonly detail: string };

/**
 * Each item needs exactly one answer, with a reason unless it is "fixed". "fixed" needs a change, and a change needs a "fixed".
 * The gate decides whether the change is right.
 */
export function judgeAnswers({ items, answers, hasChanges }: AnswersInput): AnswersVerdict {
  const known = new Set(items.map(({ id }) => id));
  const unknown = answers.filter(({ id }) => !known.has(id)).length;
  if (unknown > 0) return notAnswered(`It answered ${unknown} items that nobody asked about.`);
  const taken: ReviewAnswer[] = [];
  for (const { id, itemId, newestCommentId } of items) {
    const [answer, second] = answers.filter((given) => given.id === id);
    if (answer === undefined) return notAnswered(`There is no answer to ${id}.`);
    if (second !== undefined) return notAnswered(`There is more than one answer to ${id}.`);
    const reason = answer.reason.trim();
    if (answer.status !== 'fixed' && reason === '') return notAnswered(`The answer to ${id} gives no reason.`);
    taken.push({ itemId, status: answer.status, reason, newestCommentId });
  }
  const isFixClaimed = taken.some(({ status }) => status === 'fixed');
  if (isFixClaimed && !hasChanges)
    return rejected('NO_CHANGE', 'It claims to have fixed something and changed nothing.');
  if (!isFixClaimed && hasChanges) {
    return rejected(
      'UNASKED_CHANGE',
      'It changed files and claims to have fixed nothing: a change that nobody asked for.',
    );
  }
  return { kind: hasChanges ? 'answered' : 'declined', answers: taken };
}

function notAnswered(detail: string): AnswersVerdict {
  return rejected('NOT_ANSWERED', detail);
}

function rejected(code: RejectCode, detail: string): AnswersVerdict {
  return { kind: 'rejected', code, detail };
}
