import { createScopeMatcher } from '../engines/canonical-scope.ts';
import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import { sortByPlace } from './order-findings.ts';

/**
 * Corrects a comparison with a base that lacks files which nobody added: a finding in such a file may or may not be new. `apart` holds
 * canonical files and folders.
 */
export function setApart(comparison: EngineComparison, apart: readonly string[]): EngineComparison {
  if (comparison.kind === 'not_comparable' || apart.length === 0) return comparison;
  const isInApart = createScopeMatcher(apart);
  const isApart = ({ path }: Finding): boolean => path !== null && isInApart(path);
  const added = comparison.added.filter((finding) => !isApart(finding));
  if (added.length === comparison.added.length) return comparison;
  const uncompared = sortByPlace([...comparison.uncompared, ...comparison.added.filter(isApart)]);
  return { ...comparison, added, uncompared };
}
