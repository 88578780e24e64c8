import { sortByKey } from '../findings/order-findings.ts';
import type { ChangedConfig, EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';

/** What `ratchet check` has to tell. */
export interface CheckStory {
  readonly report: EnginesReport;
  /** How it differs from the base; null where none was named. */
  readonly comparison: {
    /** Commit of the base. */
    readonly base: string;
    /** Sorted by engine. */
    readonly engines: readonly EngineComparison[];
    /** New places where a check was switched off. */
    readonly suppressions: readonly Finding[];
    /** Whether all of the difference to the base was read; else nobody knows of every place where a check was switched off. */
    readonly isPatchWhole: boolean;
    /** Configuration files of engines that differ from the base. */
    readonly changedConfigs: readonly ChangedConfig[];
  } | null;
}

/** All findings once: those of TARGET, and of CURRENT what TARGET does not have; in the order of places, those without a file first. */
export function toAllFindings({ report, comparison }: CheckStory): readonly Finding[] {
  const target = report.runs.filter(({ mode }) => mode === 'target').flatMap(({ findings }) => findings);
  const current = report.runs.filter(({ mode }) => mode === 'current').flatMap(({ findings }) => findings);
  const byFingerprint = new Map(
    [...current, ...target, ...(comparison?.suppressions ?? [])].map((finding) => [finding.fingerprint, finding]),
  );
  return sortByKey([...byFingerprint.values()], ({ path, line, column, tool, rule, message, fingerprint }) => {
    return [path, line, column, tool, rule, message, fingerprint];
  });
}

/** Fingerprints of what the base does not have. */
export function toNewFingerprints({ comparison }: CheckStory): ReadonlySet<string> {
  const added = (comparison?.engines ?? []).flatMap((engine) => (engine.kind === 'compared' ? engine.added : []));
  return new Set([...added, ...(comparison?.suppressions ?? [])].map(({ fingerprint }) => fingerprint));
}
