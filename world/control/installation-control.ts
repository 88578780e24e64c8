import { findInstallation, rowOf } from '../find.ts';
import { registerApp } from '../operations/register-app.ts';
import { APP_PERMISSIONS } from '../render/accounts.ts';
import type { AppAccess, Installation, Permissions } from '../state.ts';
import { emitInstallation, emitInstallationRepositories } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import { requireRepository } from './require.ts';

/** Installations of the App. An owner has one, which covers the repositories it was installed on. */
export type InstallationControl = {
  /** Installs the App on a repository, or adds it to its owner's installation. Returns the installation's id. */
  readonly installApp: (repo: string, permissions?: Permissions) => number;
  /** Removes a repository from the installation. */
  readonly removeFromInstallation: (repo: string) => void;
  /** Changes the granted permissions. Existing tokens keep theirs. */
  readonly setAppPermissions: (repo: string, permissions: Permissions) => void;
  /** Changes what the App itself asks for. Installations keep what they granted. */
  readonly setAppAccess: (access: AppAccess) => void;
  /** A code of an App that somebody else registered from a manifest. */
  readonly foreignCode: () => string;
  /** Makes the codes of all registrations an hour older. */
  readonly expireCodes: () => void;
  readonly uninstallApp: (repo: string) => void;
  readonly suspendApp: (repo: string) => void;
  readonly unsuspendApp: (repo: string) => void;
};

export function createInstallationControl(world: WorldContext): InstallationControl {
  const { installations } = world.state;

  function requireInstallation(repo: string): Installation {
    const installation = findInstallation(world.state, requireRepository(world, repo).id);
    if (installation === null) throw new Error(`The App is not installed on ${repo}`);
    return installation;
  }

  function change(installation: Installation, changes: Partial<Installation>): Installation {
    const changed = { ...installation, ...changes };
    installations.set(changed.id, changed);
    world.changed();
    return changed;
  }

  return {
    installApp: (repo, permissions = APP_PERMISSIONS) => {
      const repository = requireRepository(world, repo);
      const known = installations.values().find((row) => row.accountLogin === repository.ownerLogin);
      const repositoryIds = new Set([...(known?.repositoryIds ?? []), repository.id]);
      const fresh = { accountLogin: repository.ownerLogin, permissions, suspendedAt: null, createdAt: world.now() };
      const installation = change(known ?? { ...fresh, id: world.nextId(), repositoryIds }, { repositoryIds });
      if (known === undefined) emitInstallation(world, installation, 'created');
      else emitInstallationRepositories(world, installation, { action: 'added', repositoryId: repository.id });
      return installation.id;
    },
    removeFromInstallation: (repo) => {
      const repositoryId = requireRepository(world, repo).id;
      const installation = requireInstallation(repo);
      const repositoryIds = new Set([...installation.repositoryIds].filter((id) => id !== repositoryId));
      const changed = change(installation, { repositoryIds });
      narrowTokens(world, changed.id, repositoryId);
      emitInstallationRepositories(world, changed, { action: 'removed', repositoryId });
    },
    setAppPermissions: (repo, permissions) => {
      change(requireInstallation(repo), { permissions });
    },
    setAppAccess: (access) => {
      const row = rowOf(world.state.apps, world.app.id);
      world.state.apps.set(row.id, { ...row, access });
    },
    foreignCode: () => {
      const access = { permissions: { administration: 'write', metadata: 'read' }, events: [] } as const;
      return registerApp(world, { name: 'Somebody', ownerLogin: 'mallory', access, isOurs: false });
    },
    expireCodes: () => expireCodes(world),
    uninstallApp: (repo) => {
      const installation = rowOf(installations, requireInstallation(repo).id);
      installations.delete(installation.id);
      emitInstallation(world, installation, 'deleted');
    },
    suspendApp: (repo) => {
      emitInstallation(world, change(requireInstallation(repo), { suspendedAt: world.now() }), 'suspend');
    },
    unsuspendApp: (repo) => {
      emitInstallation(world, change(requireInstallation(repo), { suspendedAt: null }), 'unsuspend');
    },
  };
}

function expireCodes({ state }: WorldContext): void {
  for (const [code, row] of state.manifestCodes) {
    state.manifestCodes.set(code, { ...row, createdAtMs: row.createdAtMs - 60 * 60 * 1000 });
  }
}

/** Removes a repository that left the installation from its tokens. */
function narrowTokens(world: WorldContext, installationId: number, repositoryId: number): void {
  for (const [key, token] of world.state.tokens) {
    if (token.kind !== 'installation' || token.installationId !== installationId) continue;
    const repositoryIds = new Set([...token.repositoryIds].filter((id) => id !== repositoryId));
    world.state.tokens.set(key, { ...token, repositoryIds });
  }
}
