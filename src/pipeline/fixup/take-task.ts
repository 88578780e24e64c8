import { assertNever } from '../../core/model/errors.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import { toFailingChecks } from '../look/take-ci-verdict.ts';
import { readReviewWriters, takeReviewVerdict } from '../look/take-review-verdict.ts';
import { AGES_AT_START } from './check-ground.ts';
import type { FixupTask } from './fixup-session.ts';

/** What the fixup has to do now, from what was just read; null when its cause is gone. */
export async function takeTask(
  deps: Pick<Deps, 'clock' | 'github' | 'settings' | 'store'>,
  session: FixupSession,
  read: { readonly facts: PullRequestFacts; readonly workspace: Workspace; readonly policy: Policy },
  signal: AbortSignal,
): Promise<FixupTask | null> {
  const { facts, workspace, policy } = read;
  switch (session.fixup.action) {
    case 'FIX_CI': {
      const redOnBase = new Set(policy.ci.fixRedOnBase ? [] : (workspace.diagnosis?.redOnBase ?? []));
      const failing = toFailingChecks(deps, facts, policy).filter(({ name }) => !redOnBase.has(name));
      return failing.length === 0 ? null : { kind: 'ci', failing, sameAsBefore: isSameAsBefore(deps, session) };
    }
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

/** The last fixup was pushed for the very same failure (002.R31): told to the agent, and to people. */
function isSameAsBefore({ store }: Pick<Deps, 'store'>, { key, fixup }: FixupSession): boolean {
  if (fixup.signature === null) return false;
  const lastPushed = store.endedSessions(key, LOOKED_BACK).find(({ outcome }) => outcome?.kind === 'pushed');
  return lastPushed?.fixup?.signature === fixup.signature;
}

const LOOKED_BACK = 20;
