import type { EngineConfigError, EngineMode, EnginePlan, EngineSpec, SkippedEngine } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import { findTargets } from './find-targets.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { createPlan, isSamePlan } from './plan-hash.ts';
import { type ResolvedScope, resolveScope, type ScopeSource, type ScopeSources } from './resolve-scope.ts';
import { type ConfigSources, resolveSettings } from './resolve-settings.ts';

/** Everything that the plan of one engine depends on. */
export interface EngineRequest {
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  /** `current` before `target`. */
  readonly modes: readonly EngineMode[];
  readonly scope: ScopeSources;
  readonly config: ConfigSources;
  readonly files: readonly string[];
  readonly dependencies: 'ready' | 'missing';
}

/** Where the scope of a plan came from. */
export interface PlannedScope {
  readonly engine: string;
  readonly mode: EngineMode;
  readonly source: ScopeSource;
  /** Canonical, before it is narrowed to the engine's files. */
  readonly paths: readonly string[];
}

/** The plans of one engine. Lists have `current` before `target`. */
export interface PlannedEngine {
  readonly spec: EngineSpec;
  /** One for each mode. A plan that must not run is not `enabled` and has no targets. */
  readonly plans: readonly EnginePlan[];
  readonly scopes: readonly PlannedScope[];
  /** The members of `plans` to run. */
  readonly toRun: readonly EnginePlan[];
  readonly configErrors: readonly EngineConfigError[];
  /** Why no plan runs; null if one does, or if `configErrors` give the reason. */
  readonly skipped: SkippedEngine['why'] | null;
}

interface ModeScope {
  readonly mode: EngineMode;
  readonly resolved: ResolvedScope;
}

/** Plans one engine, independently of all others. */
export function planEngine(request: EngineRequest): PlannedEngine {
  const { spec, settings, modes, files } = request;
  const { errors, configPath, cwd } = resolveSettings(spec.id, { cwd: settings.cwd, config: request.config }, files);
  const scopes = modes.map((mode) => ({ mode, resolved: resolveScope(mode, request.scope) }));
  const configErrors = settings.enabled ? [...toScopeErrors(spec.id, scopes), ...errors] : [];
  const isUsable = settings.enabled && errors.length === 0;
  const applicable = isUsable ? files.filter(createGlobMatcher(spec.globs)) : [];
  const wanted = scopes.map(({ mode, resolved }) => {
    if (resolved.kind !== 'scope') return { mode, targets: [], scope: [] };
    const targets = findTargets({ targetMode: spec.targetMode, applicable, scope: resolved.paths, cwd });
    // The targets of a whole-project tool do not follow from the scope.
    return { mode, targets, scope: spec.targetMode === 'project' ? targets : resolved.paths };
  });
  const hasTargets = wanted.some(({ targets }) => targets.length > 0);
  const skipped = findSkip(request, { hasTargets, hasErrors: configErrors.length > 0 });
  const plans = wanted.map(({ mode, targets, scope }) => {
    const allowed = skipped === null ? targets : [];
    const inputs = {
      engine: spec.id,
      targets: allowed,
      configPath,
      args: settings.args,
      enabled: allowed.length > 0,
      profile: settings.profile,
      env: { ...spec.env, ...settings.env },
      cwd,
    };
    return createPlan(mode, inputs, scope);
  });
  return { spec, plans, scopes: toPlannedScopes(spec.id, scopes), toRun: chooseRuns(plans), configErrors, skipped };
}

/** Equal plans are one run, which counts as TARGET's. */
function chooseRuns(plans: readonly EnginePlan[]): readonly EnginePlan[] {
  const enabled = plans.filter((plan) => plan.enabled);
  const [first, second] = enabled;
  return first !== undefined && second !== undefined && isSamePlan(first, second) ? [second] : enabled;
}

function findSkip(
  { spec, settings, dependencies }: EngineRequest,
  { hasTargets, hasErrors }: { readonly hasTargets: boolean; readonly hasErrors: boolean },
): SkippedEngine['why'] | null {
  if (!settings.enabled) return 'disabled';
  if (hasTargets) return dependencies === 'missing' && needsDependencies(spec) ? 'dependencies_missing' : null;
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

function toPlannedScopes(engine: string, scopes: readonly ModeScope[]): readonly PlannedScope[] {
  return scopes.flatMap(({ mode, resolved }) =>
    resolved.kind === 'scope' ? [{ engine, mode, source: resolved.source, paths: resolved.paths }] : [],
  );
}
