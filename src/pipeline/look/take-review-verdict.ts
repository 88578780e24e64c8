import type { Policy } from '../../core/model/policy.ts';
import type { Actor, PullRequestFacts } from '../../core/model/pull-request.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import {
  findAskers,
  type GivenAnswer,
  type ReviewVerdict,
  toReviewVerdict,
} from '../../core/reviews/review-verdict.ts';
import type { Deps } from '../deps.ts';

/** Maximum age of a permission used for a decision. Before an effect it is read live. */
export const DECIDING_AGE_MS = 5 * 60_000;
/** The number of people whose permission one look reads. Requests of others are ignored. */
const MAX_ASKERS = 30;
/** Outcome of an `answer` intent whose commit is no longer part of the head: its answers are void. */
export const ANSWERS_LOST = 'lost';

/** Input of the verdict. */
export interface ReviewRead {
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly workspace: Pick<Workspace, 'key' | 'repository'>;
  /** Slug of our App. Our own comments request nothing (trap 145). */
  readonly ownSlug: string;
}

/** The verdict over the reviews under the policy. `writers` comes from `readReviewWriters`. */
export function takeReviewVerdict(
  deps: Pick<Deps, 'store'>,
  read: ReviewRead & { readonly writers: ReadonlySet<number> | null },
): ReviewVerdict {
  return toReviewVerdict({ ...toInput(deps, read), writers: read.writers });
}

/**
 * Ids of people whose requests would lead to an action and who may write to the repository (their permission may be `maxAgeMs`
 * old). Checked because anybody may comment on a public pull request (T56). Makes no call if there are no such requests.
 */
export async function readReviewWriters(
  deps: Pick<Deps, 'github' | 'store'>,
  read: ReviewRead & { readonly maxAgeMs: number },
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const writers = new Set<number>();
  for (const asker of findAskers(toInput(deps, read)).slice(0, MAX_ASKERS)) {
    if (await mayWrite(deps, read, asker, signal)) writers.add(asker.id);
  }
  return writers;
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
    given: toGivenAnswers(deps, workspace),
  };
}

/** Answers that were pushed, even if GitHub does not show them yet. So nothing is launched twice for one comment (002.R31). */
function toGivenAnswers({ store }: Pick<Deps, 'store'>, { key }: ReviewRead['workspace']): readonly GivenAnswer[] {
  return store.recentAnswers(key, REMEMBERED_SESSIONS).flatMap(({ effect, outcome, sessionId, createdAt }) => {
    if (effect.kind !== 'answer' || outcome === ANSWERS_LOST) return [];
    const at = (sessionId === null ? null : store.session(sessionId))?.startedAt ?? createdAt;
    return effect.answers.map(({ itemId, newestCommentId }) => ({ itemId, commentId: newestCommentId, at }));
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
