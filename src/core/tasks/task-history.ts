import type { Task, TaskFinding, TaskStatus } from '../model/task.ts';

/** A task that planning knows of: of this run, or of an earlier one of the same pull request or repository. */
export interface KnownTask
  extends Pick<
    Task,
    'fingerprint' | 'tool' | 'taskType' | 'worker' | 'status' | 'cause' | 'findings' | 'targets' | 'retryPolicy'
  > {
  /** How many attempts were made at it. */
  readonly attempts: number;
  /** Whether it is a task of this run. */
  readonly isOfRun: boolean;
  /** Commit of the base that its run compared with, or the commit itself where there is no base. */
  readonly base: string;
}

const OPEN: readonly TaskStatus[] = ['queued', 'running'];

export function isOpen({ isOfRun, status }: KnownTask): boolean {
  return isOfRun && OPEN.includes(status);
}

/**
 * Whether a task keeps its findings from being planned: it is worked on, or it is blocked and nothing changed since. A task that
 * only waited for another one, of an earlier run, was never tried.
 */
export function isHolding(task: KnownTask, base: string): boolean {
  if (isOpen(task)) return true;
  // What a fixer could not do is for an agent.
  if (task.status !== 'blocked' || task.worker === 'fixer') return false;
  return task.isOfRun || (task.base === base && task.cause !== 'DEPENDENCY');
}

/** Fingerprints of the findings that must not be planned again. */
export function toHeldFindings(known: readonly KnownTask[], base: string): ReadonlySet<string> {
  return new Set(known.filter((task) => isHolding(task, base)).flatMap(({ findings }) => findings));
}

/**
 * Queued tasks of the run, all findings of which are gone although their engine looked at everything (`isComplete` by tool): they
 * are abandoned (GONE). What CI said is not asked again here, so it is never gone.
 */
export function findGone(
  known: readonly KnownTask[],
  findings: readonly TaskFinding[],
  isComplete: (tool: string) => boolean,
): readonly string[] {
  const present = new Set(findings.map(({ fingerprint }) => fingerprint));
  return known
    .filter(({ isOfRun, status, tool }) => isOfRun && status === 'queued' && isComplete(tool))
    .filter(({ findings: own }) => !own.some((fingerprint) => present.has(fingerprint)))
    .map(({ fingerprint }) => fingerprint)
    .toSorted();
}
