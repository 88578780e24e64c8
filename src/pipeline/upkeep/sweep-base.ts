import { planSweep } from '../../core/merge/plan-sweep.ts';
import type { EpochMs, Sha } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { MergeProbe } from '../../ports/git.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { Deps, Lease } from '../deps.ts';
import { withRemote } from '../prepare/with-remote.ts';

type SweepDeps = Pick<Deps, 'clock' | 'git' | 'github' | 'log' | 'settings' | 'store'>;

/** Minimum time between sweeps of one base. A sweep costs a fetch, and a merge for each pull request. */
const PAUSE_MS = 15_000;
/** Number of bases whose last sweep is remembered. */
const MAX_REMEMBERED = 1_000;
const NOTHING_MORE: RunResult = { nextCheckAt: null };

/**
 * The sweep after a push to a base branch, for the queue `sweep`: GitHub sends no event when such a push causes a conflict (trap
 * 17). Its only state is the time of the last sweep per base, which limits many pushes to one sweep per `PAUSE_MS`. If it is lost
 * in a restart, one sweep comes early.
 */
export function createBaseSweep(deps: SweepDeps): (key: string, lease: Lease) => Promise<RunResult> {
  const sweptAt = new Map<string, EpochMs>();
  return async (key, lease) => {
    const now = deps.clock.now();
    const nextAt = (sweptAt.get(key) ?? Number.NEGATIVE_INFINITY) + PAUSE_MS;
    if (now < nextAt) return { nextCheckAt: nextAt };
    sweptAt.delete(key);
    sweptAt.set(key, now);
    if (sweptAt.size > MAX_REMEMBERED) sweptAt.delete(sweptAt.keys().next().value ?? key);
    return sweepBase(deps, key, lease);
  };
}

/**
 * Asks git which enabled pull requests of the base still merge, without API calls, and plans their looks. Those with a changed or
 * unknown result come first, one after another; the others are spread over the recheck interval. If git cannot be asked (no mirror
 * yet, a failed fetch), all are looked at one after another.
 */
export async function sweepBase(deps: SweepDeps, key: string, lease: Lease): Promise<RunResult> {
  const base = parseKey(key);
  const repository = base === null ? null : deps.store.repository(base.repositoryId);
  if (base === null || repository === null || !repository.active) return NOTHING_MORE;
  const workspaces = deps.store.enabledOnBase(base.repositoryId, base.baseRef);
  if (workspaces.length === 0) return NOTHING_MORE;
  const probes = await probe(deps, { repository, baseRef: base.baseRef, workspaces }, lease.signal);
  const pulls = workspaces.map(({ key: pull, number, seenMerge }) => ({
    ...{ key: pull, seenMerge },
    probe: probes.get(number) ?? ('unknown' as const),
  }));
  const looks = planSweep(pulls, { now: deps.clock.now(), spreadMs: deps.settings.recheckMs });
  // Answers read before the push are outdated for these looks.
  deps.github.forgetTogether(base.repositoryId);
  for (const { key: pull, at, news } of looks) {
    if (news !== null) deps.store.updateWorkspace(pull, { seenMerge: news });
    deps.store.markWakeup(EVALUATE_QUEUE, pull, at);
  }
  const changed = looks.filter(({ news }) => news !== null).length;
  deps.log.info({ sweep: key, pulls: looks.length, probed: probes.size, changed }, 'base swept');
  return NOTHING_MORE;
}

/** Merge results by pull request number; empty if git cannot be asked. */
async function probe(
  deps: SweepDeps,
  want: {
    readonly repository: RepositoryRef;
    readonly baseRef: string;
    readonly workspaces: readonly Workspace[];
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<number, MergeProbe>> {
  const { repository, baseRef, workspaces } = want;
  const pulls = workspaces.flatMap(({ number, seenHeadSha }) => toPull(number, seenHeadSha));
  try {
    const mirror = await deps.git.openMirror(repository.repositoryId);
    if (mirror === null || pulls.length === 0) return new Map();
    const { probes } = await withRemote(deps, { repository, purpose: 'read' }, signal, (remote) =>
      deps.git.probeMerges(mirror, { baseRef, pulls }, remote, signal),
    );
    return probes;
  } catch (error) {
    signal.throwIfAborted();
    const fields = { repositoryId: repository.repositoryId, error: error instanceof Error ? error : undefined };
    deps.log.warn(fields, 'git could not be asked about a base: all of its pull requests are looked at');
    return new Map();
  }
}

function toPull(number: number, headSha: Sha | null): readonly { readonly number: number; readonly headSha: Sha }[] {
  return headSha === null ? [] : [{ number, headSha }];
}

/** `<repositoryId>:<branch>`. */
function parseKey(key: string): { readonly repositoryId: number; readonly baseRef: string } | null {
  const [, id, baseRef] = /^([1-9]\d{0,15}):(.+)$/su.exec(key) ?? [];
  return id === undefined || baseRef === undefined ? null : { repositoryId: Number(id), baseRef };
}
