/** `items` in order, but without the first ones of each key: as many as `keys` has of it. An item with the key null is kept. */
export function subtract<Item>(
  items: readonly Item[],
  keys: readonly string[],
  toKey: (item: Item) => string | null,
): readonly Item[] {
  const left = new Map([...Map.groupBy(keys, (key) => key)].map(([key, { length }]) => [key, length]));
  return items.filter((item) => {
    const key = toKey(item);
    if (key === null) return true;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}
