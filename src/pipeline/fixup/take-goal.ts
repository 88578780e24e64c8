import { createLeft } from '../../core/ci/to-ci-failure.ts';
import { assertNever } from '../../core/model/errors.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import { type FixupSession, REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { isSameFailure } from '../../core/sessions/is-same-failure.ts';
import type { Deps } from '../deps.ts';
import { readKnownFindings } from '../look/read-known-findings.ts';
import { toFailingChecks } from '../look/take-ci-verdict.ts';
import { readReviewWriters, takeReviewVerdict } from '../look/take-review-verdict.ts';
import { AGES_AT_START } from './check-ground.ts';
import type { FixupGoal } from './fixup-session.ts';

/** What the fixup has to do, from facts just read; null if its cause is gone. */
export async function takeGoal(
  deps: Pick<Deps, 'clock' | 'github' | 'settings' | 'store'>,
  session: FixupSession,
  read: { readonly facts: PullRequestFacts; readonly workspace: Workspace; readonly policy: Policy },
  signal: AbortSignal,
): Promise<FixupGoal | null> {
  const { accept } = session.fixup;
  if (accept !== undefined) {
    const held = deps.store.session(accept.sessionId)?.outcome;
    return held?.kind === 'held' ? { kind: 'accepted', held, by: accept } : null;
  }
  switch (session.fixup.action) {
    case 'FIX_CI':
      return takeCiGoal(deps, session, read);
    case 'FIX_REVIEW': {
      const own = { ...read, ownSlug: await deps.github.readSlug(signal) };
      const writers = await readReviewWriters(deps, { ...own, maxAgeMs: AGES_AT_START.factsMs }, signal);
      const review = takeReviewVerdict(deps, { ...own, writers });
      return review.actionable.length === 0 ? null : { kind: 'review', review };
    }
    case 'FIX_MERGE_CONFLICT':
      return { kind: 'merge' };
    default:
      return assertNever(session.fixup.action);
  }
}

function takeCiGoal(
  deps: Pick<Deps, 'clock' | 'github' | 'store'>,
  session: FixupSession,
  { facts, workspace, policy }: Parameters<typeof takeGoal>[2],
): FixupGoal | null {
  const isLeft = createLeft(workspace.diagnosis ?? { person: [], redOnBase: [] }, policy);
  const failing = toFailingChecks(deps, facts, policy).filter(isLeft);
  const findings = readKnownFindings(deps, workspace, facts, policy) ?? [];
  if (failing.length === 0 && findings.length === 0) return null;
  const ended = deps.store.endedSessions(session.key, REMEMBERED_SESSIONS);
  return { kind: 'ci', failing, findings, sameAsBefore: isSameFailure(ended, session.fixup.signature) };
}
