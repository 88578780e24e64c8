import { realpath, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';
import { createPlanFolders } from '../adapters/plan-folders/create-plan-folders.ts';
import { ConfigError, InvariantError } from '../core/model/errors.ts';
import type { StructuredPlan } from '../core/model/structured-plan.ts';
import type { PlanChange } from '../pipeline/execution/plan-execution.ts';
import {
  beginPlanRun,
  type JournalDeps,
  type OpenPlanRunRecord,
  type PlanJournal,
  resumePlanRun,
} from '../pipeline/execution/plan-journal.ts';
import {
  type HeldRun,
  type LocalPlanEnd,
  type LocalPlanParts,
  runLocalPlan,
} from '../pipeline/execution/run-local-plan.ts';
import { type LocalUndoEnd, undoLocalPlan } from '../pipeline/execution/undo-local-plan.ts';
import type { AskPerson } from '../ports/ask-person.ts';
import type { RunFiles } from '../ports/plan-folders.ts';
import type { StoredPlanRun } from '../ports/plan-run-store.ts';
import type { HeldLock } from '../system/hold-lock.ts';
import { openPlanPlaces, type PlanPlaces } from './plan-places.ts';
import { openPlanState, type PlanState } from './plan-state.ts';
import { removeOldRuns } from './remove-old-runs.ts';

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
  /** `browser-program.mjs`. */
  readonly browserProgram: string;
}

const MAX_CONCURRENT = 8;
const MAX_KNOWN_COSTS = 50;
const CLOCK = { now: () => Date.now() };
/** For durations: people and time servers set the other one. */
const STEADY_CLOCK = { now: () => Math.round(performance.now()) };

interface Opened {
  readonly input: PlanGroundInput;
  readonly state: PlanState;
  readonly places: PlanPlaces;
  readonly journal: JournalDeps;
  /** False: another process has the run. */
  readonly hold: (runId: string) => boolean;
}

/** @throws ConfigError if the state folder cannot be used. */
export async function openPlanGround(input: PlanGroundInput): Promise<PlanGround> {
  const state = await openPlanState(input);
  const places = openPlanPlaces({ ...input, state });
  const held: HeldLock[] = [];
  const hold = (runId: string): boolean => {
    const lock = state.holdRun(runId);
    if (lock !== null) held.push(lock);
    return lock !== null;
  };
  const opened = { input, state, places, hold, journal: { store: state.store, clock: CLOCK, newId: state.newId } };
  return {
    findFolder: async (dir) => findFolder(resolve(input.folder, dir), state),
    findTrouble: places.findTrouble,
    begin: async (plan, folder) => begin(opened, plan, folder),
    resume: async (runId, given) => resume(opened, runId, given),
    run: async (run, watch, signal) => carryOut(opened, { run, watch }, signal),
    undo: async (runId, signal) => undo(opened, runId, signal),
    close: async () => {
      await places.close();
      for (const lock of held) lock.release();
      state.close();
    },
  };
}

async function begin({ input, state, journal, hold }: Opened, plan: StructuredPlan, folder: string): Promise<LocalRun> {
  await removeOldRuns(state);
  const { isSandboxed } = input;
  const record = await beginPlanRun(journal, { plan, owner: folder, place: toPlace(isSandboxed) });
  const runId = record.run.id;
  if (!hold(runId)) throw new InvariantError('a new run is held by another process');
  const files = await state.runs.open(runId, 'run');
  return { runId, plan, folder, copy: files.copy, files, record, isSandboxed };
}

async function resume(
  { input, state, journal, hold }: Opened,
  runId: string,
  given: Parameters<PlanGround['resume']>[1],
): Promise<LocalRun | string> {
  const run = state.store.planRun(runId);
  if (run === null || run.status === 'archived' || !(await state.runs.has(runId))) return toUnknown(runId);
  const problem = await findDifference(run, { given, input });
  if (problem !== null) return problem;
  if (!hold(runId)) return toBusy(runId);
  // What it did is not in the folder any more, so it must not be told of again.
  const undone = await (await state.runs.open(runId, 'undo')).load('changes');
  if (undone !== null) return `run ${runId} was undone; run its plan again to have its changes`;
  const files = await state.runs.open(runId, 'run');
  const local = { runId, plan: run.plan, folder: run.owner, copy: files.copy, files, isSandboxed: input.isSandboxed };
  if (run.endedAt !== null) return { ...local, record: null };
  const resumed = await resumePlanRun(journal, runId, { isHolderDead: true });
  return resumed.kind === 'resumed' ? { ...local, record: resumed } : toUnknown(runId);
}

