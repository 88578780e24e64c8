import type { StepResult } from '../model/plan-run.ts';
import type { StructuredStep } from '../model/structured-plan.ts';

/** A step that an earlier process has started or ended. */
export interface LeftStep {
  readonly key: string;
  /** null: it has not ended. */
  readonly result: Pick<StepResult, 'state' | 'cause'> | null;
  /** While it was at work, the starts with these numbers were made: its own, and the last one before its end. 0: it never started. */
  readonly starts: { readonly first: number; readonly last: number };
  /** Whether its undo restores the whole place as it was at its start. */
  readonly restoresPlace: boolean;
}

/**
 * Splits what an earlier process left of a run: steps that stay as they ended, and steps that are undone and judged anew, newest
 * start first. A step that was stopped runs again; so does one whose work the undo of another one takes back, because it started or
 * was at work after that one had started. A step that was skipped because of another one is judged anew.
 */
export function splitLeft<Step extends LeftStep>(
  left: readonly Step[],
): { readonly kept: readonly Step[]; readonly again: readonly Step[] } {
  let [kept, again] = split(left, ({ result }) => result !== null && isFinal(result));
  for (;;) {
    const since = Math.min(...again.flatMap(({ starts, restoresPlace }) => (restoresPlace ? [starts.first] : [])));
    const [stay, lost] = split(kept, ({ starts }) => starts.last < since);
    if (lost.length === 0) break;
    kept = stay;
    again = [...again, ...lost];
  }
  return { kept, again: again.toSorted((a, b) => b.starts.first - a.starts.first) };
}

/** Whether a step has failed so that it undoes its run. A process that ended may have left that half done. */
export function undoesRun(
  { step_id, rollback_on_fail }: Pick<StructuredStep, 'step_id' | 'rollback_on_fail'>,
  { state, cause }: Pick<StepResult, 'state' | 'cause'>,
): boolean {
  if (!rollback_on_fail) return false;
  return state === 'failed' ? cause?.code !== 'CANCELLED' : state === 'rollback_failed' && cause?.step === step_id;
}

function isFinal({ state, cause }: Pick<StepResult, 'state' | 'cause'>): boolean {
  return state === 'skipped' ? cause?.code === 'BUDGET' : cause?.code !== 'CANCELLED';
}

function split<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
