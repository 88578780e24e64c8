import type { EngineConfigError, EngineMode, EnginePlan, EngineSpec, SkippedEngine } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { createScopeMatcher } from './canonical-scope.ts';
import { toOverlapError } from './exit-codes.ts';
import { findTargets } from './find-targets.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { createFindOwner, findInnerProjects } from './own-files.ts';
import { createPlan, isSamePlan } from './plan-hash.ts';
import { type ResolvedScope, resolveScope, type ScopeSource, type ScopeSources } from './resolve-scope.ts';
import { type ConfigSources, resolveSettings } from './resolve-settings.ts';
import { toDependencies } from './to-dependencies.ts';

/** A folder that an engine is planned for. */
export interface ProjectToPlan {
  /** Canonical. */
  readonly project: string;
  /** The tool has its own notion there of what to check (resolution S23). */
  readonly hasOwnScope: boolean;
  /** The tool has something to do there although no file in it is for the tool. Left out: it has not. */
  readonly reachesOut?: boolean;
}

/** Everything that the plans of one engine depend on. */
export interface EngineRequest {
  /** Absolute path of the repository; null: it is not known. */
  readonly root: string | null;
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  /** `current` before `target`. */
  readonly modes: readonly EngineMode[];
  readonly scope: ScopeSources;
  readonly config: ConfigSources;
  readonly files: readonly string[];
  readonly dependencies: 'ready' | 'missing';
  /** Folders below the root whose dependencies are missing. */
  readonly lacking: readonly string[];
  /** Sorted, each once, at least one. */
  readonly projects: readonly ProjectToPlan[];
}

/** Where the scope of a plan came from. */
export interface PlannedScope {
  readonly engine: string;
  readonly project: string;
  readonly mode: EngineMode;
  readonly source: ScopeSource;
  /** Canonical, before it is narrowed to the engine's files. */
  readonly paths: readonly string[];
}

/** The plans of one engine in one project. Lists have `current` before `target`. */
export interface PlannedProject {
  readonly project: string;
  /** One for each mode. A plan that must not run is not `enabled` and has no targets. */
  readonly plans: readonly EnginePlan[];
  readonly scopes: readonly PlannedScope[];
  /** The members of `plans` to run. */
  readonly toRun: readonly EnginePlan[];
  /** Why no plan runs; null if one does, or if `configErrors` give the reason. */
  readonly skipped: SkippedEngine['why'] | null;
}

/** The plans of one engine. */
export interface PlannedEngine {
  readonly spec: EngineSpec;
  /** Sorted by project. */
  readonly projects: readonly PlannedProject[];
  readonly configErrors: readonly EngineConfigError[];
}

interface ModeScope {
  readonly mode: EngineMode;
  readonly resolved: ResolvedScope;
}

/** What all projects of an engine share. */
interface Shared {
  readonly request: EngineRequest;
  readonly scopes: readonly ModeScope[];
  readonly configPath: string | null;
  readonly hasErrors: boolean;
}

/** One project, and what belongs to it. */
interface Own {
  readonly project: string;
  readonly cwd: string;
  /** Files for the engine that belong to no other project. */
  readonly applicable: readonly string[];
  /** The projects directly below. */
  readonly inner: readonly string[];
  readonly hasOwnScope: boolean;
  readonly reachesOut: boolean;
}

/**
 * Plans one engine in each of its projects, independently of all other engines. Each file belongs to one project. Projects that
 * do not lie in each other do not affect each other's plans.
 */
export function planEngine(request: EngineRequest): PlannedEngine {
  const { spec, settings, modes, files, projects, root } = request;
  const place = { cwd: settings.cwd, config: request.config, root };
  const { errors: misplaced, configPath, cwd } = resolveSettings(spec.id, place, files);
  const errors = [...toOverlapError(spec.id, settings), ...misplaced];
  const scopes = modes.map((mode) => ({ mode, resolved: resolveScope(mode, request.scope) }));
  const configErrors = settings.enabled ? [...toScopeErrors(spec.id, scopes), ...errors] : [];
  const applicable = settings.enabled && errors.length === 0 ? files.filter(createGlobMatcher(spec.globs)) : [];
  const names = projects.map(({ project }) => project);
  const byOwner = Map.groupBy(applicable, createFindOwner(names));
  const inner = findInnerProjects(names);
  const shared: Shared = { request, scopes, configPath, hasErrors: configErrors.length > 0 };
  return {
    spec,
    configErrors,
    projects: projects.map(({ project, hasOwnScope, reachesOut = false }) => {
      const own = { applicable: byOwner.get(project) ?? [], inner: inner.get(project) ?? [], hasOwnScope, reachesOut };
      // The folder that a person names counts for the root only: any other project is a folder already.
      return planProject(shared, { ...own, project, cwd: project === ROOT_PROJECT ? cwd : project });
    }),
  };
}

function planProject({ request, scopes, configPath, hasErrors }: Shared, own: Own): PlannedProject {
  const { spec, settings } = request;
  const { project, cwd } = own;
  const wanted = scopes.map(({ mode, resolved }) => ({ mode, ...toWanted(spec, resolved, own) }));
  const hasTargets = wanted.some(({ targets }) => targets.length > 0);
  const skipped = findSkip(request, { hasTargets, hasErrors, project });
  const plans = wanted.map(({ mode, targets, paths, usesToolScope }) => {
    const allowed = skipped === null ? targets : [];
    const inputs = {
      ...{ engine: spec.id, project, configPath, cwd },
      targets: allowed,
      args: settings.args,
      enabled: allowed.length > 0,
      profile: settings.profile,
      env: { ...spec.env, ...settings.env },
      excludes: toExcludes(spec, allowed, own),
    };
    return createPlan(mode, inputs, paths, usesToolScope);
  });
  return { project, plans, scopes: toPlannedScopes(spec.id, scopes, own), toRun: chooseRuns(plans), skipped };
}

