import type { EpochMs } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { TaskFinding } from '../model/task.ts';

/** What a checkpoint of a run saw, after it collected everything again. */
export interface Checkpoint {
  readonly findings: readonly Pick<TaskFinding, 'fingerprint' | 'severity'>[];
  /** Name of the tree with all changes so far. */
  readonly tree: string;
  /** Lines that all changes so far inserted and deleted, each counted. */
  readonly changedLines: number;
  /** Lines that differ between the beginning and now. */
  readonly netLines: number;
}

/** Why a run stops before its tasks are done. Stable names. */
export const STOP_CAUSES = ['NO_REDUCTION', 'FINDINGS_REPEAT', 'DIFFS_CHURN'] as const;
export type StopCause = (typeof STOP_CAUSES)[number];

/** So many checkpoints in a row may bring nothing. */
const MAX_FRUITLESS = 2;
/** Fewer changed lines are no sign of anything. */
const MIN_CHURN = 100;
const CHURN_FACTOR = 3;

/**
 * Why a run should stop, from its checkpoints, oldest first, the first of which is the beginning; null: it goes on. Fewer blockers are
 * a reduction even if more findings show: a file that did not load hid them.
 */
export function findStopCause(checkpoints: readonly Checkpoint[]): StopCause | null {
  const last = checkpoints.at(-1);
  if (last === undefined || last.findings.length === 0) return null;
  const earlier = checkpoints.slice(0, -1);
  // What did not change since the checkpoint before is no repetition.
  const previous = earlier.at(-1);
  const comesBack = (toKey: (checkpoint: Checkpoint) => string): boolean =>
    previous !== undefined && toKey(previous) !== toKey(last) && earlier.some((each) => toKey(each) === toKey(last));
  if (comesBack(({ tree }) => tree)) return 'DIFFS_CHURN';
  if (comesBack(toFindingsKey)) return 'FINDINGS_REPEAT';
  if (last.changedLines >= MIN_CHURN && last.changedLines > CHURN_FACTOR * last.netLines) return 'DIFFS_CHURN';
  return countFruitless(checkpoints) >= MAX_FRUITLESS ? 'NO_REDUCTION' : null;
}

function toFindingsKey({ findings }: Checkpoint): string {
  return JSON.stringify(findings.map(({ fingerprint }) => fingerprint).toSorted());
}

/** Checkpoints since the last one that was better than all before it. */
function countFruitless(checkpoints: readonly Checkpoint[]): number {
  let best: Checkpoint | null = null;
  let fruitless = 0;
  for (const checkpoint of checkpoints) {
    const isBetter: boolean = best === null || isLess(checkpoint, best);
    if (isBetter) best = checkpoint;
    fruitless = isBetter ? 0 : fruitless + 1;
  }
  return fruitless;
}

function isLess(left: Checkpoint, right: Checkpoint): boolean {
  const [leftBlockers, rightBlockers] = [countBlockers(left), countBlockers(right)];
  return leftBlockers === rightBlockers ? left.findings.length < right.findings.length : leftBlockers < rightBlockers;
}

function countBlockers({ findings }: Checkpoint): number {
  return findings.filter(({ severity }) => severity === 'blocker').length;
}

/** Whether everything is to be collected again: after so many succeeded tasks or so many minutes, whichever comes first (001.R24). */
export function isCheckpointDue(
  since: { readonly succeeded: number; readonly at: EpochMs },
  now: EpochMs,
  { checkpointTasks, checkpointMinutes }: Pick<Policy['tasks'], 'checkpointTasks' | 'checkpointMinutes'>,
): boolean {
  return since.succeeded >= checkpointTasks || now - since.at >= checkpointMinutes * MINUTE_MS;
}

const MINUTE_MS = 60_000;
