import { realpath, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';
import { createPlanFolders } from '../adapters/plan-folders/create-plan-folders.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { StructuredPlan } from '../core/model/structured-plan.ts';
import type { PlanChange } from '../pipeline/execution/plan-execution.ts';
import { beginPlanRun, type OpenPlanRunRecord, resumePlanRun } from '../pipeline/execution/plan-journal.ts';
import { type LocalPlanEnd, type LocalPlanParts, runLocalPlan } from '../pipeline/execution/run-local-plan.ts';
import { type LocalUndoEnd, undoLocalPlan } from '../pipeline/execution/undo-local-plan.ts';
import type { AskPerson } from '../ports/ask-person.ts';
import type { RunFiles } from '../ports/plan-folders.ts';
import type { HeldLock } from '../system/hold-lock.ts';
import { openPlanPlaces, type PlanPlaces } from './plan-places.ts';
import { openPlanState, type PlanState } from './plan-state.ts';

/** Everything that `ratchet plan run` and `ratchet plan undo` run on. */
export interface PlanGround {
  /** The folder with its links resolved. @throws ConfigError if a run cannot work on it. */
  readonly findFolder: (dir: string) => Promise<string>;
  /** Why commands cannot be run here, and what to do; null: they can. */
  readonly findTrouble: (signal: AbortSignal) => Promise<string | null>;
  readonly begin: (plan: StructuredPlan, folder: string) => Promise<LocalRun>;
  /** Takes over a run that was stopped or killed. A plan and a folder that are given must be those of the run. Else: why not. */
  readonly resume: (
    runId: string,
    given: { readonly plan: StructuredPlan | null; readonly dir: string | null },
  ) => Promise<LocalRun | string>;
  readonly run: (run: LocalRun, watch: (change: PlanChange) => void, signal: AbortSignal) => Promise<LocalPlanEnd>;
  /** A text: why not. */
  readonly undo: (runId: string, signal: AbortSignal) => Promise<LocalUndoEnd | string>;
  readonly close: () => Promise<void>;
}

/** A run that this process holds. */
export interface LocalRun {
  readonly runId: string;
  readonly plan: StructuredPlan;
  readonly folder: string;
  readonly copy: string;
  readonly isSandboxed: boolean;
  readonly files: RunFiles;
  /** null: its steps have ended. */
  readonly record: OpenPlanRunRecord | null;
}

export interface PlanGroundInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the current folder. */
  readonly folder: string;
  readonly isRoot: boolean;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly migrationsDir: string;
  readonly isSandboxed: boolean;
  readonly ask: AskPerson;
}

const MAX_CONCURRENT = 8;
const MAX_KNOWN_COSTS = 50;
const DAY_MS = 24 * 60 * 60_000;
const KEPT_RUNS = 50;
const KEPT_MS = 30 * DAY_MS;
const KEPT_ROWS_MS = 90 * DAY_MS;
const PRUNED_AT_ONCE = 100;
/** The `place` of a stored run. */
const SANDBOX = 'sandbox';
const MACHINE = 'machine';

/** @throws ConfigError if the state folder cannot be used. */
export async function openPlanGround(input: PlanGroundInput): Promise<PlanGround> {
  const state = await openPlanState(input);
  const places = openPlanPlaces({ ...input, state });
  const folders = createPlanFolders();
  const held: HeldLock[] = [];
  const clock = { now: () => Date.now() };
  const journalDeps = { store: state.store, clock, newId: state.newId };

  function hold(runId: string): boolean {
    const lock = state.holdRun(runId);
    if (lock !== null) held.push(lock);
    return lock !== null;
  }

  async function toParts({ folder, files }: { readonly folder: string; readonly files: RunFiles }): Promise<LocalPlanParts> {
    return {
      ...{ folder, folders, files, registry: places.registry },
      openPlace: (root) => places.open(root, files.blobs),
      execution: {
        clock,
        maxConcurrent: Math.min(MAX_CONCURRENT, Math.max(2, availableParallelism())),
        costsOf: (actionType) => state.store.planStepCosts(folder, actionType, MAX_KNOWN_COSTS),
      },
    };
  }

  return {
    findFolder: async (dir) => findFolder(resolve(input.folder, dir), state),
    findTrouble: places.findTrouble,
    begin: async (plan, folder) => {
      await removeOldRuns(state);
      const place = input.isSandboxed ? SANDBOX : MACHINE;
      const record = await beginPlanRun(journalDeps, { plan, owner: folder, place });
      if (!hold(record.run.id)) throw new ConfigError(['a new run is held by another process']);
      const files = await state.runs.open(record.run.id, 'run');
      return { runId: record.run.id, plan, folder, copy: files.copy, files, record, isSandboxed: input.isSandboxed };
    },
    resume: async (runId, given) => {
      const run = state.store.planRun(runId);
      if (run === null || run.status === 'archived') return toUnknown(runId);
      const problem = findDifference(run, { ...given, ...input });
      if (problem !== null) return problem;
      if (!hold(runId)) return `run ${runId} is at work in another process`;
      const files = await state.runs.open(runId, 'run');
      const isSandboxed = run.place === SANDBOX;
      const local = { runId, plan: run.plan, folder: run.owner, copy: files.copy, files, isSandboxed };
      if (run.endedAt !== null) return { ...local, record: null };
      const resumed = await resumePlanRun(journalDeps, runId, { isDead: true });
      return resumed.kind === 'resumed' ? { ...local, record: resumed } : toUnknown(runId);
    },
    run: async (run, watch, signal) => {
      const parts = await toParts(run);
      const { record, plan, runId } = run;
      const read = (): { readonly run: ReturnType<typeof require>; readonly steps: ReturnType<typeof state.store.planSteps> } => ({
        run: require(state, runId),
        steps: state.store.planSteps(runId),
      });
      let isClosed = false;
      const journal =
        record === null
          ? null
          : {
              ...record.journal,
              close: async (isWhole: boolean) => {
                isClosed = true;
                await record.journal.close(isWhole);
              },
            };
      try {
        return await runLocalPlan({ ...parts, execution: { ...parts.execution, watch } }, { plan, journal, read }, signal);
      } finally {
        if (!isClosed) await journal?.close(false);
      }
    },
    undo: async (runId, signal) => {
      const run = state.store.planRun(runId);
      if (run === null) return toUnknown(runId);
      if (run.endedAt === null) {
        return `run ${runId} has not ended, and wrote nothing yet; end it with: ratchet plan run --resume ${runId}`;
      }
      if (!hold(runId)) return `run ${runId} is at work in another process`;
      const files = await state.runs.open(runId, 'undo');
      const ofRun = await state.runs.open(runId, 'run');
      const parts = await toParts({ folder: run.owner, files });
      return undoLocalPlan(parts, { steps: state.store.planSteps(runId), ofRun }, signal);
    },
    close: async () => {
      await places.close();
      for (const lock of held) lock.release();
      state.close();
    },
  };
}

function toUnknown(runId: string): string {
  return `there is no run ${JSON.stringify(runId)}; it is the id that \`ratchet plan run\` printed, and old runs are removed`;
}