interface Wanted {
  readonly targets: readonly string[];
  readonly paths: readonly string[];
  readonly usesToolScope: boolean;
}

function toWanted(spec: EngineSpec, resolved: ResolvedScope, own: Own): Wanted {
  if (resolved.kind !== 'scope') return { targets: [], paths: [], usesToolScope: false };
  const { targetMode } = spec;
  const { applicable, cwd, project, hasOwnScope, reachesOut } = own;
  const scope = toOwnScope(resolved, own);
  const usesToolScope = hasOwnScope && resolved.source === 'default';
  if (targetMode !== 'project') {
    const targets = hasNeeded(spec, applicable, scope) ? findTargets({ targetMode, applicable, scope, cwd }) : [];
    return { targets, paths: scope, usesToolScope };
  }
  // The scope of a whole-project tool only says whether a project below the root is meant at all.
  const isMeant = project === ROOT_PROJECT || scope.length > 0 || resolved.paths.length === 0;
  const found = reachesOut ? [cwd] : findTargets({ targetMode, applicable, scope, cwd });
  const targets = isMeant ? found : [];
  return { targets, paths: targets, usesToolScope };
}

/** Whether a scope holds something to do. */
function hasNeeded({ needs }: EngineSpec, applicable: readonly string[], scope: readonly string[]): boolean {
  if (needs === undefined) return true;
  return applicable.filter(createGlobMatcher(needs)).some(createScopeMatcher(scope));
}

/** The part of a scope in a project. Where nobody says anything, it is the folder that the engine runs in. */
function toOwnScope(
  { source, paths }: Extract<ResolvedScope, { readonly kind: 'scope' }>,
  { project, cwd }: Pick<Own, 'project' | 'cwd'>,
): readonly string[] {
  if (source === 'default') return [cwd];
  if (project === ROOT_PROJECT) return paths;
  if (createScopeMatcher(paths)(project)) return [project];
  return paths.filter(createScopeMatcher([project]));
}

/** Only a tool that gets folders finds files of other projects in them. */
function toExcludes({ targetMode }: EngineSpec, targets: readonly string[], { inner }: Own): readonly string[] {
  const takesFolders = targetMode === 'paths' || targetMode === 'project';
  return takesFolders ? inner.filter(createScopeMatcher(targets)) : [];
}

/** Equal plans are one run, which counts as TARGET's. */
function chooseRuns(plans: readonly EnginePlan[]): readonly EnginePlan[] {
  const enabled = plans.filter((plan) => plan.enabled);
  const [first, second] = enabled;
  return first !== undefined && second !== undefined && isSamePlan(first, second) ? [second] : enabled;
}

function findSkip(
  request: EngineRequest,
  {
    hasTargets,
    hasErrors,
    project,
  }: { readonly hasTargets: boolean; readonly hasErrors: boolean; readonly project: string },
): SkippedEngine['why'] | null {
  const { spec, settings } = request;
  if (!settings.enabled) return 'disabled';
  if (hasTargets) {
    return toDependencies(request, project) === 'missing' && needsDependencies(spec) ? 'dependencies_missing' : null;
  }
  return hasErrors ? null : 'no_applicable_files';
}

/** Without dependencies, a tool in `node_modules` does not exist, and tests would fail only for their imports. */
function needsDependencies({ kind, launchers }: EngineSpec): boolean {
  return kind === 'test' || kind === 'coverage' || launchers.every((launcher) => launcher.kind === 'node');
}

/** An error in the settings is the same in both modes and is reported once. */
function toScopeErrors(engine: string, scopes: readonly ModeScope[]): readonly EngineConfigError[] {
  const errors = scopes.flatMap(({ resolved }) => toScopeError(engine, resolved));
  return [...new Map(errors.map((error) => [error.message, error])).values()];
}

const PLACES: Readonly<Record<Exclude<ScopeSource, 'default'>, string>> = {
  cli: 'the paths that were asked for',
  env: 'RATCHET_PATHS of the environment',
  config: '"paths"',
};

/** The error of a scope that cannot be used, or none. */
export function toScopeError(engine: string, resolved: ResolvedScope): readonly EngineConfigError[] {
  if (resolved.kind === 'scope') return [];
  const place = PLACES[resolved.source];
  if (resolved.kind === 'invalid') {
    return [{ engine, code: 'INVALID_SETTING', message: `${place}: ${resolved.problems.join('; ')}` }];
  }
  return [{ engine, code: 'EMPTY_SCOPE', message: `${place}: an empty list, which switches the engine off` }];
}

function toPlannedScopes(engine: string, scopes: readonly ModeScope[], own: Own): readonly PlannedScope[] {
  return scopes.flatMap(({ mode, resolved }) =>
    resolved.kind === 'scope'
      ? [{ engine, project: own.project, mode, source: resolved.source, paths: toOwnScope(resolved, own) }]
      : [],
  );
}
