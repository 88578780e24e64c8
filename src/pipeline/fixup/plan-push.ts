import { toDiffStat } from '../../core/judge/to-diff-stat.ts';
import type { Sha } from '../../core/model/ids.ts';
import { FIXUP_QUEUE } from '../../core/model/queues.ts';
import type { SessionOutcome } from '../../core/model/session.ts';
import { signOff } from '../../core/sessions/commit-message.ts';
import type { ImportedTree } from '../../ports/git.ts';
import type { PushEffect } from '../../ports/store.ts';
import type { Deps, Lease } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

type Pushed = SessionOutcome & { readonly kind: 'pushed' };

/** A tree that may be pushed, and everything that its commit and its end say. */
export interface PlannedCommit {
  readonly tree: Pick<ImportedTree, 'treeSha' | 'changes'>;
  /** The first is the head. */
  readonly parents: readonly Sha[];
  readonly message: string;
  readonly isGroundChecked: boolean;
  /** null: the change does not depend on the policy. */
  readonly judgedBy: NonNullable<PushEffect['judgedBy']> | null;
  readonly outcome: Omit<Pushed, 'kind' | 'commitSha' | 'diff' | 'files'>;
}

/** Builds the commit, keeps it in the mirror, and writes the intent. From then on a restart finishes the push. */
export async function planPush(
  deps: Deps,
  { session, repository, identity }: Pick<PreparedFixup, 'session' | 'repository' | 'identity'>,
  planned: PlannedCommit,
  lease: Lease,
): Promise<void> {
  const { fixup } = session;
  const { tree, parents, message, judgedBy, outcome } = planned;
  const now = deps.clock.now();
  const signed = deps.settings.signsOff ? signOff(message, identity) : message;
  const commit = { treeSha: tree.treeSha, message: signed, parents, identity, at: now };
  const commitSha = await deps.git.createCommit(repository, commit, lease.signal);
  await deps.git.keepCommit(repository, { commitSha, as: 'intent' }, lease.signal);
  lease.signal.throwIfAborted();
  if (!deps.store.holdsLease(FIXUP_QUEUE, session.id, lease.leaseId))
    throw new Error('the lease was lost before the push was planned');
  deps.store.openIntent({
    uniqueKey: session.id,
    key: session.key,
    sessionId: session.id,
    effect: {
      kind: 'push',
      commitSha,
      branch: fixup.headRef,
      oldSha: fixup.headSha,
      groundCheckedAt: planned.isGroundChecked ? now : null,
      ...(judgedBy === null ? {} : { judgedBy }),
      outcome: {
        ...{ kind: 'pushed', commitSha, ...outcome },
        diff: toDiffStat(tree.changes),
        files: tree.changes.map(({ path }) => path),
      },
    },
    createdAt: now,
  });
  deps.log.info({ sessionId: session.id, key: session.key, commitSha }, 'push planned');
}
