import type { Sight } from '../engines/create-sight.ts';
import type { EngineRun } from '../model/engine.ts';
import type { ChangedConfig, EngineComparison } from '../model/engine-report.ts';
import { toProjectKey } from '../model/project.ts';
import type { ChangedLines } from './changed-lines.ts';
import { compareRuns } from './compare-runs.ts';
import { distrustCarried } from './distrust-carried.ts';
import { setApart } from './set-apart.ts';

/** Runs of both sides, and what is known about the change between them. */
export interface SidesInput {
  /** TARGET runs of the head. */
  readonly heads: readonly EngineRun[];
  /** TARGET runs of the base by `toProjectKey`; null or missing if there is none. */
  readonly bases: ReadonlyMap<string, EngineRun | null>;
  /** Head path to base path of renamed files. */
  readonly renames: ReadonlyMap<string, string>;
  readonly changedLines: ChangedLines;
  /** Files that the change touches and that the base run took from the head. */
  readonly carried: ReadonlySet<string>;
  /** Engine configuration files that the change touches. */
  readonly changedConfigs: readonly ChangedConfig[];
  readonly sight: Sight;
  /** Files and folders that only the head has, though nobody added them (large ignored files, submodules). Canonical. */
  readonly apart?: readonly string[];
}

/**
 * How the head's findings differ from the base's, in the order of `heads`. The App and `ratchet check --base` share this rule.
 * The base says nothing about files that it took from the head.
 */
export function compareSides(sides: SidesInput): readonly EngineComparison[] {
  const { heads, bases, renames, changedLines, changedConfigs, sight, apart = [] } = sides;
  const carried = { paths: sides.carried, engines: new Set(changedConfigs.map(({ engine }) => engine)) };
  return heads.map((head) => {
    const isInScope = (path: string): boolean => sight(head, path);
    const comparison = compareRuns({ head, base: bases.get(toProjectKey(head)) ?? null, renames, isInScope });
    return distrustCarried(setApart(comparison, apart), carried, changedLines);
  });
}
