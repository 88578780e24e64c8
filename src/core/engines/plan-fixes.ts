import type { EngineMode, EnginePlan, EngineSpec } from '../model/engine.ts';
import { createScopeMatcher } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';

/** A fixer to run: its targets are regular files only. */
export interface PlannedFix {
  /** The tool's entry in the catalogue, as its fixer. */
  readonly spec: EngineSpec;
  readonly plan: EnginePlan;
}

export interface FixRequest {
  readonly specs: readonly EngineSpec[];
  readonly plans: readonly EnginePlan[];
  /** The mode whose plans say what may be changed. */
  readonly mode: EngineMode;
  /** Regular files of the repository, without links. */
  readonly files: readonly string[];
  /** Files that differ from the base; null: there is no base. */
  readonly changed: ReadonlySet<string> | null;
}

/**
 * The fixers of a check, in the order in which they run: one after another, because two may change the same file, and those that
 * lay out code last. Each gets the files that its engine's plan looks at, by name: so none follows a link, and none changes a
 * file outside of the scope. With a base, only changed files are fixed.
 */
export function planFixes({ specs, plans, mode, files, changed }: FixRequest): readonly PlannedFix[] {
  const fixable = changed === null ? files : files.filter((path) => changed.has(path));
  const fixes = plans
    .filter((plan) => plan.enabled && plan.mode === mode)
    .flatMap((plan) => {
      const spec = specs.find(({ id }) => id === plan.engine);
      const fixer = spec?.fixer;
      if (spec === undefined || fixer === undefined) return [];
      const isTarget = createScopeMatcher(plan.targets);
      const isOfOthers = plan.excludes.length === 0 ? () => false : createScopeMatcher(plan.excludes);
      const isOfTool = createGlobMatcher(spec.globs);
      const targets = fixable.filter((path) => isTarget(path) && !isOfOthers(path) && isOfTool(path));
      // The files are named, so neither the tool's own scope nor other projects matter any more.
      const named = { ...plan, targets, excludes: [], usesToolScope: false };
      return targets.length === 0 ? [] : [{ fixer, fix: { spec: toFixerSpec(spec), plan: named } }];
    });
  const isLast = ({ fixer }: (typeof fixes)[number]): boolean => fixer.formats === true;
  return [...fixes.filter((fix) => !isLast(fix)), ...fixes.filter(isLast)].map(({ fix }) => fix);
}

function toFixerSpec({ fixer, ...spec }: EngineSpec): EngineSpec {
  return { ...spec, ...fixer, isFix: true, isCacheable: false };
}
