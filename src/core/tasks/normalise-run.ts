import { isHarmless } from '../findings/severity.ts';
import type { EngineRun } from '../model/engine.ts';
import type { FileCoverage, Finding } from '../model/finding.ts';
import type { TaskFinding } from '../model/task.ts';
import { findSignature } from './find-signature.ts';

/**
 * The findings of a run of an engine that may become tasks (001.R5), in its order. What the tool itself calls no problem is left
 * out. `rawRef`: where the raw output of the run is kept.
 */
export function normaliseRun({ findings, coverage }: EngineRun, rawRef: string | null): readonly TaskFinding[] {
  const files = new Map((coverage?.files ?? []).map((file) => [file.path, file]));
  return findings
    .filter((finding) => !isHarmless(finding))
    .map((finding) => toTaskFinding(finding, { rawRef, file: files.get(finding.path ?? '') }));
}

/** A finding of an engine, or of Ratchet itself (a suppression), as one that may become a task. */
export function toTaskFinding(
  finding: Finding,
  { rawRef, file }: { readonly rawRef: string | null; readonly file?: FileCoverage | undefined },
): TaskFinding {
  const { tool, kind, severity, fingerprint, message, path, line, column, rule, testId, project } = finding;
  return {
    ...{ tool, kind, severity, fingerprint, message, line, column, testId, rawRef },
    filePath: path,
    symbol: rule,
    meta: {
      project,
      signature: findSignature(finding),
      percent: kind === 'coverage_gap' && file !== undefined ? toPercent(file) : null,
    },
  };
}

/** Covered share in per cent; a file with nothing to cover is covered. */
export function toPercent({ covered, total }: Pick<FileCoverage, 'covered' | 'total'>): number {
  return total === 0 ? 100 : (100 * covered) / total;
}
