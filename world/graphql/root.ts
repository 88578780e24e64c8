import { findRepository } from '../find.ts';
import { isSeenBy, threadCommentsSeenBy } from '../seen-by.ts';
import type { Review, ReviewComment, ReviewThread } from '../state.ts';
import { demand, type GraphContext, hasAccess, repositoryOf, viewerOf } from './access.ts';
import { actorNode } from './actor-node.ts';
import { checkRunNode } from './commit-node.ts';
import { type FieldArguments, type GraphNode, graphError, noNode, stringArgument, stringsArgument } from './node.ts';
import { pullMutations } from './pull-mutations.ts';
import { pullNode } from './pull-node.ts';
import { repositoryNode } from './repository-node.ts';
import { issueCommentNode, reviewCommentNode, reviewNode, threadNode } from './thread-node.ts';

const RATE_LIMIT = 5000;

/** The fields of Query and Mutation. */
export function createRoot(context: GraphContext): GraphNode {
  return {
    __typename: 'Query',
    repository: (args: FieldArguments) => findRepositoryNode(context, args),
    node: async (args: FieldArguments) => await findNode(context, stringArgument(args, 'id') ?? ''),
    nodes: (args: FieldArguments) => stringsArgument(args, 'ids').map(async (id) => await findNode(context, id)),
    viewer: () => actorNode(context, viewerOf(context)),
    rateLimit: () => ({
      __typename: 'RateLimit',
      cost: 1,
      limit: RATE_LIMIT,
      nodeCount: 1,
      used: 1,
      remaining: RATE_LIMIT - 1,
      resetAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    ...pullMutations(context),
  };
}

function findRepositoryNode(context: GraphContext, args: FieldArguments): GraphNode {
  const name = `${stringArgument(args, 'owner') ?? ''}/${stringArgument(args, 'name') ?? ''}`;
  const repository = findRepository(context.world.state, name);
  if (repository === null || !hasAccess(context, repository, 'metadata')) {
    throw graphError('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
  }
  return repositoryNode(context, repository);
}

/** The row with the global id, after checking the permission. */
async function findNode(context: GraphContext, id: string): Promise<GraphNode> {
  const { state } = context.world;
  const [prefix = '', digits = ''] = id.split('_');
  const key = Number(digits);
  const finders: Readonly<Record<string, () => Promise<GraphNode | null> | GraphNode | null>> = {
    PRRT: () => onRow(context, seenThread(context, key), threadNode),
    PRRC: () => onRow(context, seenComment(context, key), reviewCommentNode),
    PRR: () => onRow(context, seenReview(context, key), reviewNode),
    IC: () => onRow(context, state.issueComments.get(key), issueCommentNode),
    CR: () => onRow(context, state.checkRuns.get(key), checkRunNode),
    PR: async () => await onRow(context, state.pulls.get(key), pullNode),
    R: () =>
      onRow(context, state.repositories.has(key) ? { repositoryId: key } : undefined, (inner, row) => {
        return repositoryNode(inner, repositoryOf(inner, row));
      }),
  };
  const node = await finders[prefix]?.();
  if (node === undefined || node === null) throw noNode(id);
  return node;
}

function seenThread(context: GraphContext, key: number): ReviewThread | undefined {
  const { state } = context.world;
  const thread = state.reviewThreads.get(key);
  if (thread === undefined) return undefined;
  return threadCommentsSeenBy(state, thread, viewerOf(context)).length > 0 ? thread : undefined;
}

function seenComment(context: GraphContext, key: number): ReviewComment | undefined {
  const { state } = context.world;
  const comment = state.reviewComments.get(key);
  return comment !== undefined && isSeenBy(state, comment, viewerOf(context)) ? comment : undefined;
}

function seenReview(context: GraphContext, key: number): Review | undefined {
  const review = context.world.state.reviews.get(key);
  return review?.state === 'PENDING' && review.authorLogin !== viewerOf(context) ? undefined : review;
}

function onRow<T extends { readonly repositoryId: number }, N>(
  context: GraphContext,
  row: T | undefined,
  render: (context: GraphContext, row: T) => N,
): N | null {
  if (row === undefined || !hasAccess(context, repositoryOf(context, row), 'metadata')) return null;
  demand(context, repositoryOf(context, row), 'pull_requests');
  return render(context, row);
}
