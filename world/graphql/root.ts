import { accessTo, loginOf } from '../auth/caller.ts';
import { findRepository } from '../find.ts';
import { addReply, setThreadResolved } from '../operations/change-conversation.ts';
import type { ReviewThread } from '../state.ts';
import { demand, type GraphContext, repositoryOf } from './access.ts';
import { actorNode } from './actor-node.ts';
import { checkRunNode } from './commit-node.ts';
import { type FieldArguments, type GraphNode, graphError, stringArgument } from './node.ts';
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
    viewer: () => actorNode(context, loginOf(context.world, context.caller)),
    rateLimit: () => ({
      __typename: 'RateLimit',
      cost: 1,
      limit: RATE_LIMIT,
      nodeCount: 1,
      used: 1,
      remaining: RATE_LIMIT - 1,
      resetAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    resolveReviewThread: async (args: FieldArguments) => await setResolved(context, inputOf(args), true),
    unresolveReviewThread: async (args: FieldArguments) => await setResolved(context, inputOf(args), false),
    addPullRequestReviewThreadReply: async (args: FieldArguments) => {
      const input = inputOf(args);
      const thread = findThread(context, stringArgument(input, 'pullRequestReviewThreadId') ?? '');
      const remark = { login: loginOf(context.world, context.caller), body: stringArgument(input, 'body') ?? '' };
      const comment = await addReply(context.world, thread, remark);
      return {
        clientMutationId: stringArgument(input, 'clientMutationId'),
        comment: reviewCommentNode(context, comment),
      };
    },
  };
}

function inputOf(args: FieldArguments): FieldArguments {
  const { input } = args;
  return typeof input === 'object' && input !== null ? { ...input } : {};
}

function findRepositoryNode(context: GraphContext, args: FieldArguments): GraphNode {
  const name = `${stringArgument(args, 'owner') ?? ''}/${stringArgument(args, 'name') ?? ''}`;
  const repository = findRepository(context.world.state, name);
  const need = { permission: 'metadata', level: 'read' } as const;
  if (repository === null || accessTo(context.caller, repository, need) !== 'granted') {
    throw graphError('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
  }
  return repositoryNode(context, repository);
}

function noNode(id: string): Error {
  return graphError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** The row a global id names, with the permission that its kind needs. */
async function findNode(context: GraphContext, id: string): Promise<GraphNode> {
  const { state } = context.world;
  const [prefix = '', digits = ''] = id.split('_');
  const key = Number(digits);
  const finders: Readonly<Record<string, () => Promise<GraphNode | null> | GraphNode | null>> = {
    PRRT: () => onRow(context, state.reviewThreads.get(key), threadNode),
    PRRC: () => onRow(context, state.reviewComments.get(key), reviewCommentNode),
    PRR: () => onRow(context, state.reviews.get(key), reviewNode),
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

function onRow<T extends { readonly repositoryId: number }, N>(
  context: GraphContext,
  row: T | undefined,
  render: (context: GraphContext, row: T) => N,
): N | null {
  if (row === undefined) return null;
  demand(context, repositoryOf(context, row), 'pull_requests');
  return render(context, row);
}

function findThread(context: GraphContext, id: string): ReviewThread {
  const thread = context.world.state.reviewThreads.get(Number(id.replace('PRRT_', '')));
  if (thread === undefined) throw noNode(id);
  demand(context, repositoryOf(context, thread), 'pull_requests', 'write');
  return thread;
}

async function setResolved(context: GraphContext, input: FieldArguments, isResolved: boolean): Promise<unknown> {
  const thread = findThread(context, stringArgument(input, 'threadId') ?? '');
  const changed = await setThreadResolved(context.world, thread, isResolved, loginOf(context.world, context.caller));
  return { clientMutationId: stringArgument(input, 'clientMutationId'), thread: threadNode(context, changed) };
}
