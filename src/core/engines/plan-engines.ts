import { DEFAULT_ENGINE_SETTINGS } from '../model/default-policy.ts';
import type {
  EngineConfigError,
  EngineMode,
  EnginePlan,
  EngineSpec,
  ModeRequest,
  SkippedEngine,
} from '../model/engine.ts';
import type { DedupDecision } from '../model/engine-report.ts';
import type { EngineSettings } from '../model/policy.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { type CanonicalScope, toCanonicalScope } from './canonical-scope.ts';

import { type PlannedScope, type ProjectToPlan, planEngine } from './plan-engine.ts';

/** Everything that planning depends on; it reads nothing else. */
export interface PlanRequest {
  /** Absolute path of the repository, for absolute paths in settings; left out: it is not known, and those lead outside. */
  readonly root?: string;
  /** In any order, each id once. */
  readonly specs: readonly EngineSpec[];
  /** By id; a missing id has the default settings. */
  readonly settings: Readonly<Record<string, EngineSettings>>;
  readonly request: ModeRequest;
  /** null: not given, or unknown. An empty list counts as given. */
  readonly scope: { readonly cli: readonly string[] | null; readonly env: readonly string[] | null };
  /** Configuration file by id. */
  readonly configs: {
    readonly cli: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Canonical paths of the repository. */
  readonly files: readonly string[];
  /** `missing`: a dependency that the repository needs is not installed. A repository without dependencies is `ready`. */
  readonly dependencies: 'ready' | 'missing';
  /** Folders below the root whose dependencies are missing; left out: none. */
  readonly lacking?: readonly string[];
  /** The projects of each engine by id, in any order, each once. An engine without an entry looks at the root. */
  readonly projects?: Readonly<Record<string, readonly ProjectToPlan[]>>;
}

/** An engine and its plans to run in one project, `current` before `target`. */
export interface EngineToRun {
  readonly spec: EngineSpec;
  readonly project: string;
  readonly plans: readonly EnginePlan[];
}

/** Every list is sorted by engine, then project, then `current` before `target`. */
export interface PlannedEngines {
  /** One for each engine, project and requested mode. A plan that does not run is not `enabled`. */
  readonly plans: readonly EnginePlan[];
  readonly scopes: readonly PlannedScope[];
  readonly dedup: readonly DedupDecision[];
  readonly toRun: readonly EngineToRun[];
  readonly configErrors: readonly EngineConfigError[];
  /** Engines and projects without a plan to run, for a reason other than a configuration error. */
  readonly skipped: readonly SkippedEngine[];
}

const MODES: Readonly<Record<ModeRequest, readonly EngineMode[]>> = {
  current: ['current'],
  target: ['target'],
  both: ['current', 'target'],
};

/** The project of an engine of which nothing is known. */
const WHOLE: readonly ProjectToPlan[] = [{ project: ROOT_PROJECT, hasOwnScope: false }];

/**
 * Plans each engine in each of its projects and in each requested mode. Settings, errors and files of one engine never affect another.
 * Three similar cases differ. A source that gives no scope falls through to the next source. A setting with an empty list is an
 * error and switches the engine off. A scope without files for the engine leaves nothing to do: that plan is not enabled, and an
 * engine without an enabled plan is skipped. So an enabled plan always has targets.
 * If both modes are requested, equal plans run once, as TARGET; of unequal plans the enabled ones run. If CURRENT has no targets,
 * TARGET runs alone and is reported as `target`: none of its findings lies in CURRENT's scope.
 */
export function planEngines(request: PlanRequest): PlannedEngines {
  const { files, dependencies, lacking = [], configs, root = null } = request;
  const modes = MODES[request.request];
  const toSource = (paths: readonly string[] | null): CanonicalScope | null =>
    paths === null ? null : toCanonicalScope(paths, root);
  const cli = toSource(request.scope.cli);
  const env = toSource(request.scope.env);
  const engines = request.specs.toSorted(compareIds).map((spec) => {
    const settings = takeOwn(request.settings, spec.id) ?? DEFAULT_ENGINE_SETTINGS;
    const config = { cli: takeOwn(configs.cli, spec.id), env: takeOwn(configs.env, spec.id), policy: settings.config };
    const scope = { cli, env, config: toSource(settings.paths) };
    const projects = (takeOwn(request.projects ?? {}, spec.id) ?? WHOLE).toSorted(compareProjects);
    return planEngine({ root, spec, settings, modes, scope, config, files, dependencies, lacking, projects });
  });
  const planned = engines.flatMap(({ spec, projects }) => projects.map((project) => ({ spec, ...project })));
  return {
    plans: planned.flatMap(({ plans }) => plans),
    scopes: planned.flatMap(({ scopes }) => scopes),
    dedup: planned.map(({ spec, project, toRun }) => ({ engine: spec.id, project, ran: toRan(toRun) })),
    toRun: planned.flatMap(({ spec, project, toRun }) => (toRun.length === 0 ? [] : [{ spec, project, plans: toRun }])),
    configErrors: engines.flatMap(({ configErrors }) => configErrors),
    skipped: planned.flatMap(({ spec, project, skipped }) =>
      skipped === null ? [] : [{ engine: spec.id, project, why: skipped }],
    ),
  };
}

function toRan(toRun: readonly EnginePlan[]): DedupDecision['ran'] {
  return toRun.length > 1 ? 'both' : (toRun[0]?.mode ?? 'none');
}

/** Reads own keys only: the id of an engine may equal an inherited property of every object. */
function takeOwn<Value>(record: Readonly<Record<string, Value>>, id: string): Value | null {
  return Object.entries(record).find(([key]) => key === id)?.[1] ?? null;
}

function compareProjects({ project: left }: ProjectToPlan, { project: right }: ProjectToPlan): number {
  return left < right ? -1 : 1;
}

function compareIds({ id: left }: EngineSpec, { id: right }: EngineSpec): number {
  return left < right ? -1 : 1;
}
