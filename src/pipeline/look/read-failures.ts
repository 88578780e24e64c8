import type { FailureGroup } from '../../core/evidence/log-failure.ts';
import { createCandidateFinder } from '../../core/evidence/resolve-path.ts';
import type { JobSigns } from '../../core/evidence/to-reported-failures.ts';
import { toCandidatePaths, toReportedFailures } from '../../core/evidence/to-reported-failures.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { ReportedFailure } from '../../core/model/reported-failure.ts';
import { readSigns } from '../../engines/log/read-signs.ts';
import { toLogLines } from '../../engines/log/to-log-lines.ts';
import type { Deps } from '../deps.ts';
import { orNull } from './or-null.ts';

type ReadDeps = Pick<Deps, 'github' | 'log' | 'redact'>;

/** What was read of a red job. */
export interface RedJob {
  readonly job: string;
  readonly annotations: readonly CheckAnnotation[];
  /** The log, or its end; null if it could not be read. */
  readonly log: string | null;
  /** What the whole log names; empty if it could not be read. */
  readonly groups: readonly FailureGroup[];
  /** Paths of the problem matchers that it registers. */
  readonly registered: readonly string[];
}

/**
 * What logs and annotations of red jobs report about the files of the head. Costs at most two queries: for the problem matchers that the jobs
 * register, and to learn which of the named files exist. If GitHub does not answer, nothing is linked.
 */
export async function readFailures(
  deps: ReadDeps,
  at: { readonly repository: RepositoryRef; readonly headSha: Sha },
  jobs: readonly RedJob[],
  signal: AbortSignal,
): Promise<readonly ReportedFailure[]> {
  const matchers = [...new Set(jobs.flatMap(({ registered }) => registered))];
  const definitions = await readTexts(deps, at, matchers, signal);
  const signed = jobs.map(({ job, annotations, log, groups, registered }): JobSigns => {
    const lines = toLogLines(log ?? '');
    const own = registered.flatMap((path) => definitions.get(path) ?? []);
    return { job, signs: readSigns({ groups, lines, annotations, definitions: own }) };
  });
  const existing = await readTexts(deps, at, toCandidatePaths(signed), signal);
  return toReportedFailures(signed, createCandidateFinder(new Set(existing.keys())), deps.redact);
}

/** Texts of the files that the head has, by path; empty for one that is no text. */
async function readTexts(
  deps: ReadDeps,
  { repository, headSha }: { readonly repository: RepositoryRef; readonly headSha: Sha },
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const refs = paths.map((path) => ({ sha: headSha, path }));
  const blobs = await orNull(deps, deps.github.readBlobs(repository, refs, signal));
  return new Map(
    paths.flatMap((path, index) => {
      const blob = blobs?.[index] ?? null;
      return blob === null ? [] : [[path, blob.text ?? ''] as const];
    }),
  );
}
