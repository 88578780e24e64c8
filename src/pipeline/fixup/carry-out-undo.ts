import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import { findNewWorkflows } from '../../core/merge/find-new-workflows.ts';
import { RepositoryError } from '../../core/model/errors.ts';
import { type Sha, toRunId } from '../../core/model/ids.ts';
import type { FixupSession, SessionOutcome, UndoOrder } from '../../core/model/session.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import { toCommitMessage } from '../../core/sessions/commit-message.ts';
import { describeConflict, describeGone, findUnpushable } from '../../core/sessions/undo-words.ts';
import { toNamesText } from '../../core/text/words.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Deps, Lease } from '../deps.ts';
import type { WorkStep } from '../execution/run-work.ts';
import type { ReadFacts } from '../look/read-facts.ts';
import { openRepository } from '../prepare/open-repository.ts';
import { type OrEnded, ok, rejected, superseded } from '../prepare/or-ended.ts';
import { goOn } from '../run/wait-for-github.ts';
import { toWorkspaceOutcome } from './carry-out-fixup.ts';
import { checkGroundBeforePush, type Ground } from './check-ground.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { type FixupStep, runFixupSteps, toFixupStep } from './fixup-steps.ts';
import { findSecret } from './gate.ts';
import { planPush } from './plan-push.ts';

/**
 * Reverts a fixup and plans the push, as steps of a plan. Returns how it ended, or null if a push is planned. No agent and no site: git merges three
 * trees in the control repository. Nor is the result validated, and the policy on paths and sizes does not judge it, because it
 * only restores what the branch held before, at the order of a person who may push the same; and what would keep a person from
 * taking a change of Ratchet back would be worse than what it restores. Secrets are looked for all the same: a push of Ratchet
 * adds none, whoever asks.
 */
export async function carryOutUndo(
  deps: Deps,
  { session, undo }: { readonly session: FixupSession; readonly undo: UndoOrder },
  lease: Lease,
): Promise<SessionOutcome | null> {
  const step = <Value>(
    named: Pick<FixupStep<Value>, 'id' | 'description'>,
    after: readonly WorkStep[],
    work: (signal: AbortSignal) => Promise<OrEnded<Value>>,
  ): FixupStep<Value> => toFixupStep(deps, session, { ...named, actionType: 'prepare', after, work });
  const ground = step({ id: 'ground', description: 'Read the pull request' }, [], (signal) =>
    checkUndoGround(deps, session, signal),
  );
  const identity = step({ id: 'identity', description: 'Read who makes the commit' }, [ground], async (signal) =>
    ok(await deps.github.readCommitIdentity(ground.made().workspace.repository, signal)),
  );
  const repository = step({ id: 'repository', description: 'Fetch the repository' }, [ground], async (signal) =>
    ok(await open(deps, { session, undo, ground: ground.made() }, signal)),
  );
  const reverted = toFixupStep(deps, session, {
    ...{ id: 'revert', actionType: 'integrate', description: 'Revert the change', after: [identity, repository] },
    work: (signal) => {
      const given = { session, undo, ground: ground.made(), identity: identity.made(), repository: repository.made() };
      return revert(deps, given, { ...lease, signal });
    },
  });
  try {
    return await runFixupSteps(
      deps,
      session,
      { steps: [ground, identity, repository, reverted], last: reverted },
      lease,
    );
  } catch (error) {
    if (error instanceof RepositoryError && !isOutage(error)) return toWorkspaceOutcome(error);
    throw error;
  }
}

/** The ground of every push; and the policy must let Ratchet push. */
async function checkUndoGround(deps: Deps, session: FixupSession, signal: AbortSignal): Promise<OrEnded<Ground>> {
  const ground = await checkGroundBeforePush(deps, session, signal);
  if (ground.kind === 'ended') return ground;
  const why = findUnpushable(ground.value.facts.taken.policy.mode, ground.value.unpushed);
  return why === null ? ground : superseded('stopped', why);
}

interface Revert {
  readonly session: FixupSession;
  readonly undo: UndoOrder;
  readonly ground: Ground;
}

