import { accessTo, type Caller } from '../auth/caller.ts';
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
  if (accessTo(context.caller, repository, { permission, level }) === 'granted') return;
  throw graphError('FORBIDDEN', 'Resource not accessible by integration');
}

/** The repository of a row. */
export function repositoryOf(context: GraphContext, row: { readonly repositoryId: number }): Repository {
  return rowOf(context.world.state.repositories, row.repositoryId);
}
