import type { Sight } from '../engines/create-sight.ts';
import type { EngineRun } from '../model/engine.ts';
import type { ChangedConfig, EngineComparison } from '../model/engine-report.ts';
import type { ChangedLines } from './changed-lines.ts';
import { compareRuns } from './compare-runs.ts';
import { distrustCarried } from './distrust-carried.ts';

/** Runs of both sides, and what is known of the change between them. */
export interface SidesInput {
  /** TARGET runs of the head. */
  readonly heads: readonly EngineRun[];
  /** TARGET runs of the base, by engine; null or missing: none was to be had. */
  readonly bases: ReadonlyMap<string, EngineRun | null>;
  /** Path in head to path in base, of files that were renamed. */
  readonly renames: ReadonlyMap<string, string>;
  readonly changedLines: ChangedLines;
  /** Files that the base had with the text of the head, and that the change touches. */
  readonly carried: ReadonlySet<string>;
  /** Configuration files of engines that the change touches. */
  readonly changedConfigs: readonly ChangedConfig[];
  readonly sight: Sight;
}

/**
 * How the head's findings differ from the base's, by engine in the order of `heads`: the one rule of both the App and
 * `ratchet check --base`. The base does not speak for files that it had from the head.
 */
export function compareSides(sides: SidesInput): readonly EngineComparison[] {
  const { heads, bases, renames, changedLines, changedConfigs, sight } = sides;
  const carried = { paths: sides.carried, engines: new Set(changedConfigs.map(({ engine }) => engine)) };
  return heads.map((head) => {
    const isInScope = (path: string): boolean => sight(head.engine, path);
    const comparison = compareRuns({ head, base: bases.get(head.engine) ?? null, renames, isInScope });
    return distrustCarried(comparison, carried, changedLines);
  });
}
