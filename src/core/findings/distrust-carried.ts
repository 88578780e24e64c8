import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import type { ChangedLines } from './changed-lines.ts';
import { sortByPlace } from './order-findings.ts';

/** What the change touches and the base run took from the head. */
export interface Carried {
  /** Files that the base run took from the head: configuration of any engine, manifests. */
  readonly paths: ReadonlySet<string>;
  /** Engines whose own configuration is among them. */
  readonly engines: ReadonlySet<string>;
}

/**
 * Corrects a comparison with a base run that used files of the head. A finding in such a file is new if it is on a changed line;
 * otherwise it is not comparable. A failing test is not comparable if the change touches its configuration (`conftest.py`, a
 * setup file of the runner), because it may fail with that on the base too.
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
