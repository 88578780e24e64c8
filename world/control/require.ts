import { findRepository } from '../find.ts';
import { resolveCommit } from '../git/repository.ts';
import { requirePull } from '../operations/change-pulls.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import type { Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** The repository `owner/name`; throws if there is none. */
export function requireRepository(world: WorldContext, repo: string): Repository {
  const repository = findRepository(world.state, repo);
  if (repository === null) throw new Error(`The world has no repository ${repo}`);
  return repository;
}

/** The commit of a branch, SHA or pull request number; throws if there is none. */
export async function requireSha(world: WorldContext, repository: Repository, at: string | number): Promise<string> {
  if (typeof at === 'number') return (await readPullTips(world, requirePull(world, repository, at))).headSha;
  const sha = await resolveCommit(repository.git, at);
  if (sha === null) throw new Error(`No commit ${at} in ${repository.name}`);
  return sha;
}
