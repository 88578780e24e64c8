/** The newest item of each group. If neither of two items is newer, the first counts. */
export function newestBy<Item, Group>(
  items: readonly Item[],
  toGroup: (item: Item) => Group,
  isNewer: (item: Item, than: Item) => boolean,
): ReadonlyMap<Group, Item> {
  const newest = new Map<Group, Item>();
  for (const item of items) {
    const known = newest.get(toGroup(item));
    if (known === undefined || isNewer(item, known)) newest.set(toGroup(item), item);
  }
  return newest;
}
