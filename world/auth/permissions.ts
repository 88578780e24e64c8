import type { PermissionLevel, Repository } from '../state.ts';

const RANK: Readonly<Record<PermissionLevel, number>> = {
  none: 0,
  read: 1,
  triage: 2,
  write: 3,
  maintain: 4,
  admin: 5,
};

/** A user's permission on a repository. Everyone can read a public one. */
export function permissionOf(repository: Repository, login: string): PermissionLevel {
  if (repository.ownerLogin.toLowerCase() === login.toLowerCase()) return 'admin';
  const level = repository.collaborators.get(login.toLowerCase());
  return level ?? (repository.isPrivate ? 'none' : 'read');
}

/** True when `level` includes `wanted`. */
export function isAtLeast(level: PermissionLevel, wanted: PermissionLevel): boolean {
  return RANK[level] >= RANK[wanted];
}
