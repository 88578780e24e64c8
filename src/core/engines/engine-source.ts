import type { EngineSpec } from '../model/engine.ts';
import type { EnginesPolicy } from '../model/policy.ts';

/** What the environment of the process says about engines. It comes after a command and before the policy (000.R2). */
export interface EngineSource {
  /** Scope; null: not set. An empty list switches every engine off. */
  readonly paths: readonly string[] | null;
  /** Configuration files by the id of the engine as a variable has it: in capital letters, with `_`. */
  readonly configs: Readonly<Record<string, string>>;
}

export const NO_ENGINE_SOURCE: EngineSource = { paths: null, configs: {} };

const PATHS = 'RATCHET_PATHS';
const CONFIG = /^RATCHET_(?<id>[A-Z0-9_]+)_CONFIG$/u;

/** Reads `RATCHET_PATHS`, separated by `:`, and `RATCHET_<ID>_CONFIG`. An empty configuration is none. */
export function readEngineSource(variables: Readonly<Record<string, string | undefined>>): EngineSource {
  const paths = variables[PATHS]?.split(':').filter((path) => path !== '') ?? null;
  const configs = Object.entries(variables).flatMap(([name, file = '']) => {
    const id = CONFIG.exec(name)?.groups?.['id'];
    return id === undefined || file === '' ? [] : [[id, file] as const];
  });
  return { paths, configs: Object.fromEntries(configs) };
}

/** Configuration files by id, of the engines that there are. */
export function toSourceConfigs({ configs }: EngineSource, ids: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const name = id.toUpperCase().replaceAll('-', '_');
      const file = Object.hasOwn(configs, name) ? configs[name] : undefined;
      return file === undefined ? [] : [[id, file] as const];
    }),
  );
}

/** Ids of the engines that are known, and of those that a policy names. Sorted. */
export function listEngineIds(
  catalogue: readonly Pick<EngineSpec, 'id'>[],
  policy: Pick<EnginesPolicy, 'engines'> | null,
): readonly string[] {
  return [...new Set([...catalogue.map(({ id }) => id), ...Object.keys(policy?.engines ?? {})])].toSorted();
}
