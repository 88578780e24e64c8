import type { Asked } from '../model/ask.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { CheckResult } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Flake, Workspace } from '../model/workspace.ts';

const MAX_FLAKES = 20;

/** The verdict of CI at the head, and its red results. */
interface SeenCi {
  readonly ciRunId: string | null;
  readonly ciStatus: CiStatus;
  readonly failing: readonly { readonly name: string }[];
  readonly now: EpochMs;
}

/** What is known of the head from before. */
type Known = Pick<Workspace, 'flakes' | 'diagnosis' | 'seenHeadSha'> & Pick<Asked, 'rerun'>;

/**
 * New flakes: jobs that were red at this head, were re-run, and are green now. Whoever asked for the re-run, it ran the same
 * commit. Empty unless the verdict is `success` or `failure` and belongs to another CI result than the red one.
 */
export function findFlakes(
  known: Known,
  { headSha, checks }: { readonly headSha: Sha; readonly checks: readonly CheckResult[] },
  { ciRunId, ciStatus, failing, now }: SeenCi,
): readonly Flake[] {
  if (ciStatus !== 'success' && ciStatus !== 'failure') return [];
  const ours = known.rerun?.headSha === headSha && known.rerun.ciRunId !== ciRunId ? known.rerun.names : [];
  const red = new Set(failing.map(({ name }) => name));
  const seen = new Set(known.flakes.filter((flake) => flake.headSha === headSha).map(({ name }) => name));
  const green = checks.filter((check) => check.headSha === headSha && check.conclusion === 'success');
  const reruns = new Set(green.filter(({ runAttempt }) => (runAttempt ?? 1) > 1).map(({ name }) => name));
  const theirs = toRedNames(known, { headSha, ciRunId }).filter((name) => reruns.has(name));
  return [...new Set([...ours, ...theirs])]
    .filter((name) => !red.has(name) && !seen.has(name) && green.some((check) => check.name === name))
    .map((name) => ({ name, headSha, at: now }));
}

/** Names that an earlier look found red at this head, unless only a person could mend them: then something else was mended. */
function toRedNames(
  { diagnosis, seenHeadSha }: Known,
  { headSha, ciRunId }: { readonly headSha: Sha; readonly ciRunId: string | null },
): readonly string[] {
  if (diagnosis === null || seenHeadSha !== headSha || diagnosis.ciRunId === ciRunId) return [];
  return diagnosis.jobs.filter((job) => job.class !== 'person').map(({ name }) => name);
}

/** All flakes, newest first; drops the oldest beyond 20. */
export function keepFlakes(found: readonly Flake[], known: readonly Flake[]): readonly Flake[] {
  return [...found, ...known].slice(0, MAX_FLAKES);
}
