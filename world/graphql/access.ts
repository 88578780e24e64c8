import { accessTo, type Caller, loginOf } from '../auth/caller.ts';
import { rowOf } from '../find.ts';
import type { AccessLevel, Pull, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { type GraphNode, graphError } from './node.ts';

/** Context of every resolver: the world and the caller. */
export type GraphContext = {
  readonly world: WorldContext;
  readonly caller: Caller;
  /** Renders a repository. Passed here because pull request and repository nodes refer to each other. */
  readonly repositoryNode: (repository: Repository) => GraphNode;
  /** Renders a pull request, for the same reason. */
  readonly pullNode: (pull: Pull) => Promise<GraphNode>;
};

/** Throws GitHub's FORBIDDEN error unless the caller has the permission. */
export function demand(
  context: GraphContext,
  repository: Repository,
  permission: string,
  level: AccessLevel = 'read',
): void {
  if (hasAccess(context, repository, permission, level)) return;
  throw graphError('FORBIDDEN', 'Resource not accessible by integration');
}

/** Whether the caller has the permission. Never true for a hidden repository. */
export function hasAccess(
  context: GraphContext,
  repository: Repository,
  permission: string,
  level: AccessLevel = 'read',
): boolean {
  return accessTo(context.caller, repository, { permission, level }) === 'granted';
}

/** The login of the caller. Tokens of the App act as its bot. */
export function viewerOf(context: GraphContext): string {
  return loginOf(context.world, context.caller);
}

/** The repository of a row. */
export function repositoryOf(context: GraphContext, row: { readonly repositoryId: number }): Repository {
  return rowOf(context.world.state.repositories, row.repositoryId);
}
