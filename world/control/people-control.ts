import { randomBytes } from 'node:crypto';
import type { PermissionLevel } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { requireRepository } from './require.ts';

/** Accounts and their permissions. */
export type PeopleControl = {
  /** Creates a user unless it exists. Every login passed to the world is created automatically. */
  readonly createUser: (login: string) => { readonly id: number; readonly login: string };
  /** A personal access token, for git and the API. */
  readonly userToken: (login: string) => string;
  /** Makes a user a collaborator, or changes the permission. */
  readonly setPermission: (repo: string, login: string, level: PermissionLevel) => void;
};

/** Creates an account unless it exists and returns its login. */
export function ensureAccount(world: WorldContext, login: string): string {
  const key = login.toLowerCase();
  if (!world.state.accounts.has(key)) {
    world.state.accounts.set(key, { id: world.nextId(), login, kind: login.endsWith('[bot]') ? 'Bot' : 'User' });
  }
  return login;
}

export function createPeopleControl(world: WorldContext): PeopleControl {
  return {
    createUser: (login) => {
      ensureAccount(world, login);
      return { id: world.state.accounts.get(login.toLowerCase())?.id ?? 0, login };
    },
    userToken: (login) => {
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      world.state.tokens.set(token, { kind: 'user', token, login: ensureAccount(world, login) });
      return token;
    },
    setPermission: (repo, login, level) => {
      const repository = requireRepository(world, repo);
      const collaborators = new Map(repository.collaborators).set(ensureAccount(world, login).toLowerCase(), level);
      world.state.repositories.set(repository.id, { ...repository, collaborators });
      world.changed();
    },
  };
}
