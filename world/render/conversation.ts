import { rowOf } from '../find.ts';
import { changedFiles } from '../git/compare.ts';
import type { JsonObject } from '../json.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import { threadCommentsSeenBy } from '../seen-by.ts';
import type { IssueComment, Pull, Reaction, Review, ReviewComment, ReviewThread } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { renderUser } from './accounts.ts';
import { renderAssociation } from './pulls.ts';
import { repositoryApi, repositoryPage } from './repositories.ts';

const CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

function renderReactionCounts(world: WorldContext, subject: Reaction['subject'], id: number, url: string): JsonObject {
  const reactions = [...world.state.reactions.values()].filter(
    (row) => row.subject === subject && row.subjectId === id,
  );
  const count = (content: string): number => reactions.filter((row) => row.content === content).length;
  return {
    url: `${url}/reactions`,
    total_count: reactions.length,
    ...Object.fromEntries(CONTENTS.map((content) => [content, count(content)])),
  };
}

/** A comment on the conversation tab. */
export function renderIssueComment(world: WorldContext, comment: IssueComment): JsonObject {
  const repository = rowOf(world.state.repositories, comment.repositoryId);
  const api = repositoryApi(world, repository);
  const url = `${api}/issues/comments/${comment.id}`;
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url,
    html_url: `${repositoryPage(world, repository)}/pull/${comment.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${comment.number}`,
    user: renderUser(world, comment.authorLogin),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: renderAssociation(repository, comment.authorLogin),
    body: comment.body,
    reactions: renderReactionCounts(world, 'issue-comment', comment.id, url),
    performed_via_github_app: null,
  };
}

export function renderReview(world: WorldContext, review: Review): JsonObject {
  const repository = rowOf(world.state.repositories, review.repositoryId);
  const pullUrl = `${repositoryApi(world, repository)}/pulls/${review.number}`;
  const page = `${repositoryPage(world, repository)}/pull/${review.number}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: renderUser(world, review.authorLogin),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: renderAssociation(repository, review.authorLogin),
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

async function readHunk(world: WorldContext, thread: ReviewThread): Promise<string> {
  const repository = rowOf(world.state.repositories, thread.repositoryId);
  const pull = world.state.pulls
    .values()
    .find((row) => row.repositoryId === thread.repositoryId && row.number === thread.number);
  if (pull === undefined) return '';
  const { baseSha } = await readPullTips(world, pull);
  const files = await changedFiles(repository.git, baseSha, thread.commitSha);
  return files.find((file) => file.filename === thread.path)?.patch ?? `@@ -${thread.line} +${thread.line} @@`;
}

/** A review comment on a line of the diff. */
export async function renderReviewComment(world: WorldContext, comment: ReviewComment): Promise<JsonObject> {
  const repository = rowOf(world.state.repositories, comment.repositoryId);
  const thread = rowOf(world.state.reviewThreads, comment.threadId);
  const api = repositoryApi(world, repository);
  const url = `${api}/pulls/comments/${comment.id}`;
  const pullUrl = `${api}/pulls/${comment.number}`;
  const page = `${repositoryPage(world, repository)}/pull/${comment.number}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    diff_hunk: await readHunk(world, thread),
    path: thread.path,
    commit_id: thread.commitSha,
    original_commit_id: thread.commitSha,
    user: renderUser(world, comment.authorLogin),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: renderAssociation(repository, comment.authorLogin),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    reactions: renderReactionCounts(world, 'review-comment', comment.id, url),
    start_line: null,
    original_start_line: null,
    start_side: null,
    line: thread.line,
    original_line: thread.line,
    side: 'RIGHT',
    position: thread.line,
    original_position: thread.line,
    subject_type: 'line',
    ...(comment.inReplyToId === null ? {} : { in_reply_to_id: comment.inReplyToId }),
  };
}

export function renderReaction(world: WorldContext, reaction: Reaction): JsonObject {
  return {
    id: reaction.id,
    node_id: `REA_${reaction.id}`,
    user: renderUser(world, reaction.login),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** A review thread with its comments, in `pull_request_review_thread` events. */
export async function renderThread(world: WorldContext, thread: ReviewThread): Promise<JsonObject> {
  const comments = threadCommentsSeenBy(world.state, thread, null);
  return {
    node_id: `PRRT_${thread.id}`,
    comments: await Promise.all(comments.map((comment) => renderReviewComment(world, comment))),
  };
}

/** The pull request of a comment, review or thread; throws if there is none. */
export function pullOf(world: WorldContext, row: { readonly repositoryId: number; readonly number: number }): Pull {
  const pull = world.state.pulls
    .values()
    .find((candidate) => candidate.repositoryId === row.repositoryId && candidate.number === row.number);
  if (pull === undefined) throw new Error(`No pull request ${row.number}`);
  return pull;
}
