import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toParents } from '../../../src/core/engines/canonical-scope.ts';
import { toCoveringTargets } from '../../../src/core/engines/cover-targets.ts';
import { type PlannedEngines, planEngines } from '../../../src/core/engines/plan-engines.ts';
import { type EnginePlan, TARGET_MODES } from '../../../src/core/model/engine.ts';
import { aPlanRequest, aSpec } from '../../support/plan-builders.ts';

const SPECS = TARGET_MODES.map((targetMode) => aSpec({ id: `py-${targetMode}`, targetMode }));

const segment = fc.constantFrom('a', 'b', 'c d', '-x');
const folder = fc
  .array(segment, { maxLength: 3 })
  .map((segments) => (segments.length === 0 ? '.' : segments.join('/')));
const folders = fc.uniqueArray(folder, { minLength: 1, maxLength: 8 });
const name = fc.constantFrom('m.py', 'n.py', 'o.txt');
const file = fc.tuple(folder, name).map(([parent, base]) => (parent === '.' ? base : `${parent}/${base}`));
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 30 });
const scope = fc.option(fc.array(fc.oneof(folder, file), { minLength: 1, maxLength: 3 }));

function plan(
  projects: readonly string[],
  paths: readonly string[],
  cli: readonly string[] | null = null,
): PlannedEngines {
  const of = projects.map((project) => ({ project, hasOwnScope: false }));
  return planEngines(
    aPlanRequest({
      specs: SPECS,
      files: paths,
      scope: { cli, env: null },
      projects: Object.fromEntries(SPECS.map(({ id }) => [id, of])),
    }),
  );
}

/** The files that a run looks at: below its targets, and not in what it leaves out. A package is a folder without those inside. */
function lookedAt({ engine, targets, excludes }: EnginePlan, paths: readonly string[]): readonly string[] {
  const isBelow = (path: string, up: string): boolean => path === up || toParents(path).includes(up);
  return paths.filter((path) => {
    if (!path.endsWith('.py') || excludes.some((up) => isBelow(path, up))) return false;
    if (engine === 'py-packages') return targets.includes(toParents(path)[0] ?? '');
    return targets.some((up) => isBelow(path, up));
  });
}

function targetRuns({ toRun }: PlannedEngines, engine: string): readonly EnginePlan[] {
  return toRun.flatMap(({ spec, plans }) => plans.filter(({ mode }) => spec.id === engine && mode === 'target'));
}

describe('projects', () => {
  it('each file is looked at once per engine, by the nearest project, and files of no project never', () => {
    fc.assert(
      fc.property(folders, files, (projects, paths) => {
        const planned = plan(projects, paths);
        const owned = paths.filter(
          (path) => path.endsWith('.py') && toParents(path).some((up) => projects.includes(up)),
        );
        for (const { id } of SPECS) {
          const runs = targetRuns(planned, id);
          const seen = runs.flatMap((run) => lookedAt(run, paths));

          expect(seen.toSorted(), id).toEqual(owned.toSorted());
          for (const run of runs) {
            const owners = lookedAt(run, paths).map((path) => toParents(path).find((up) => projects.includes(up)));
            expect(new Set(owners), id).toEqual(new Set([run.project]));
          }
        }
      }),
    );
  });

  it('no file is looked at twice where somebody asks for paths, and none outside of them but by whole projects', () => {
    fc.assert(
      fc.property(folders, files, scope, (projects, paths, cli) => {
        const { toRun } = plan(projects, paths, cli);
        const isAsked = (path: string): boolean =>
          cli === null || [path, ...toParents(path)].some((up) => cli.includes(up));
        for (const { id, targetMode } of SPECS) {
          const runs = toRun.flatMap(({ spec, plans }) =>
            plans.filter(({ mode }) => spec.id === id && mode === 'current'),
          );
          const seen = runs.flatMap((run) => lookedAt(run, paths));

          expect(new Set(seen).size, id).toBe(seen.length);
          if (targetMode === 'files' || targetMode === 'paths') expect(seen.every(isAsked), id).toBe(true);
        }
      }),
    );
  });

  it('a plan does not change when projects elsewhere do, nor when files of theirs do', () => {
    fc.assert(
      fc.property(folders, folders, files, files, (projects, others, paths, more) => {
        const isElsewhere = (path: string): boolean =>
          projects.every((own) => own !== path && !toParents(path).includes(own) && !toParents(own).includes(path));
        const added = others.filter(isElsewhere);
        const addedFiles = more.filter((path) => toParents(path).every((up) => !projects.includes(up)));
        const alone = plan(projects, paths);
        const together = plan([...projects, ...added], [...new Set([...paths, ...addedFiles])].toSorted());
        const isOwn = ({ project }: { readonly project: string }): boolean => projects.includes(project);

        expect(together.plans.filter(isOwn)).toEqual(alone.plans);
        expect(together.dedup.filter(isOwn)).toEqual(alone.dedup);
      }),
    );
  });

  it('a tool that cannot leave folders out gets all else that they hold for it', () => {
    fc.assert(
      fc.property(folders, files, (projects, paths) => {
        for (const run of targetRuns(plan(projects, paths), 'py-paths')) {
          const targets = toCoveringTargets(run, paths, ['**/*.py']);

          expect(lookedAt({ ...run, targets, excludes: [] }, paths)).toEqual(lookedAt(run, paths));
          expect(targets.some((target) => run.excludes.includes(target))).toBe(false);
        }
      }),
    );
  });
});
