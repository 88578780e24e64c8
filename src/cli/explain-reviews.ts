import { type ActionableItem, toReviewVerdict } from '../core/reviews/review-verdict.ts';
import { parseExplainReviewsInput } from '../payloads/parse-raw-reviews.ts';

/** One actionable item as printed. A request for changes without a thread has no thread id, path or line. */
interface ExplainedItem {
  readonly threadId: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly author: string;
}

/** Answers `explain reviews`. @throws InvalidInputError */
export function explainReviews(json: unknown): {
  readonly actionable: readonly ExplainedItem[];
  readonly changesRequestedBy: readonly string[];
  readonly ignored: readonly { readonly id: string; readonly why: string }[];
} {
  const { input, reviewIds } = parseExplainReviewsInput(json);
  const { actionable, changesRequestedBy, ignored } = toReviewVerdict(input);
  return {
    actionable: actionable.map(toExplained),
    changesRequestedBy,
    ignored: ignored.map(({ id, why }) => ({ id: reviewIds.get(id) ?? id, why })),
  };
}

function toExplained(item: ActionableItem): ExplainedItem {
  const { author } = item;
  if (item.kind === 'changes_requested') return { threadId: null, path: null, line: null, author };
  return { threadId: item.threadId, path: item.path === '' ? null : item.path, line: item.line, author };
}
