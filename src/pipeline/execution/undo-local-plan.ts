import { splitUndoChanges } from '../../core/execution/folder-changes.ts';
import { generateUndoPlan } from '../../core/execution/undo-plan.ts';
import type { FolderChange, FolderState } from '../../core/model/folder-state.ts';
import type { RunFiles, RunNotes } from '../../ports/plan-folders.ts';
import type { StoredPlanStep } from '../../ports/plan-run-store.ts';
import type { Workplace } from '../../ports/workplace.ts';
import { executePlan } from './execute-plan.ts';
import { createExecutionToolRegistry } from './execution-tool-registry.ts';
import type { LocalPlanParts } from './run-local-plan.ts';
import { type CopyEnd, runOnCopy } from './run-on-copy.ts';
import { createUndoAdapter } from './undo-action.ts';

export type LocalUndoEnd = CopyEnd | { readonly kind: 'nothing' };

/**
 * Undoes what a run did to a person's folder (004.R16): the generated plan runs on a copy of the folder as it is now. What
 * somebody changed since is kept. `files` are those of the undo, `ofRun` those of the run.
 */
export async function undoLocalPlan(
  parts: LocalPlanParts,
  run: { readonly steps: readonly StoredPlanStep[]; readonly ofRun: RunFiles },
  signal: AbortSignal,
): Promise<LocalUndoEnd> {
  const { files } = parts;
  const [before, made, end] = await Promise.all([
    run.ofRun.load('before'),
    run.ofRun.load('changes'),
    run.ofRun.load('end'),
  ]);
  if (before === null || made === null || end === null || end.written.length === 0) return { kind: 'nothing' };
  if (!(await isLeft(files))) return { kind: 'nothing' };
  const failures: string[] = [];
  const notes: string[] = [];
  const work = async (place: Workplace): Promise<'ended' | 'stopped'> => {
    const undone = await undoSteps(parts, run.steps, { place, signal });
    failures.push(...undone.failures);
    notes.push(...undone.notes);
    return signal.aborted ? 'stopped' : 'ended';
  };
  const choose = async (
    changes: readonly FolderChange[],
  ): Promise<{ readonly changes: readonly FolderChange[]; readonly notes: RunNotes }> =>
    toOurs(changes, { before, made, failures, notes });
  return runOnCopy({ ...parts, work, choose, mode: 'rest' }, signal);
}

/** Whether there is something to undo. An undo that kept something is begun anew, for it may be in nobody's way now. */
async function isLeft(files: RunFiles): Promise<boolean> {
  const [end, notes] = await Promise.all([files.load('end'), files.load('notes')]);
  if (end === null) {
    // A copy of an undo that never came to its changes is older than the folder.
    if ((await files.load('changes')) === null) await files.forget('before');
    return true;
  }
  if (end.conflicts.length === 0 && notes !== null && notes.kept.length === 0 && notes.isWhole) return false;
  for (const name of ['end', 'changes', 'notes', 'before'] as const) await files.forget(name);
  return true;
}

/** Returns what could not be undone, and what is left as it is, in sentences. */
async function undoSteps(
  { registry, execution }: LocalPlanParts,
  steps: readonly StoredPlanStep[],
  { place, signal }: { readonly place: Workplace; readonly signal: AbortSignal },
): Promise<{ readonly failures: readonly string[]; readonly notes: readonly string[] }> {
  const executed = steps.flatMap(({ sequence, ...step }) => (sequence === null ? [] : [{ ...step, sequence }]));
  const plan = generateUndoPlan(executed, null);
  if (plan === null || plan.steps.length === 0) return { failures: [], notes: [] };
  const undoing = createExecutionToolRegistry([createUndoAdapter(registry)]);
  const { results } = await executePlan(plan, { ...execution, registry: undoing, place, signal, journal: null });
  const failures = plan.steps.flatMap(({ step_id, description }) => {
    const result = results.get(String(step_id));
    return result?.state === 'completed' ? [] : [`${description}: ${result?.cause?.message ?? 'it did not run'}`];
  });
  const notes = [...results.values()].flatMap(({ state, output }) =>
    state === 'completed' && output !== '' ? [output] : [],
  );
  return { failures, notes };
}

function toOurs(
  changes: readonly FolderChange[],
  {
    failures,
    notes,
    ...run
  }: {
    readonly before: FolderState;
    readonly made: readonly FolderChange[];
    readonly failures: readonly string[];
    readonly notes: readonly string[];
  },
): { readonly changes: readonly FolderChange[]; readonly notes: RunNotes } {
  const { ours, theirs } = splitUndoChanges(changes, run);
  const kept = theirs.map(({ path }) => Buffer.from(path, 'latin1').toString('utf8')).toSorted();
  return { changes: ours, notes: { kept, remarks: [...failures, ...notes], isWhole: failures.length === 0 } };
}