async function revert(
  deps: Deps,
  { session, undo, ground, identity, repository }: Revert & Pick<PreparedFixup, 'identity' | 'repository'>,
  lease: Lease,
): Promise<OrEnded<null>> {
  const { signal } = lease;
  const { headSha } = session.fixup;
  const reverted = await toRevertedTree(deps, { repository, undo, headSha }, signal);
  if (reverted.kind === 'ended') return reverted;
  const treeSha = reverted.value;
  const diff = { from: headSha, to: treeSha, maxPatchBytes: MAX_PATCH_BYTES };
  const tree = { treeSha, ...(await deps.git.diffTrees(repository, diff, signal)) };
  if (tree.patchTruncated) return rejected('DIFF_TOO_LARGE', 'The revert is too large to be checked.');
  const refused = findSecret(deps, { tree }) ?? (await findForbidden(deps, { repository, treeSha, ...ground }, signal));
  if (refused !== null) return refused;
  const again = await checkUndoGround(deps, session, signal);
  if (again.kind === 'ended') return again;
  const { commitSha, by } = undo;
  await planPush(
    deps,
    { session, repository, identity },
    {
      ...{ tree, parents: [headSha], isGroundChecked: true, judgedBy: null },
      message: toCommitMessage(session.id, session.fixup, { kind: 'undo', commitSha, by: by?.login ?? null }),
      outcome: { summary: '', validation: [], madeBy: 'git', resolved: [], patchId: null, answers: [] },
    },
    lease,
  );
  return ok(null);
}

async function open(deps: Deps, { session, undo, ground }: Revert, signal: AbortSignal): Promise<SessionRepository> {
  const { headSha, headRef, baseSha } = session.fixup;
  const { facts, workspace } = ground;
  const alsoKeep = [baseSha, undo.commitSha, undo.parentSha];
  const want = { id: toRunId(session.id), headSha, headRef, baseRef: facts.baseRef, alsoKeep };
  const repository = await openRepository(deps, workspace, want, signal);
  goOn(deps, session);
  return repository;
}

/** The tree of the head without the fixup. */
async function toRevertedTree(
  { git }: Pick<Deps, 'git'>,
  of: { readonly repository: SessionRepository; readonly undo: UndoOrder; readonly headSha: Sha },
  signal: AbortSignal,
): Promise<OrEnded<Sha>> {
  const { repository, undo, headSha } = of;
  const { commitSha, parentSha } = undo;
  const merge = await git.revertTree(repository, { commitSha, parentSha, onto: headSha }, signal);
  switch (merge.kind) {
    case 'clean':
      return ok(merge.treeSha);
    case 'merged':
      return rejected('UNDO_GONE', describeGone(undo));
    case 'conflicted':
      return rejected('UNDO_CONFLICT', describeConflict(undo, merge.named));
    case 'missing':
      return rejected('WORKSPACE_FAILED', `The commit ${commitSha} is in the repository no more. Nothing was pushed.`);
  }
}

/** GitHub takes no workflow file from the App that is not on another branch already: told before a push is tried. */
async function findForbidden(
  { git }: Pick<Deps, 'git'>,
  of: { readonly repository: SessionRepository; readonly treeSha: Sha; readonly facts: ReadFacts },
  signal: AbortSignal,
): Promise<ReturnType<typeof rejected> | null> {
  const { repository, treeSha: to, facts } = of;
  const fromHead = await git.diffTrees(repository, { from: facts.headSha, to, maxPatchBytes: 0 }, signal);
  const fromBase = await git.diffTrees(repository, { from: facts.baseSha, to, maxPatchBytes: 0 }, signal);
  const paths = findNewWorkflows(fromHead.changes, fromBase.changes);
  if (paths.length === 0) return null;
  const why = `The revert changes ${toNamesText(paths)}, and GitHub lets no App without the permission \`workflows\` push that. Nothing was pushed.`;
  return rejected('WORKFLOWS_FORBIDDEN', why);
}
