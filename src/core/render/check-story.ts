import { sortByKey } from '../findings/order-findings.ts';
import type { EngineMode } from '../model/engine.ts';
import type { ChangedConfig, EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import { type EngineProject, toProjectKey } from '../model/project.ts';

/** Everything that `ratchet check` reports. */
export interface CheckStory {
  readonly report: EnginesReport;
  /** The comparison with the base; null if no base was given. */
  readonly comparison: {
    /** Commit of the base. */
    readonly base: string;
    /** Sorted by engine. */
    readonly engines: readonly EngineComparison[];
    /** New places where a check is suppressed. */
    readonly suppressions: readonly Finding[];
    /** Whether the whole diff to the base was read. If not, new suppressions may be missing. */
    readonly isPatchWhole: boolean;
    /** See `findUnlooked`. */
    readonly unlooked: readonly string[];
    /** What was not compared, or not as it is in the commit, and why. */
    readonly notes: readonly string[];
    /** Configuration files of engines that differ from the base's. */
    readonly changedConfigs: readonly ChangedConfig[];
  } | null;
  /** The command that installs the dependencies of the repository; null or left out: unknown. */
  readonly install?: string | null;
  /** Present with `--fix`. */
  readonly fix?: FixStory;
}

/** What `ratchet check --fix` did. */
export interface FixStory {
  /** Paths that are not what they were, sorted. */
  readonly changed: readonly string[];
  /** In the order in which they ran. */
  readonly fixers: readonly FixerStory[];
}

export interface FixerStory extends EngineProject {
  readonly mode: EngineMode;
  /** As executed; of the last part if the files did not fit on one command line. */
  readonly argv: readonly string[];
  readonly exitCode: number | null;
  /** How many files it was given. */
  readonly files: number;
  /** Findings of the engine before it ran; null: unknown. */
  readonly before: number | null;
}

/** Findings of a fixer's engine in the check that followed; null: it has no complete run. */
export function countAfter({ runs }: Pick<EnginesReport, 'runs'>, fixer: FixerStory): number | null {
  const own = runs.filter((run) => toProjectKey(run) === toProjectKey(fixer) && run.complete);
  const run = own.find((one) => one.mode === fixer.mode) ?? own.find((one) => one.mode === 'target');
  return run?.findings.length ?? null;
}

/** Of a finding, compared with the base. `unknown`: it could not be compared. */
export type Standing = 'new' | 'existing' | 'unknown';

/** All findings once: TARGET's, and those that only CURRENT has. Sorted by place; those without a file come first. */
export function toAllFindings({ report, comparison }: Pick<CheckStory, 'report' | 'comparison'>): readonly Finding[] {
  const target = report.runs.filter(({ mode }) => mode === 'target').flatMap(({ findings }) => findings);
  const current = report.runs.filter(({ mode }) => mode === 'current').flatMap(({ findings }) => findings);
  const byFingerprint = new Map(
    [...current, ...target, ...(comparison?.suppressions ?? [])].map((finding) => [finding.fingerprint, finding]),
  );
  return sortByKey([...byFingerprint.values()], ({ path, line, column, tool, rule, message, fingerprint }) => {
    return [path, line, column, tool, rule, message, fingerprint];
  });
}

/** Fingerprints of the findings that the base does not have. */
export function toNewFingerprints({ comparison }: Pick<CheckStory, 'comparison'>): ReadonlySet<string> {
  const added = (comparison?.engines ?? []).flatMap((engine) => (engine.kind === 'compared' ? engine.added : []));
  return new Set([...added, ...(comparison?.suppressions ?? [])].map(({ fingerprint }) => fingerprint));
}

/** The standing of each finding; null if no base was given. */
export function createStandings(story: Pick<CheckStory, 'comparison'>): (finding: Finding) => Standing | null {
  const { comparison } = story;
  if (comparison === null) return () => null;
  const isNew = toNewFingerprints(story);
  const existing = new Set(
    comparison.engines.flatMap((engine) => engine.existing.map(({ fingerprint }) => fingerprint)),
  );
  return ({ fingerprint }) => {
    if (isNew.has(fingerprint)) return 'new';
    return existing.has(fingerprint) ? 'existing' : 'unknown';
  };
}
