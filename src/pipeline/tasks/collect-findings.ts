import { DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { TaskFinding } from '../../core/model/task.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import { withTree } from './open-tree.ts';
import type { TaskDeps, TaskRunGround } from './task-run.ts';

/** A run looks at trees that it changes, so nothing would be found again. */
export const NO_CACHE: EngineCache = { get: () => Promise.resolve(null), put: () => Promise.resolve() };

/** What the engines found at one commit. */
export interface Collected {
  readonly findings: readonly TaskFinding[];
  /** Engines without a trustworthy answer, each with the reason. */
  readonly incomplete: readonly string[];
  /** How many engines ran. */
  readonly ran: number;
}

/** Runs all engines that policy and repository select over a commit (001.R16, Collect and Normalize). */
export async function collectFindings(
  deps: TaskDeps,
  ground: TaskRunGround,
  { name, commitSha }: { readonly name: string; readonly commitSha: Sha },
  signal: AbortSignal,
): Promise<Collected> {
  return withTree(deps, ground, { name, commitSha }, signal, async (opened) => {
    const { repository, dependencies, setupProblem } = opened;
    const side = {
      ...{ key: ground.key, repository, name: 'head' as const, treeSha: commitSha, dependencies },
      ...{ isSetupFailed: setupProblem !== null, cache: NO_CACHE },
    };
    const policy = ground.policy.engines ?? { ...DEFAULT_ENGINES_POLICY, auto: true };
    const wanted = { policy, mode: 'target', only: null, paths: null, timeoutSeconds: null, refresh: true } as const;
    const { report } = await deps.runSide(side, wanted, signal);
    signal.throwIfAborted();
    const unsettled = [
      ...(setupProblem === null ? [] : [`setup: ${setupProblem}`]),
      ...report.configErrors.map(({ engine, message }) => `${engine}: ${message}`),
      ...report.engineErrors.map(({ engine, message }) => `${engine}: ${message}`),
      ...report.runs.flatMap(({ engine, complete, incompleteWhy }) =>
        complete ? [] : [`${engine}: ${incompleteWhy ?? 'it did not check everything'}`],
      ),
    ];
    return {
      findings: report.runs.flatMap(toEngineFindings),
      incomplete: [...new Set(unsettled.map(deps.redact))],
      ran: report.runs.length,
    };
  });
}

/** The findings of one run of an engine. */
export function toEngineFindings(run: EngineRun): readonly TaskFinding[] {
  return run.findings.map((finding) => {
    const { tool, kind, severity, fingerprint, message, path, line, column, rule, testId, project } = finding;
    const file = run.coverage?.files.find((covered) => covered.path === path);
    const percent = kind === 'coverage_gap' && file !== undefined ? (file.covered / file.total) * 100 : null;
    const meta = { project, signature: finding.identity, percent };
    const place = { filePath: path, line, column, symbol: rule, testId, rawRef: null };
    return { tool, kind, severity, fingerprint, message, ...place, meta };
  });
}
