import { toOwnPatch } from '../judge/own-patch.ts';
import type { Resolution } from '../model/resolution.ts';
import type { TestChangeCode, TestChangeFact, TestChangeVerdict } from '../model/test-change.ts';

/** What is gone has no line in the result. */
const GONE: ReadonlySet<TestChangeCode> = new Set(['TEST_DELETED', 'ASSERTION_REMOVED', 'CASES_REMOVED']);

/** Lines of the result that a resolution added by itself, and whether it removed some that both sides have. */
interface Own {
  readonly lines: ReadonlySet<number>;
  readonly removes: boolean;
}

/**
 * What a merge does to tests by itself, from its verdicts against each of its two sides. A fact counts if a line of the resolution's
 * own shows it, or if it holds against both sides. What one side did is explained by that side (resolution S15).
 */
export function toOwnFacts(
  sides: readonly TestChangeVerdict[],
  { files, beside }: Pick<Resolution, 'files' | 'beside'>,
): readonly TestChangeFact[] {
  const own = new Map<string, Own>();
  for (const [isInConflict, list] of [[true, files] as const, [false, beside] as const]) {
    for (const file of list) {
      const { added, addedAt, removed } = toOwnPatch(file, isInConflict);
      const removes = removed.some((line) => line.trim() !== '');
      if (added.length > 0 || removes) own.set(file.path, { lines: new Set(addedAt), removes });
    }
  }
  const keys = sides.map(({ facts }) => new Set(facts.map(toKey)));
  const counted = sides
    .flatMap(({ facts }) => facts)
    .filter((fact) =>
      isOwn(
        fact,
        own.get(fact.path),
        keys.every((side) => side.has(toKey(fact))),
      ),
    );
  return [...new Map(counted.map((fact) => [toKey(fact), fact])).values()];
}

function isOwn({ code, line }: TestChangeFact, own: Own | undefined, isAgainstAll: boolean): boolean {
  if (own === undefined) return false;
  if (GONE.has(code)) return isAgainstAll && own.removes;
  return isAgainstAll || (line !== null && own.lines.has(line));
}

function toKey({ code, path, message }: TestChangeFact): string {
  return JSON.stringify([code, path, message]);
}
