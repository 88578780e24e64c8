import { accessTo, type Caller, loginOf } from '../auth/caller.ts';
import { rowOf } from '../find.ts';
import type { AccessLevel, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { type GraphNode, graphError } from './node.ts';

/** What every resolver needs: the world and who asks. */
export type GraphContext = {
  readonly world: WorldContext;
  readonly caller: Caller;
  /** A repository as a node; here, since pull requests and repositories lead to each other. */
  readonly repositoryNode: (repository: Repository) => GraphNode;
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

/** True when the caller has the permission; one on a hidden repository never has. */
export function hasAccess(
  context: GraphContext,
  repository: Repository,
  permission: string,
  level: AccessLevel = 'read',
): boolean {
  return accessTo(context.caller, repository, { permission, level }) === 'granted';
}

/** The login of the caller: the App's bot for its tokens. */
export function viewerOf(context: GraphContext): string {
  return loginOf(context.world, context.caller);
}

/** The repository of a row. */
export function repositoryOf(context: GraphContext, row: { readonly repositoryId: number }): Repository {
  return rowOf(context.world.state.repositories, row.repositoryId);
}
