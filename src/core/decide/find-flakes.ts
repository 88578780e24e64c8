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

/**
 * New flakes: jobs that were red at this head, were re-run on our request, and are green now. Empty unless the verdict is
 * `success` or `failure` and belongs to another CI result than the one that was re-run.
 */
export function findFlakes(
  workspace: Pick<Workspace, 'flakes'> & Pick<Asked, 'rerun'>,
  { headSha, checks }: { readonly headSha: Sha; readonly checks: readonly CheckResult[] },
  { ciRunId, ciStatus, failing, now }: SeenCi,
): readonly Flake[] {
  const { rerun, flakes } = workspace;
  if (rerun?.headSha !== headSha || rerun.ciRunId === ciRunId) return [];
  if (ciStatus !== 'success' && ciStatus !== 'failure') return [];
  const red = new Set(failing.map(({ name }) => name));
  const known = new Set(flakes.filter((flake) => flake.headSha === headSha).map(({ name }) => name));
  return [...new Set(rerun.names)]
    .filter((name) => !red.has(name) && !known.has(name) && isGreen(checks, name, headSha))
    .map((name) => ({ name, headSha, at: now }));
}

/** All flakes, newest first; drops the oldest beyond 20. */
export function keepFlakes(found: readonly Flake[], known: readonly Flake[]): readonly Flake[] {
  return [...found, ...known].slice(0, MAX_FLAKES);
}

/** Whether the job succeeded. A skipped job proves nothing. */
function isGreen(checks: readonly CheckResult[], name: string, headSha: Sha): boolean {
  return checks.some((check) => check.name === name && check.headSha === headSha && check.conclusion === 'success');
}
