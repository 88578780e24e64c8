import type { Asked } from '../model/ask.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { CheckResult } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Flake, Workspace } from '../model/workspace.ts';

const MAX_FLAKES = 20;

/** What CI says at the head: the verdict, and the results that it rests on. */
interface SeenCi {
  readonly ciRunId: string | null;
  readonly ciStatus: CiStatus;
  readonly failing: readonly { readonly name: string }[];
  readonly now: EpochMs;
}

/**
 * The jobs that were red at this head, were run again because we asked, and are green now: not known before. Told only by a
 * settled verdict of another CI result than the one that was run again.
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

/** Newest first; the oldest are forgotten. */
export function keepFlakes(found: readonly Flake[], known: readonly Flake[]): readonly Flake[] {
  return [...found, ...known].slice(0, MAX_FLAKES);
}

/** A job that was skipped this time has proven nothing. */
function isGreen(checks: readonly CheckResult[], name: string, headSha: Sha): boolean {
  return checks.some((check) => check.name === name && check.headSha === headSha && check.conclusion === 'success');
}
