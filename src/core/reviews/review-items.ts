import { type ActionableItem, toItemId } from './review-verdict.ts';

/** One item of a review fixup, as the agent knows it. */
export interface ReviewTaskItem {
  /** `item-<n>`: what the agent answers to. */
  readonly id: string;
  /** Id of the thread, or `review:<id>`. */
  readonly itemId: string;
  readonly item: ActionableItem;
  /** Newest comment that the agent gets to see; null for a request without a thread. */
  readonly newestCommentId: number | null;
}

/** Items of one fixup; what is beyond is left to the next one. */
export const MAX_REVIEW_ITEMS = 50;

/** The items of one fixup in the order in which they are told: requests first, then threads file by file, from top to bottom. */
export function toReviewItems(actionable: readonly ActionableItem[]): readonly ReviewTaskItem[] {
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
