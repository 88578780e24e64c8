import type { CheckGround } from '../compose/compose-check.ts';
import { type PlannedFix, planFixes } from '../core/engines/plan-fixes.ts';
import type { EngineError, EngineMode, ModeRequest } from '../core/model/engine.ts';
import { toProjectKey } from '../core/model/project.ts';
import type { FixStory } from '../core/render/check-story.ts';
import { type FixRun, fixEngines } from '../pipeline/engines/fix-engines.ts';
import {
  type EnginesRequest,
  type PreparedEngines,
  prepareEngines,
  type RunEnginesDeps,
  runPrepared,
} from '../pipeline/engines/run-engines.ts';

export interface FixInput {
  readonly ground: CheckGround;
  readonly deps: RunEnginesDeps;
  readonly request: EnginesRequest;
  readonly prepared: PreparedEngines;
  /** Commit of the base, whose files are not fixed; null: none. */
  readonly base: string | null;
}

/** What the fixers did. Their failures belong into the report of the check that follows. */
export interface FixedCheckout {
  readonly fix: FixStory;
  readonly errors: readonly EngineError[];
}

/** Plans the fixers: for paths that a person asked for, else for everything that the engines look at. */
export async function planCheckoutFixes(
  { ground, request, prepared, base }: Omit<FixInput, 'deps'>,
  signal: AbortSignal,
): Promise<readonly PlannedFix[]> {
  const { repository, host } = ground;
  const changed = base === null ? null : (await repository.diffFrom(base, 0, signal)).changed;
  const files = [...(await repository.hashFiles(host.files)).keys()];
  return planFixes({ specs: prepared.specs, plans: prepared.report.plans, mode: toMode(request.mode), files, changed });
}

/** Runs the fixers of the engines that can answer, in place, and counts what these found before. */
export async function fixCheckout(input: FixInput, signal: AbortSignal): Promise<FixedCheckout> {
  const { ground, deps, request, prepared } = input;
  const { repository, host } = ground;
  const planned = await planCheckoutFixes(input, signal);
  const only = [...new Set(planned.map(({ spec }) => spec.id))];
  const mode = toMode(request.mode);
  const before = await runPrepared(deps, await prepareEngines(deps, { ...request, mode, only }), signal);
  const failed = new Set(before.engineErrors.map(toProjectKey));
  const hashes = await repository.hashFiles(host.files);
  const fixes = planned.filter(({ plan }) => !failed.has(toProjectKey(plan)));
  const ran = await fixEngines(deps, { fixes, settings: prepared.settings }, signal);
  const after = await repository.hashFiles(await repository.listFiles(signal));
  const paths = [...new Set([...hashes.keys(), ...after.keys()])].toSorted();
  const changed = paths.filter((path) => hashes.get(path) !== after.get(path));
  const count = ({ plan }: PlannedFix): number | null =>
    before.runs.find((run) => toProjectKey(run) === toProjectKey(plan) && run.complete)?.findings.length ?? null;
  return {
    fix: { changed, fixers: ran.map((run) => ({ ...toFixer(run), before: count(run.fix) })) },
    errors: ran.flatMap(({ error }) => (error === null ? [] : [error])),
  };
}

function toFixer({ fix: { plan }, argv, exitCode }: FixRun): Omit<FixStory['fixers'][number], 'before'> {
  const { engine, project, mode, targets } = plan;
  return { engine, project, mode, argv, exitCode, files: targets.length };
}

function toMode(mode: ModeRequest): EngineMode {
  return mode === 'target' ? 'target' : 'current';
}
