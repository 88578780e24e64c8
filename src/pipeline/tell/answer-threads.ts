import { GitHubError } from '../../core/model/errors.ts';
import type { SessionId, Sha } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { renderReviewBody, renderThreadReply } from '../../core/render/render-review-replies.ts';
import { planReplies, type ReplyPlan } from '../../core/reviews/plan-replies.ts';
import type { AnswerEffect, Intent } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { ANSWERS_LOST } from '../look/take-review-verdict.ts';
import type { Look } from '../look/take-snapshot.ts';

type AnswerDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'redact' | 'store'>;

/** A head without our commit may come from a lagging replica. After this time it is believed. */
const LOST_AFTER_MS = 15 * 60_000;
/** Replies that fail for this long are given up. */
const EXPIRED_AFTER_MS = 24 * 60 * 60_000;

/** An open `answer` intent. */
type OwedAnswer = Intent & { readonly effect: AnswerEffect; readonly sessionId: SessionId };

/**
 * Posts the replies owed for earlier pushes, one review per push, then resolves the threads that the policy allows. Only while the
 * pull request is open and Ratchet may act on it (resolution S9; trap 62). A refusal by GitHub does not stop the loop.
 */
export async function answerThreads(deps: AnswerDeps, look: Look, signal: AbortSignal): Promise<void> {
  const { facts } = look;
  if (facts === null) return;
  for (const intent of deps.store.openAnswers(look.workspace.key)) {
    const { effect, sessionId } = intent;
    if (effect.kind !== 'answer' || sessionId === null) continue;
    await answerOnce(deps, { look, facts }, { ...intent, effect, sessionId }, signal);
  }
}

interface LookAtFacts {
  readonly look: Look;
  readonly facts: PullRequestFacts;
}

async function answerOnce(deps: AnswerDeps, at: LookAtFacts, owed: OwedAnswer, signal: AbortSignal): Promise<void> {
  const ageMs = deps.clock.now() - owed.createdAt;
  try {
    if (mayAnswer(deps, at)) await answer(deps, at, { owed, ageMs }, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof GitHubError)) throw error;
    deps.log.warn({ key: owed.key, sessionId: owed.sessionId, code: error.code, error }, 'replies were not made');
    if (error.retry === 'never') {
      settle(deps, owed, { outcome: 'refused', reason: `GitHub refused the replies to the review (${error.code}).` });
    }
  }
  if (ageMs >= EXPIRED_AFTER_MS) {
    settle(deps, owed, { outcome: 'expired', reason: 'The replies to the review could not be made for a day.' });
  }
}

/** Reads the workspace again: it may have been disabled or paused since the look began. */
function mayAnswer({ store }: Pick<Deps, 'store'>, { look, facts }: LookAtFacts): boolean {
  const workspace = store.workspace(look.workspace.key);
  const isOn = workspace?.enablement === 'enabled' && workspace.pause === null;
  const isHeld = look.snapshot.pullRequest?.holdLabel === true;
  return isOn && !isHeld && facts.state === 'open' && !facts.fork && look.policy.mode === 'push';
}

