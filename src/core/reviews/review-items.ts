import { type ActionableItem, toItemId } from './review-verdict.ts';

/** One item of a review fixup, as shown to the agent. */
export interface AgentReviewItem {
  /** `item-<n>`, which the agent's answer names. */
  readonly id: string;
  /** Id of the thread, or `review:<id>`. */
  readonly itemId: string;
  readonly item: ActionableItem;
  /** Newest comment that the agent sees; null for a request without a thread. */
  readonly newestCommentId: number | null;
}

/** Most items of one fixup. The next fixup gets the rest. */
export const MAX_REVIEW_ITEMS = 50;

/** The items of one fixup in display order: requests first, then threads by file and line. */
export function toReviewItems(actionable: readonly ActionableItem[]): readonly AgentReviewItem[] {
  return actionable
    .slice(0, MAX_REVIEW_ITEMS)
    .toSorted(byPlace)
    .map((item, index) => ({
      id: `item-${index + 1}`,
      itemId: toItemId(item),
      item,
      newestCommentId: item.kind === 'thread' ? item.newestCommentId : null,
    }));
}

function byPlace(a: ActionableItem, b: ActionableItem): number {
  const [aPath, bPath] = [toPath(a), toPath(b)];
  if (aPath !== bPath) return aPath < bPath ? -1 : 1;
  return toLine(a) - toLine(b);
}

function toPath(item: ActionableItem): string {
  return item.kind === 'thread' ? item.path : '';
}

function toLine(item: ActionableItem): number {
  return item.kind === 'thread' ? (item.line ?? 0) : 0;
}
