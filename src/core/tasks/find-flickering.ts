import type { EngineRun } from '../model/engine.ts';

type Ran = Pick<EngineRun, 'complete' | 'findings' | 'tests'>;

/**
 * Fingerprints of failures of tests that passed when they were run again on the same files. A repetition that cannot be trusted, or in
 * which a test did not run, shows nothing.
 */
export function findFlickering(first: Pick<EngineRun, 'findings'>, again: Ran): readonly string[] {
  if (!again.complete) return [];
  const left = new Set(again.findings.map(({ fingerprint }) => fingerprint));
  return first.findings.flatMap(({ kind, fingerprint, testId, path }) => {
    if (kind !== 'test_failure' || testId === null || left.has(fingerprint)) return [];
    const own = (again.tests ?? []).filter((test) => test.id === testId);
    const here = own.filter((test) => test.path === path);
    const seen = here.length > 0 ? here : own;
    return seen.length > 0 && seen.every(({ outcome }) => outcome === 'passed') ? [fingerprint] : [];
  });
}
