import { toRunStats } from '../../core/execution/run-stats.ts';
import type { FolderChange } from '../../core/model/folder-state.ts';
import type { ExecutionResult, StepResult } from '../../core/model/plan-run.ts';
import type { StructuredPlan } from '../../core/model/structured-plan.ts';
import type { ExecutionToolRegistry } from '../../ports/execution.ts';
import type { PlanFolders, RunFiles, RunNotes } from '../../ports/plan-folders.ts';
import type { StoredPlanRun, StoredPlanStep } from '../../ports/plan-run-store.ts';
import type { Workplace } from '../../ports/workplace.ts';
import { executePlan } from './execute-plan.ts';
import type { PlanExecution } from './plan-execution.ts';
import type { PlanJournal } from './plan-journal.ts';
import { type CopyEnd, type CopyWork, runOnCopy } from './run-on-copy.ts';

/** What a local run works with. */
export interface LocalPlanParts {
  /** The person's folder: absolute, links resolved. */
  readonly folder: string;
  readonly folders: PlanFolders;
  readonly files: RunFiles;
  readonly openPlace: CopyWork['openPlace'];
  readonly registry: ExecutionToolRegistry<Workplace>;
  readonly execution: Omit<PlanExecution<Workplace>, 'registry' | 'place' | 'journal' | 'signal'>;
}

/** A run of this machine that this process holds. */
export interface HeldRun {
  readonly plan: StructuredPlan;
  /** null: its steps have ended. */
  readonly journal: PlanJournal | null;
  /** As it is stored now. */
  readonly read: () => { readonly run: StoredPlanRun; readonly steps: readonly StoredPlanStep[] };
}

export type LocalPlanEnd = { readonly result: ExecutionResult } & CopyEnd;

const NOTHING_TO_SAY: RunNotes = { kept: [], remarks: [], isWhole: true };

/**
 * Runs a plan on a copy of a person's folder, and brings the changes back once all steps have ended. A run that was undone brings nothing
 * back: the folder is as it was. Goes on where an earlier process stopped.
 */
export async function runLocalPlan(parts: LocalPlanParts, held: HeldRun, signal: AbortSignal): Promise<LocalPlanEnd> {
  const executed: ExecutionResult[] = [];
  const work = async (place: Workplace): Promise<'ended' | 'stopped' | 'discarded'> => {
    const { registry, execution } = parts;
    const { journal, plan } = held;
    if (journal !== null) {
      executed.push(await executePlan(plan, { ...execution, registry, place, signal, journal }));
    }
    const { run, steps } = held.read();
    if (run.endedAt === null) return 'stopped';
    return steps.some(wasUndone) ? 'discarded' : 'ended';
  };
  const choose = async (
    changes: readonly FolderChange[],
  ): Promise<{ readonly changes: readonly FolderChange[]; readonly notes: RunNotes }> => ({
    changes,
    notes: NOTHING_TO_SAY,
  });
  const end = await runOnCopy({ ...parts, work, choose, mode: 'all-or-nothing' }, signal);
  return { ...end, result: executed[0] ?? toStoredResult(held) };
}

/** A run is undone as a whole: a step that fails may ask for that. */
function wasUndone({ result }: StoredPlanStep): boolean {
  return result?.state === 'rolled_back' || result?.state === 'rollback_failed' || result?.cause?.code === 'ROLLBACK';
}

/** What an earlier process found. */
function toStoredResult({ read }: HeldRun): ExecutionResult {
  const { run, steps } = read();
  const ended = steps.flatMap(({ key, result }) => (result === null ? [] : [[key, result] as const]));
  const results = new Map<string, StepResult>(ended);
  return { results, stats: toRunStats(results.values(), Math.max(0, (run.endedAt ?? run.startedAt) - run.startedAt)) };
}
