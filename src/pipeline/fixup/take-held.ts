import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, superseded } from '../prepare/or-ended.ts';
import { toResolution } from './collect-conflicts.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';

/** The change that a person accepted, as git kept it, with its difference to what it was made from. */
export async function takeHeld(
  { git }: Pick<Deps, 'git'>,
  prepared: PreparedFixup & { readonly goal: FixupGoal & { readonly kind: 'accepted' } },
  signal: AbortSignal,
): Promise<OrEnded<Change>> {
  const { goal, repository, session, start } = prepared;
  const { held, by } = goal;
  const kept = await git.readHeld(repository, toRunId(by.sessionId), signal);
  if (kept?.commitSha !== held.commitSha) {
    return superseded('cause_gone', 'The change is not kept any more. Comment `/ratchet retry` for another one.');
  }
  const { treeSha } = kept;
  const against = start.treeish;
  const diff = await git.diffTrees(repository, { from: against, to: treeSha, maxPatchBytes: MAX_PATCH_BYTES }, signal);
  const { headSha, baseSha } = session.fixup;
  const { summary, madeBy, resolved, answers } = held;
  const parents = start.merge === null ? [headSha] : [headSha, baseSha];
  const change = { tree: { treeSha, against, ...diff }, summary, madeBy, resolved, answers, parents };
  if (start.merge?.kind !== 'conflicted') return ok(change);
  const regenerated = resolved.flatMap(({ by: means, paths }) => (means === 'regeneration' ? paths : []));
  const merge = { merge: start.merge, regenerated, treeSha, changes: diff.changes };
  return ok({ ...change, resolution: await toResolution({ git }, prepared, merge, signal) });
}
