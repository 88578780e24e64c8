import type { TestFact } from '../model/source-facts.ts';
import { type ReadFile, toMissing } from './test-change.ts';

/** A test and its file. */
export interface PlacedTest extends TestFact {
  readonly path: string;
}

export interface MatchedTests {
  readonly pairs: readonly { readonly old: PlacedTest; readonly now: PlacedTest }[];
  readonly gone: readonly PlacedTest[];
  readonly added: readonly PlacedTest[];
}

/** As much of the words of two tests in common makes them one test under two names. */
const MIN_SIMILARITY = 0.6;
/** Comparing each with each costs time by their product. */
const MAX_COMPARED = 300;

export function placeTests(files: ReadonlyMap<string, ReadFile>): readonly PlacedTest[] {
  return [...files].flatMap(([path, { facts }]) => facts.tests.map((test) => ({ ...test, path })));
}

/** Finds each test again: by place and name, by name, by its last name, by what it does. */
export function matchTests(before: readonly PlacedTest[], after: readonly PlacedTest[]): MatchedTests {
  const keys: readonly ((test: PlacedTest) => string)[] = [
    ({ path, name }) => JSON.stringify([path, name]),
    ({ name }) => name,
    ({ words }) => words.slice(1).join(' '),
    ({ path, name }) => JSON.stringify([path, toPlainName(name)]),
    ({ name }) => toPlainName(name),
  ];
  const pairs: { old: PlacedTest; now: PlacedTest }[] = [];
  let gone = before;
  let added = after;
  for (const toKey of keys) {
    const found = pairUp(gone, added, toKey);
    pairs.push(...found);
    const matched = new Set(found.flatMap(({ old, now }) => [old, now]));
    gone = gone.filter((test) => !matched.has(test));
    added = added.filter((test) => !matched.has(test));
  }
  if (gone.length > MAX_COMPARED || added.length > MAX_COMPARED) return { pairs, gone, added };
  const alike = gone.flatMap((old) => added.map((now) => ({ old, now, share: toSimilarity(old.words, now.words) })));
  const taken = new Set<PlacedTest>();
  for (const { old, now, share } of alike.toSorted((left, right) => right.share - left.share)) {
    if (share < MIN_SIMILARITY || taken.has(old) || taken.has(now)) continue;
    taken.add(old).add(now);
    pairs.push({ old, now });
  }
  return { pairs, gone: gone.filter((test) => !taken.has(test)), added: added.filter((test) => !taken.has(test)) };
}

/** Without its groups, and without case and separators: `testAddsUp`, `test_adds_up` and "adds up" are one name. */
function toPlainName(name: string): string {
  return name
    .slice(name.lastIndexOf(' > ') + 1)
    .replaceAll(/[^\p{L}\d]+/gu, '')
    .toLowerCase()
    .replace(/^test(?=.)/u, '');
}

function pairUp(
  before: readonly PlacedTest[],
  after: readonly PlacedTest[],
  toKey: (test: PlacedTest) => string,
): readonly { old: PlacedTest; now: PlacedTest }[] {
  const free = new Map<string, PlacedTest[]>();
  // From behind, so that the first is taken from the end.
  for (const test of after.toReversed()) {
    const same = free.get(toKey(test));
    if (same === undefined) free.set(toKey(test), [test]);
    else same.push(test);
  }
  return before.flatMap((old) => {
    const now = free.get(toKey(old))?.pop();
    return now === undefined ? [] : [{ old, now }];
  });
}

function toSimilarity(left: readonly string[], right: readonly string[]): number {
  const missing = toMissing(left, right, String).length;
  return (2 * (left.length - missing)) / (left.length + right.length + 1);
}
