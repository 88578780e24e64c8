import type { EvalLine, Goal, Miss } from '../row.ts';
import { NotMeasuredError, toLine, toPercent } from '../row.ts';

/** Two logs of one job, what a person says about them, and what their signatures say. */
export interface SignedPair {
  readonly item: string;
  /** They show the same failure. */
  readonly isSame: boolean;
  readonly isEqual: boolean;
}

interface PairGoals {
  readonly same?: Goal;
  readonly different?: Goal;
}

/** How many equal failures have equal signatures, and how many different ones have different ones. */
export function toSignatureLines(
  row: string,
  data: string,
  pairs: readonly SignedPair[],
  goals: PairGoals,
): readonly EvalLine[] {
  const part = (isSame: boolean, goal: Goal | undefined): readonly EvalLine[] => {
    const of = pairs.filter((pair) => pair.isSame === isSame);
    if (of.length === 0) return [];
    const right = of.filter(({ isEqual }) => isEqual === isSame).length;
    const name = isSame ? 'equal failures with equal signatures' : 'different failures with different signatures';
    const input = { row, data: `${data}: ${name}`, ours: toPercent(right, of.length), n: of.length };
    return [toLine(goal === undefined ? input : { ...input, goal })];
  };
  const lines = [...part(true, goals.same), ...part(false, goals.different)];
  if (lines.length === 0) throw new NotMeasuredError(`${data}: no pair`);
  return lines;
}

export function toSignatureMisses(pairs: readonly SignedPair[]): readonly Miss[] {
  return pairs
    .filter(({ isSame, isEqual }) => isSame !== isEqual)
    .map(({ item, isSame }) => ({
      kind: isSame ? 'equal failures, different signatures' : 'different failures, equal signatures',
      item,
      text: '',
    }));
}
