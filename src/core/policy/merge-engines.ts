import { DEFAULT_ENGINE_SETTINGS } from '../engines/default-engine-settings.ts';
import type { EngineSettings, EnginesPolicy } from '../model/engine.ts';

/** What one file says about engines: only what it sets. */
export interface EnginesLayer {
  readonly auto?: boolean;
  readonly failLevel?: EnginesPolicy['failLevel'];
  readonly engines?: Readonly<Record<string, Partial<EngineSettings>>>;
}

/** Where a file asks for engines and sets nothing else. */
export const DEFAULT_ENGINES_POLICY: EnginesPolicy = { auto: false, engines: {}, failLevel: 'medium' };

/**
 * What holds of engines where `layer` is put over `below`: key by key, and by engine key by key; lists and maps replace those
 * below them. `null` switches all of it off, a layer that does not speak of engines leaves them.
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
  return {
    auto: layer.auto ?? base.auto,
    engines: { ...base.engines, ...Object.fromEntries(named) },
    failLevel: layer.failLevel ?? base.failLevel,
  };
}