async function answer(
  deps: AnswerDeps,
  { look, facts }: LookAtFacts,
  { owed, ageMs }: { readonly owed: OwedAnswer; readonly ageMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = look;
  const { commitSha } = owed.effect;
  if (!(await isPartOfHead(deps, { workspace, facts, commitSha }, signal))) {
    if (ageMs < LOST_AFTER_MS) return;
    const reason = `${commitSha} is not part of the branch any more: the review that it answered is open again.`;
    settle(deps, owed, { outcome: ANSWERS_LOST, reason });
    return;
  }
  const input = {
    answers: owed.effect.answers,
    seenAt: deps.store.session(owed.sessionId)?.startedAt ?? owed.createdAt,
    author: facts.author,
    ownSlug: await deps.github.readSlug(signal),
    mayResolve: look.policy.reviews.resolveThreads,
  };
  const plan = planReplies({ ...input, threads: facts.threads });
  const after = await postReplies(deps, { look, facts }, { owed, plan }, signal);
  const threads = plan.resolve.length === 0 ? [] : (after ?? (await readThreads(deps, workspace, signal)));
  const { resolve } = planReplies({ ...input, threads });
  const resolved = await resolveThreads(deps, workspace, resolve, signal);
  const said = plan.replies.length + plan.requests.length;
  settle(deps, owed, { outcome: 'answered', reason: `Answered ${said} review items, resolved ${resolved} threads.` });
}

/** Reads the threads again after the replies. A comment made meanwhile must not be hidden in a resolved thread. */
async function readThreads(
  { github }: Pick<Deps, 'github'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<PullRequestFacts['threads']> {
  return (await github.readPullRequest(workspace, signal))?.threads ?? [];
}

/** Checks ancestry, not equality: the head may have new commits or a merge of the base on top (traps 58, 59). */
async function isPartOfHead(
  { github }: Pick<Deps, 'github'>,
  at: { readonly workspace: Workspace; readonly facts: PullRequestFacts; readonly commitSha: Sha },
  signal: AbortSignal,
): Promise<boolean> {
  const { commitSha } = at;
  const { headSha, headParents } = at.facts;
  if (headSha === commitSha || headParents.includes(commitSha)) return true;
  return (await github.readMergeBase(at.workspace.repository, commitSha, headSha, signal)) === commitSha;
}

/** Returns the threads including the replies; null: they must be read. */
async function postReplies(
  deps: AnswerDeps,
  { look, facts }: LookAtFacts,
  { owed, plan }: { readonly owed: OwedAnswer; readonly plan: ReplyPlan },
  signal: AbortSignal,
): Promise<PullRequestFacts['threads'] | null> {
  const answers = [...plan.replies.map((reply) => reply.answer), ...plan.requests];
  if (answers.length === 0) return null;
  const redact = deps.redact;
  const { commitSha } = owed.effect;
  const by = { commitSha, url: deps.github.commitUrl(look.workspace.repository, commitSha) };
  const requests = plan.requests.map((answer) => ({ author: toAuthor(facts, answer.itemId), answer }));
  const marker = `<!-- ratchet:review:${owed.sessionId} -->`;
  const replies = plan.replies.map(({ threadId, answer, mark }) => ({
    threadId,
    body: redact(renderThreadReply(answer, by, mark)),
  }));
  const body = redact(renderReviewBody(answers, requests, by, marker));
  const threads = await deps.github.postReview(look.workspace, { marker, body, replies }, signal);
  deps.log.info({ key: owed.key, sessionId: owed.sessionId, commitSha, replies: replies.length }, 'review answered');
  return threads;
}

function toAuthor({ reviews }: PullRequestFacts, itemId: string): string | null {
  return reviews.find(({ id }) => itemId === `review:${id}`)?.author?.login ?? null;
}

/** Returns how many threads were resolved. A refusal is only logged. */
async function resolveThreads(
  deps: Pick<Deps, 'github' | 'log'>,
  { repository, key }: Workspace,
  threadIds: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const threadId of threadIds) {
    const result = await deps.github.resolveThread(repository, threadId, signal);
    if (result.kind === 'asked') count += 1;
    else deps.log.warn({ key, threadId, why: result.why }, 'a thread was not resolved');
  }
  return count;
}

const CODES = {
  answered: 'REVIEW_ANSWERED',
  refused: 'ANSWERS_REFUSED',
  expired: 'ANSWERS_EXPIRED',
  [ANSWERS_LOST]: 'ANSWERS_LOST',
} as const;

/** Settles once; a second call changes nothing. */
function settle(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { id, key }: OwedAnswer,
  end: { readonly outcome: keyof typeof CODES; readonly reason: string },
): void {
  const now = clock.now();
  const code = CODES[end.outcome];
  const transition = { key, action: 'EFFECT', code, reason: end.reason, snapshot: null, createdAt: now } as const;
  store.settleIntent(id, end.outcome, now, { transition });
}
