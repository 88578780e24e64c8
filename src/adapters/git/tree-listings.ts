/** Listings by repository and tree. The name of a tree stands for its content, so a listing is never out of date. */
export interface TreeListings {
  readonly get: (key: string) => string | undefined;
  readonly add: (key: string, listing: string) => void;
}

const MAX_KEPT_LENGTH = 8 * 1024 ** 2;
const MAX_KEPT = 32;

/** Forgets the oldest listings first. */
export function createTreeListings(): TreeListings {
  const kept = new Map<string, string>();
  let length = 0;
  return {
    get: (key) => kept.get(key),
    add: (key, listing) => {
      length -= kept.get(key)?.length ?? 0;
      kept.delete(key);
      kept.set(key, listing);
      length += listing.length;
      for (const [oldest, text] of kept) {
        if (length <= MAX_KEPT_LENGTH && kept.size <= MAX_KEPT) return;
        kept.delete(oldest);
        length -= text.length;
      }
    },
  };
}
