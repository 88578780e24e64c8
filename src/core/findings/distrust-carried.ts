import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import type { ChangedLines } from './changed-lines.ts';
import { sortByPlace } from './order-findings.ts';

/** What of the head the base was looked at with, where the change touches it. */
export interface Carried {
  /** Files that the base had with the text of the head: configuration of any engine, manifests. */
  readonly paths: ReadonlySet<string>;
  /** Engines whose own configuration is among them. */
  readonly engines: ReadonlySet<string>;
}

/**
 * Takes back what a base says of itself that had files of the head in it. In such a file a finding on a changed line is new, and of
 * any other nobody can say. Nor of a failing test whose configuration (`conftest.py`, a setup of the runner) the change touches: with
 * that, it may fail on the base, too.
 */
export function distrustCarried(
  comparison: EngineComparison,
  { paths, engines }: Carried,
  changedLines: ChangedLines,
): EngineComparison {
  const isConfigured = engines.has(comparison.engine);
  const isDoubtful = ({ path, kind }: Finding): boolean =>
    (path !== null && paths.has(path)) || (isConfigured && (kind === 'test_failure' || kind === 'collection_error'));
  const doubtful = comparison.existing.filter(isDoubtful);
  if (doubtful.length === 0) return comparison;
  const existing = comparison.existing.filter((finding) => !isDoubtful(finding));
  if (comparison.kind === 'not_comparable') return { ...comparison, existing };
  const isNew = ({ path, line }: Finding): boolean =>
    path !== null && line !== null && paths.has(path) && changedLines.get(path)?.has(line) === true;
  return {
    ...comparison,
    added: sortByPlace([...comparison.added, ...doubtful.filter(isNew)]),
    existing,
    uncompared: sortByPlace([...comparison.uncompared, ...doubtful.filter((finding) => !isNew(finding))]),
  };
}
