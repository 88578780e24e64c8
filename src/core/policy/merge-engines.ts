import { DEFAULT_ENGINE_SETTINGS, DEFAULT_ENGINES_POLICY, NO_PROJECTS } from '../model/default-policy.ts';
import type { EngineSettings, EnginesPolicy } from '../model/policy.ts';

/** The settings of one file about engines. It contains only what the file sets. */
export interface EnginesLayer extends Partial<Omit<EnginesPolicy, 'engines' | 'projects'>> {
  readonly projects?: Partial<NonNullable<EnginesPolicy['projects']>>;
  readonly engines?: Readonly<Record<string, Partial<EngineSettings>>>;
}

/**
 * Applies `layer` on top of `below`, key by key, also within each engine. Lists and maps replace those below. A `null`
 * layer switches all engines off; an undefined layer changes nothing.
 */
export function mergeEngines(
  below: EnginesPolicy | null,
  layer: EnginesLayer | null | undefined,
): EnginesPolicy | null {
  if (layer === undefined) return below;
  if (layer === null) return null;
  const base = below ?? DEFAULT_ENGINES_POLICY;
  const named = Object.entries(layer.engines ?? {}).map(([id, set]) => {
    const known = Object.hasOwn(base.engines, id) ? base.engines[id] : undefined;
    return [id, { ...(known ?? DEFAULT_ENGINE_SETTINGS), ...set }] as const;
  });
  // In this order: `toWantKey` hashes it, and stored keys must stay equal.
  const { auto, failLevel } = { ...base, ...layer };
  const projects =
    layer.projects === undefined ? base.projects : { ...NO_PROJECTS, ...base.projects, ...layer.projects };
  return {
    auto,
    engines: { ...base.engines, ...Object.fromEntries(named) },
    failLevel,
    ...(projects === undefined ? {} : { projects }),
  };
}
