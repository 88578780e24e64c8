import { permissionOf } from '../auth/permissions.ts';
import { findPull, toFullName } from '../find.ts';
import { readCommit, resolveCommit } from '../git/repository.ts';
import type { Repository } from '../state.ts';
import { demand, type GraphContext, hasAccess } from './access.ts';
import { actorNode } from './actor-node.ts';
import { commitNode, treeEntryObject } from './commit-node.ts';
import { connection, type FieldArguments, type GraphNode, graphError, numberArgument, stringArgument } from './node.ts';
import { pullNode } from './pull-node.ts';
import { branchNode } from './ref-node.ts';

export function repositoryNode(context: GraphContext, repository: Repository): GraphNode {
  const { world } = context;
  return {
    __typename: 'Repository',
    id: `R_${repository.id}`,
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: toFullName(repository),
    url: `${world.url}/${toFullName(repository)}`,
    owner: () => actorNode(context, repository.ownerLogin),
    isArchived: repository.isArchived,
    isPrivate: repository.isPrivate,
    isFork: repository.parentId !== null,
    isDisabled: false,
    isLocked: false,
    mergeQueue: null,
    viewerPermission: viewerPermission(context, repository),
    defaultBranchRef: async () => await branchNode(context, repository, 'main'),
    ref: async (args: FieldArguments) => {
      const name = stringArgument(args, 'qualifiedName') ?? '';
      return await branchNode(context, repository, name.replace(/^refs\/heads\//u, ''));
    },
    object: async (args: FieldArguments) => await objectNode(context, repository, args),
    pullRequest: async (args: FieldArguments) => {
      demand(context, repository, 'pull_requests');
      const number = numberArgument(args, 'number') ?? 0;
      const pull = findPull(world.state, repository.id, number);
      if (pull === null) {
        throw graphError('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
      }
      return await pullNode(context, pull);
    },
    pullRequests: (args: FieldArguments) => {
      demand(context, repository, 'pull_requests');
      const { states } = args;
      const wanted: readonly unknown[] = Array.isArray(states) ? states : [];
      const rows = [...world.state.pulls.values()]
        .filter((pull) => pull.repositoryId === repository.id)
        .filter(
          (pull) => wanted.length === 0 || wanted.includes(pull.merge === null ? pull.state.toUpperCase() : 'MERGED'),
        );
      return connection('PullRequestConnection', rows, args, async (pull) => await pullNode(context, pull));
    },
  };
}

/** An App's permission follows from its `contents` permission. */
function viewerPermission(context: GraphContext, repository: Repository): string | null {
  const { caller } = context;
  if (caller.kind === 'user') {
    const level = permissionOf(repository, caller.login);
    return level === 'none' ? null : level.toUpperCase();
  }
  return hasAccess(context, repository, 'contents', 'write') ? 'WRITE' : 'READ';
}

/** `object(expression: "sha:path")` or `object(oid:)`. */
async function objectNode(
  context: GraphContext,
  repository: Repository,
  args: FieldArguments,
): Promise<GraphNode | null> {
  demand(context, repository, 'contents');
  const expression = stringArgument(args, 'expression') ?? stringArgument(args, 'oid') ?? '';
  const [ref = '', path] = expression.split(':');
  const sha = await resolveCommit(repository.git, ref);
  if (sha === null) return null;
  if (path !== undefined) return await treeEntryObject(context, repository, sha, path);
  return commitNode(context, repository, await readCommit(repository.git, sha));
}
