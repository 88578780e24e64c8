import type { EngineRun } from '../model/engine.ts';
import type { FileCoverage, ParsedFinding, TestResult } from '../model/finding.ts';
import type { FindOwner } from './own-files.ts';

/**
 * The runs without what they repeat of each other. A whole-program tool also reports what it finds in files of other projects. That
 * is left out only where the run of the file's own project reports it too: nothing else shows that it looked at the file.
 */
export function dropRepeated(runs: readonly EngineRun[], owners: ReadonlyMap<string, FindOwner>): readonly EngineRun[] {
  const reported = new Map(runs.map((run) => [toRunKey(run, run.project), listKeys(run)]));
  return runs.map((run) => {
    const isLeft = (path: string | null, key: string): boolean => {
      const owner = path === null ? null : (owners.get(run.engine)?.(path) ?? null);
      if (owner === null || owner === run.project) return true;
      return reported.get(toRunKey(run, owner))?.has(key) !== true;
    };
    const { findings, tests, coverage } = run;
    return {
      ...run,
      findings: findings.filter((finding) => isLeft(finding.path, toFindingKey(finding))),
      tests: tests?.filter((test) => isLeft(test.path, toTestKey(test))) ?? null,
      coverage:
        coverage === null ? null : { files: coverage.files.filter((file) => isLeft(file.path, toCoverageKey(file))) },
    };
  });
}

function toRunKey({ engine, mode }: EngineRun, project: string): string {
  return JSON.stringify([engine, mode, project]);
}

function listKeys({ findings, tests, coverage }: EngineRun): ReadonlySet<string> {
  return new Set([
    ...findings.map(toFindingKey),
    ...(tests ?? []).map(toTestKey),
    ...(coverage?.files ?? []).map(toCoverageKey),
  ]);
}

function toFindingKey({ path, line, rule, testId, message }: ParsedFinding): string {
  return JSON.stringify(['finding', path, line, rule, testId, message]);
}

function toTestKey({ id, path }: TestResult): string {
  return JSON.stringify(['test', path, id]);
}

function toCoverageKey({ path }: FileCoverage): string {
  return JSON.stringify(['coverage', path]);
}
