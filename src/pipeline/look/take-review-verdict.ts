import type { Policy } from '../../core/model/policy.ts';
import type { Actor, PullRequestFacts } from '../../core/model/pull-request.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { GivenAnswer } from '../../core/reviews/judge-reviews.ts';
import type { ReviewAccounts } from '../../core/reviews/review-accounts.ts';
import { findAskers, type ReviewVerdict, toReviewVerdict } from '../../core/reviews/review-verdict.ts';
import type { Deps } from '../deps.ts';

/** Maximum age of a permission used for a decision. Before an effect it is read live. */
export const DECIDING_AGE_MS = 5 * 60_000;
/** The number of people whose permission one look reads. What others ask for is left to a person. */
const MAX_ASKERS = 30;
/** Outcome of an `answer` intent whose commit is no longer part of the head: its answers are void. */
export const ANSWERS_LOST = 'lost';

/** Input of the verdict. */
export interface ReviewRead {
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly workspace: Pick<Workspace, 'key' | 'pause' | 'repository'>;
  /** Slug of our App. Our own comments request nothing (trap 145). */
  readonly ownSlug: string;
}

/** Which people may write, as far as it was read. */
export type Writers = Pick<ReviewAccounts, 'writers' | 'unread'>;

/** Everybody counts, because no permission was read. */
export const ALL_WRITERS: Writers = { writers: null, unread: new Set() };

/** The verdict over the reviews under the policy. `writers` comes from `readReviewWriters`. */
export function takeReviewVerdict(
  deps: Pick<Deps, 'store'>,
  read: ReviewRead & { readonly writers: Writers },
): ReviewVerdict {
  return toReviewVerdict({ ...toInput(deps, read), ...read.writers });
}

/**
 * Which of the people whose words matter may write to the repository (their permission may be `maxAgeMs` old). Checked because
 * anybody may comment on a public pull request (T56). Makes no call if there are no such people.
 */
export async function readReviewWriters(
  deps: Pick<Deps, 'github' | 'store'>,
  read: ReviewRead & { readonly maxAgeMs: number },
  signal: AbortSignal,
): Promise<Writers> {
  const writers = new Set<number>();
  const askers = findAskers(toInput(deps, read));
  for (const asker of askers.slice(0, MAX_ASKERS)) {
    if (await mayWrite(deps, read, asker, signal)) writers.add(asker.id);
  }
  return { writers, unread: new Set(askers.slice(MAX_ASKERS).map(({ id }) => id)) };
}

function toInput(
  deps: Pick<Deps, 'store'>,
  { facts, policy, workspace, ownSlug }: ReviewRead,
): Parameters<typeof findAskers>[0] {
  return {
    threads: facts.threads,
    reviews: facts.reviews,
    author: facts.author,
    ownSlug,
    policy: policy.reviews,
    given: toGivenAnswers(deps, workspace, policy),
    mustResolveThreads: facts.rules.mustResolveThreads,
  };
}

/** Answers that were pushed, even if GitHub does not show them yet. So nothing is launched twice for one comment (002.R31). */
function toGivenAnswers(
  { store }: Pick<Deps, 'store'>,
  { key, pause }: ReviewRead['workspace'],
  policy: Policy,
): readonly GivenAnswer[] {
  const mayResolve = policy.reviews.resolveThreads && policy.mode === 'push' && pause === null;
  return store.recentAnswers(key, REMEMBERED_SESSIONS).flatMap(({ effect, outcome, sessionId, createdAt }) => {
    if (effect.kind !== 'answer' || outcome === ANSWERS_LOST) return [];
    const at = (sessionId === null ? null : store.session(sessionId))?.startedAt ?? createdAt;
    return effect.answers.map(({ itemId, newestCommentId, status, reason }) => ({
      ...{ itemId, commentId: newestCommentId, at, status, words: reason },
      resolvesSoon: outcome === null && mayResolve && status === 'fixed',
    }));
  });
}

async function mayWrite(
  { github }: Pick<Deps, 'github'>,
  { workspace: { repository }, maxAgeMs }: Pick<ReviewRead, 'workspace'> & { readonly maxAgeMs: number },
  { id, login }: Actor,
  signal: AbortSignal,
): Promise<boolean> {
  const { userId, permission } = await github.readPermission(repository, login, signal, maxAgeMs);
  return userId === id && (permission === 'write' || permission === 'admin');
}
