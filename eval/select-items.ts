/**
 * The parts of a data set. `tuning`: four fifths, to work with. `held-out`: the fifth that nobody may tune on, with the items
 * whose index in the order of names is divisible by five.
 */
export const PARTS = ['tuning', 'held-out', 'all'] as const;
export type Part = (typeof PARTS)[number];

const KEPT_BACK_EVERY = 5;

export function isPart(text: string): text is Part {
  return PARTS.some((part) => part === text);
}

/** The items of a part. */
export function selectPart<Item>(items: readonly Item[], part: Part): readonly Item[] {
  const isKeptBack = (index: number): boolean => index % KEPT_BACK_EVERY === 0;
  return items.filter((_item, index) => part === 'all' || isKeptBack(index) === (part === 'held-out'));
}

/** Every nth item. */
export function sampleItems<Item>(items: readonly Item[], every: number): readonly Item[] {
  return items.filter((_item, index) => index % every === 0);
}
