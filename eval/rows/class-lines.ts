import { classOf } from '../product.ts';
import type { EvalLine, Goal, Miss } from '../row.ts';
import { toLine, toPercent } from '../row.ts';

/** A log whose class a person knows. */
export interface LabelledCase {
  readonly item: string;
  /** `outside`: infrastructure or a flake; a re-run may repair it. */
  readonly is: 'outside' | 'person' | 'code';
  /** One line that shows the cause. */
  readonly cause: string;
  readonly log: Buffer;
}

export interface ClassifiedCase extends Omit<LabelledCase, 'log'> {
  readonly found: ReturnType<typeof classOf>;
}

export function classify({ log, ...labelled }: LabelledCase): ClassifiedCase {
  return { ...labelled, found: classOf(log) };
}

/** Whether a re-run would be asked for. */
export function isRerun({ found }: Pick<ClassifiedCase, 'found'>): boolean {
  return found === 'infrastructure' || found === 'flake';
}

interface ClassGoals {
  readonly recall?: Goal;
  readonly precision?: Goal;
  readonly falseRerun?: Goal;
}

/** Recall and precision of "infrastructure or flake", and the share of code failures that are called so. Parts without a case are left out. */
export function toClassLines(
  row: string,
  data: string,
  cases: readonly ClassifiedCase[],
  goals: ClassGoals,
): readonly EvalLine[] {
  const of = (label: LabelledCase['is']): readonly ClassifiedCase[] => cases.filter(({ is }) => is === label);
  const called = cases.filter(isRerun);
  const share = (name: string, all: readonly ClassifiedCase[], isSo: (one: ClassifiedCase) => boolean, goal?: Goal) => {
    if (all.length === 0) return [];
    const input = {
      row,
      data: `${data}: ${name}`,
      ours: toPercent(all.filter(isSo).length, all.length),
      n: all.length,
    };
    return [toLine(goal === undefined ? input : { ...input, goal })];
  };
  return [
    ...share('recall of infrastructure and flakes', of('outside'), isRerun, goals.recall),
    ...share('precision of infrastructure and flakes', called, ({ is }) => is === 'outside', goals.precision),
    ...share('code failures called infrastructure or flake', of('code'), isRerun, goals.falseRerun),
    ...share('recall of what a person must mend', of('person'), ({ found }) => found === 'person'),
  ];
}

/** What was classified wrongly. A failure of unknown class is left to an agent, so it is wrong only for what is no code failure. */
export function toClassMisses(cases: readonly ClassifiedCase[]): readonly Miss[] {
  return cases.filter(isWrong).map(({ item, is, cause, found }) => ({
    kind: `${is === 'outside' ? 'infrastructure or flake' : is} called ${found}`,
    item,
    text: cause.slice(0, 160),
  }));
}

function isWrong(one: ClassifiedCase): boolean {
  if (one.is === 'outside') return !isRerun(one);
  return one.is === 'person' ? one.found !== 'person' : isRerun(one) || one.found === 'person';
}
