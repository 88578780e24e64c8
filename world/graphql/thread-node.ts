import { rowOf, toFullName } from '../find.ts';
import { isLineChanged } from '../git/compare.ts';
import { readCommit } from '../git/repository.ts';
import { commentsOf } from '../operations/change-reviews.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import { pullOf, renderReviewComment } from '../render/conversation.ts';
import { renderAssociation } from '../render/pulls.ts';
import { isPending, isSeenBy, reviewsSeenBy, threadCommentsSeenBy } from '../seen-by.ts';
import type { IssueComment, Pull, Review, ReviewComment, ReviewThread } from '../state.ts';
import { type GraphContext, hasAccess, repositoryOf, viewerOf } from './access.ts';
import { actorNode } from './actor-node.ts';
import { commitNode } from './commit-node.ts';
import { connection, type FieldArguments, type GraphNode } from './node.ts';

async function isOutdated(context: GraphContext, thread: ReviewThread): Promise<boolean> {
  const { headSha } = await readPullTips(context.world, pullOf(context.world, thread));
  return await isLineChanged(repositoryOf(context, thread).git, { from: thread.commitSha, to: headSha }, thread);
}

/** A review thread. As on GitHub, `line` is null once it is outdated. */
export function threadNode(context: GraphContext, thread: ReviewThread): GraphNode {
  const { world } = context;
  const isResolved = thread.resolvedByLogin !== null;
  const repository = repositoryOf(context, thread);
  const mayReply = hasAccess(context, repository, 'pull_requests', 'write');
  const mayResolve = mayReply && hasAccess(context, repository, 'contents', 'write');
  return {
    __typename: 'PullRequestReviewThread',
    id: `PRRT_${thread.id}`,
    isResolved,
    isCollapsed: isResolved,
    isOutdated: async () => await isOutdated(context, thread),
    path: thread.path,
    line: async () => ((await isOutdated(context, thread)) ? null : thread.line),
    startLine: null,
    originalLine: thread.line,
    originalStartLine: null,
    diffSide: 'RIGHT',
    startDiffSide: null,
    subjectType: 'LINE',
    resolvedBy: () => (thread.resolvedByLogin === null ? null : actorNode(context, thread.resolvedByLogin)),
    viewerCanReply: mayReply,
    viewerCanResolve: mayResolve && !isResolved,
    viewerCanUnresolve: mayResolve && isResolved,
    comments: (args: FieldArguments) => {
      const rows = threadCommentsSeenBy(world.state, thread, viewerOf(context));
      return connection('PullRequestReviewCommentConnection', rows, args, (row) => reviewCommentNode(context, row));
    },
  };
}

/** A review comment on a line of the diff. */
export function reviewCommentNode(context: GraphContext, comment: ReviewComment): GraphNode {
  const { world } = context;
  const thread = rowOf(world.state.reviewThreads, comment.threadId);
  const repository = repositoryOf(context, comment);
  const commit = async (): Promise<GraphNode> => {
    return commitNode(context, repository, await readCommit(repository.git, thread.commitSha));
  };
  return {
    ...remark(context, comment, 'PullRequestReviewComment', 'PRRC'),
    url: `${world.url}/${toFullName(repository)}/pull/${comment.number}#discussion_r${comment.id}`,
    path: thread.path,
    line: thread.line,
    originalLine: thread.line,
    startLine: null,
    outdated: async () => await isOutdated(context, thread),
    diffHunk: async () => (await renderReviewComment(world, comment))['diff_hunk'],
    commit,
    originalCommit: commit,
    subjectType: 'LINE',
    state: isPending(world.state, comment) ? 'PENDING' : 'SUBMITTED',
    publishedAt: world.state.reviews.get(comment.reviewId)?.submittedAt ?? null,
    replyTo: () => {
      return comment.inReplyToId === null
        ? null
        : reviewCommentNode(context, rowOf(world.state.reviewComments, comment.inReplyToId));
    },
    pullRequestReview: () => reviewNode(context, rowOf(world.state.reviews, comment.reviewId)),
  };
}

type RemarkRow = Pick<
  IssueComment,
  'id' | 'repositoryId' | 'authorLogin' | 'body' | 'createdAt' | 'updatedAt' | 'lastEditedAt'
>;

function remark(context: GraphContext, row: RemarkRow, typename: string, prefix: string): GraphNode {
  return {
    __typename: typename,
    id: `${prefix}_${row.id}`,
    databaseId: row.id,
    fullDatabaseId: String(row.id),
    body: row.body,
    bodyText: row.body,
    bodyHTML: row.body,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.createdAt,
    lastEditedAt: row.lastEditedAt,
    includesCreatedEdit: row.lastEditedAt !== null,
    isMinimized: false,
    minimizedReason: null,
    author: () => actorNode(context, row.authorLogin),
    authorAssociation: () => renderAssociation(repositoryOf(context, row), row.authorLogin),
    viewerDidAuthor: row.authorLogin === viewerOf(context),
  };
}

/** A comment on the conversation tab. */
export function issueCommentNode(context: GraphContext, comment: IssueComment): GraphNode {
  const name = toFullName(repositoryOf(context, comment));
  const url = `${context.world.url}/${name}/pull/${comment.number}#issuecomment-${comment.id}`;
  return { ...remark(context, comment, 'IssueComment', 'IC'), url };
}

export function reviewNode(context: GraphContext, review: Review): GraphNode {
  const repository = repositoryOf(context, review);
  return {
    ...remark(context, review, 'PullRequestReview', 'PRR'),
    publishedAt: review.submittedAt,
    state: review.state,
    submittedAt: review.submittedAt,
    url: `${context.world.url}/${toFullName(repository)}/pull/${review.number}#pullrequestreview-${review.id}`,
    commit: async () => commitNode(context, repository, await readCommit(repository.git, review.commitSha)),
    comments: (args: FieldArguments) => {
      const { state } = context.world;
      const rows = commentsOf(context.world, review).filter((row) => isSeenBy(state, row, viewerOf(context)));
      return connection('PullRequestReviewCommentConnection', rows, args, (comment) =>
        reviewCommentNode(context, comment),
      );
    },
  };
}

/** The newest review of each reviewer. A comment does not replace an approval or a request for changes. */
export function latestReviews(context: GraphContext, pull: Pull): readonly Review[] {
  const latest = new Map<string, Review>();
  for (const review of reviewsSeenBy(context.world.state, pull, null)) {
    const known = latest.get(review.authorLogin);
    const isOpinion = review.state !== 'COMMENTED';
    if (isOpinion || known === undefined || known.state === 'COMMENTED') latest.set(review.authorLogin, review);
  }
  return [...latest.values()].filter((review) => review.authorLogin !== pull.authorLogin);
}
