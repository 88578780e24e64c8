import type { EnginePlan, EngineSpec } from '../model/engine.ts';
import type { ChangedConfig } from '../model/engine-report.ts';
import { findConfigFiles } from './run-signature.ts';

/** Configuration files by engine. */
export type ConfigFiles = ReadonlyMap<string, readonly string[]>;

/** What is known about the planned engines. */
export interface ConfigInput {
  readonly plans: readonly Pick<EnginePlan, 'engine' | 'configPath' | 'project'>[];
  readonly specs: readonly Pick<EngineSpec, 'id' | 'configFiles'>[];
  /** Paths of both sides, each once: a file that the head deleted still configures the base. */
  readonly files: readonly string[];
}

/** The configuration files that each planned engine has at the head or at the base. */
export function findConfigs({ plans, specs, files }: ConfigInput): ConfigFiles {
  const found = new Map<string, readonly string[]>();
  for (const { engine, configPath, project } of plans) {
    const spec = specs.find(({ id }) => id === engine);
    if (spec === undefined) continue;
    const all = [...(found.get(engine) ?? []), ...findConfigFiles(spec, { configPath, project }, files)];
    found.set(engine, [...new Set(all)].toSorted());
  }
  return found;
}

/** Paths that the base run takes from the head: all configuration of engines, and `others`. Sorted, each once. */
export function findCarried(configs: ConfigFiles, others: readonly string[]): readonly string[] {
  return [...new Set([...[...configs.values()].flat(), ...others])].toSorted();
}

/** Engines whose own configuration is among the changed paths. */
export function findChangedConfigs(configs: ConfigFiles, changed: ReadonlySet<string>): readonly ChangedConfig[] {
  return [...configs].flatMap(([engine, files]) => {
    const paths = files.filter((path) => changed.has(path));
    return paths.length === 0 ? [] : [{ engine, paths }];
  });
}
