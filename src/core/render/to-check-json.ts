import type { PlannedFix } from '../engines/plan-fixes.ts';
import type { RunsSummary } from '../engines/summarize-runs.ts';
import type { EngineError, EnginePlan, EngineRun } from '../model/engine.ts';
import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import { type CheckStory, countAfter, type FixStory, toAllFindings } from './check-story.ts';
import { isChangeSeen } from './conclude-check.ts';

/**
 * The JSON document of `ratchet check --json`. Keys and lists have a fixed order: two runs over the same content differ
 * only in `durationMs`. `comparison` is present if a base was given.
 */
export function toCheckJson(story: CheckStory, summary: RunsSummary): Readonly<Record<string, unknown>> {
  const { report, comparison } = story;
  const { configErrors, skipped, uncovered, submodules, lookedFor, projects, ...planned } = toPlanJson(story);
  return {
    ...planned,
    runs: report.runs.map(toRun),
    engineErrors: report.engineErrors.map(toError),
    configErrors,
    skipped,
    uncovered,
    submodules,
    lookedFor,
    projects,
    findings: toAllFindings(story).map(toFinding),
    summary: {
      diagnostics: summary.diagnostics,
      hasDiagnostics: summary.hasDiagnostics,
      hasFailures: summary.hasFailures,
    },
    ...(comparison === null ? {} : { comparison: toComparedJson(comparison) }),
    ...(story.fix === undefined ? {} : { fix: toFixJson(story.fix, report) }),
  };
}

function toFixJson({ changed, fixers }: FixStory, report: EnginesReport): unknown {
  return {
    changed,
    fixers: fixers.map((fixer) => {
      const { engine, project, mode, argv, exitCode, files, before } = fixer;
      return { engine, project, mode, argv, exitCode, files, before, after: countAfter(report, fixer) };
    }),
  };
}

/** The JSON document of `ratchet check --plan --json`; `fixes`: the fixers that `--fix` would run. */
export function toPlanJson({
  report,
  fixes = null,
}: Pick<CheckStory, 'report'> & { readonly fixes?: readonly PlannedFix[] | null }): Readonly<Record<string, unknown>> {
  return {
    schemaVersion: 1,
    root: report.root,
    mode: report.request,
    plans: report.plans.map(toPlan),
    dedup: report.dedup.map(({ engine, project, ran }) => ({ engine, project, ran })),
    configErrors: report.configErrors.map(({ engine, code, message }) => ({ engine, code, message })),
    skipped: report.skipped.map(({ engine, project, why }) => ({ engine, project, why })),
    uncovered: report.uncoveredPaths,
    submodules: report.submodules.map(({ path, isHere }) => ({ path, checkedOut: isHere })),
    lookedFor: report.lookedFor,
    projects: report.projects.map(({ engine, project, isTaken, why }) => ({ engine, project, taken: isTaken, why })),
    ...(fixes === null ? {} : { fixes: fixes.map(toPlannedFix) }),
  };
}

function toPlannedFix({ plan: { engine, project, mode, targets } }: PlannedFix): unknown {
  return { engine, project, mode, files: targets };
}

function toPlan(plan: EnginePlan): unknown {
  const { engine, project, mode, targets, configPath, args, env, cwd, profile, enabled, hash } = plan;
  const { excludes, usesToolScope } = plan;
  const sorted = Object.fromEntries(Object.entries(env).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  return {
    ...{ engine, project, mode, targets, configPath, args, env: sorted, cwd, profile, enabled, hash },
    ...{ excludes, usesToolScope },
  };
}

function toRun({
  engine,
  project,
  mode,
  version,
  argv,
  cwd,
  exit,
  returnCode,
  category,
  complete,
  incompleteWhy,
  findings,
  notes,
}: EngineRun): unknown {
  const { exitCode, durationMs } = exit;
  const counts = {
    complete,
    incompleteWhy,
    ...(notes === undefined ? {} : { notes }),
    durationMs,
    findings: findings.length,
  };
  return { engine, project, mode, version, argv, cwd, exitCode, returnCode, category, ...counts };
}

function toError({ engine, project, mode, kind, exitCode, argv, cwd, stderr, message }: EngineError): unknown {
  return { engine, project, mode, kind, exitCode, argv, cwd, stderr, message };
}

function toFinding(finding: Finding): unknown {
  const { tool, kind, rule, severity, fingerprint, message, path, line, column, project } = finding;
  const { testId, otherPlaces } = finding;
  const more = { ...(testId === null ? {} : { testId }), ...(otherPlaces === undefined ? {} : { otherPlaces }) };
  return { tool, project, kind, rule, severity, fingerprint, message, path, line, column, ...more };
}

function toComparedJson(comparison: NonNullable<CheckStory['comparison']>): unknown {
  const { base, engines, unlooked, changedConfigs, notes } = comparison;
  return {
    base,
    isChangeWhole: isChangeSeen(comparison),
    unlooked,
    notes,
    changedConfigs: changedConfigs.map(({ engine, paths }) => ({ engine, paths })),
    engines: engines.map(toComparison),
  };
}

function toComparison(comparison: EngineComparison): unknown {
  const { engine, project } = comparison;
  if (comparison.kind === 'not_comparable') return { engine, project, comparable: false, why: comparison.why };
  const { added, fixed, existing, uncompared, removedTests, skippedTests } = comparison;
  const toPrints = (findings: readonly Finding[]): readonly string[] => findings.map(({ fingerprint }) => fingerprint);
  return {
    engine,
    project,
    comparable: true,
    new: toPrints(added),
    fixed: toPrints(fixed),
    existing: toPrints(existing),
    uncompared: toPrints(uncompared),
    removedTests,
    skippedTests,
  };
}