async function carryOut(
  opened: Opened,
  { run, watch }: { readonly run: LocalRun; readonly watch: (change: PlanChange) => void },
  signal: AbortSignal,
): Promise<LocalPlanEnd> {
  const parts = toParts(opened, run);
  const { record, plan, runId } = run;
  const read: HeldRun['read'] = () => ({
    run: readRun(opened.state, runId),
    steps: opened.state.store.planSteps(runId),
  });
  const journal = record === null ? null : closeOnce(record.journal);
  try {
    const watched = { ...parts, execution: { ...parts.execution, watch } };
    return await runLocalPlan(watched, { plan, journal, read }, signal);
  } finally {
    await journal?.close(false);
  }
}

async function undo(opened: Opened, runId: string, signal: AbortSignal): Promise<LocalUndoEnd | string> {
  const { state, hold } = opened;
  const run = state.store.planRun(runId);
  if (run === null || !(await state.runs.has(runId))) return toUnknown(runId);
  if (!hold(runId)) return toBusy(runId);
  const ofRun = await state.runs.open(runId, 'run');
  if (run.endedAt === null || (await ofRun.load('end')) === null) {
    return `run ${runId} has not ended; end it first with: ratchet plan run --resume ${runId}`;
  }
  const files = await state.runs.open(runId, 'undo');
  const parts = toParts(opened, { runId, folder: run.owner, files });
  return undoLocalPlan(parts, { steps: state.store.planSteps(runId), ofRun }, signal);
}

function toParts(
  { state, places }: Opened,
  { runId, folder, files }: Pick<LocalRun, 'runId' | 'folder' | 'files'>,
): LocalPlanParts {
  return {
    ...{ folder, folders: createPlanFolders(), files, registry: places.registry(files) },
    openPlace: (root) => places.open(root, { blobs: files.blobs, runId, folder }),
    execution: {
      clock: STEADY_CLOCK,
      maxConcurrent: Math.min(MAX_CONCURRENT, Math.max(2, availableParallelism())),
      costsOf: (actionType) => state.store.planStepCosts(folder, actionType, MAX_KNOWN_COSTS),
    },
  };
}

/** The executor closes it unless it fails. */
function closeOnce(journal: PlanJournal): PlanJournal {
  let isClosed = false;
  return {
    ...journal,
    close: async (isWhole) => {
      if (isClosed) return;
      isClosed = true;
      await journal.close(isWhole);
    },
  };
}

function readRun({ store }: PlanState, runId: string): StoredPlanRun {
  const run = store.planRun(runId);
  if (run === null) throw new InvariantError('a run that is held is gone');
  return run;
}

function toPlace(isSandboxed: boolean): string {
  return isSandboxed ? 'sandbox' : 'machine';
}

function toBusy(runId: string): string {
  return `run ${runId} is at work in another process`;
}

function toUnknown(runId: string): string {
  return `there is no run ${JSON.stringify(runId)}; it is the id that \`ratchet plan run\` printed, and old runs are removed`;
}

/** Why a run cannot be resumed with what was typed; null: it can. */
async function findDifference(
  run: StoredPlanRun,
  {
    given: { plan, dir },
    input,
  }: {
    readonly given: { readonly plan: StructuredPlan | null; readonly dir: string | null };
    readonly input: Pick<PlanGroundInput, 'folder' | 'isSandboxed'>;
  },
): Promise<string | null> {
  if (plan !== null && JSON.stringify(plan.steps) !== JSON.stringify(run.plan.steps)) {
    return `run ${run.id} is of another plan; leave the file out to go on with its own`;
  }
  const folder = dir === null ? run.owner : await realpath(resolve(input.folder, dir)).catch(() => null);
  if (folder !== run.owner) return `run ${run.id} works on ${run.owner}, not on ${String(dir)}`;
  if (run.place === toPlace(input.isSandboxed)) return null;
  return input.isSandboxed
    ? `run ${run.id} began without a sandbox; go on with it with --unsandboxed`
    : `run ${run.id} began in a sandbox; go on with it without --unsandboxed`;
}

/** The folder that a run works on. @throws ConfigError if there is none, or the state of runs lies in it or around it. */
async function findFolder(typed: string, state: PlanState): Promise<string> {
  const folder = await realpath(typed).catch(() => null);
  if (folder === null || !(await stat(folder)).isDirectory()) throw new ConfigError([`--dir: ${typed} is no folder`]);
  for (const own of [state.folder, state.copies]) {
    const isApart =
      !`${own}${sep}`.startsWith(folder === sep ? sep : `${folder}${sep}`) &&
      !`${folder}${sep}`.startsWith(`${own}${sep}`);
    if (!isApart) {
      throw new ConfigError([
        `--dir: ${folder} and ${own}, where runs are kept, contain each other: name a smaller folder, or set XDG_STATE_HOME`,
      ]);
    }
  }
  return folder;
}
