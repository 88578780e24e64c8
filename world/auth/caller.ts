import type { AccessLevel, InstallationToken, Permissions, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { checkAppJwt } from './app-jwt.ts';
import { isAtLeast, permissionOf } from './permissions.ts';

/** The identity behind a request. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly token: InstallationToken }
  | { readonly kind: 'user'; readonly login: string };

/** A caller, or why the credentials are refused. */
export type Authentication =
  | { readonly kind: 'known'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly status: 401 | 404; readonly message: string };

const REFUSED = { kind: 'refused', status: 401, message: 'Bad credentials' } as const;

/** Reads the `Authorization` header: App JWT, installation or user token, as Bearer, token or Basic password. */
export function authenticate(world: WorldContext, header: string | undefined): Authentication {
  if (header === undefined) return { kind: 'known', caller: { kind: 'anonymous' } };
  const [scheme = '', value = ''] = header.split(' ');
  const credential = scheme.toLowerCase() === 'basic' ? passwordOf(value) : value;
  if (credential.split('.').length === 3) {
    const problem = checkAppJwt(world.app, credential, Date.now() + world.faults.clockSkewMs());
    return problem === null
      ? { kind: 'known', caller: { kind: 'app' } }
      : { kind: 'refused', status: 401, message: problem };
  }
  const token = world.state.tokens.get(credential);
  if (token === undefined) return REFUSED;
  if (token.kind === 'user') return { kind: 'known', caller: { kind: 'user', login: token.login } };
  return authenticateInstallation(world, token);
}

function authenticateInstallation(world: WorldContext, token: InstallationToken): Authentication {
  const installation = world.state.installations.get(token.installationId);
  if (installation === undefined || token.expiresAtMs <= Date.now()) return REFUSED;
  if (installation.suspendedAt !== null) return { ...REFUSED, message: 'This installation has been suspended' };
  const status = world.faults.youngTokenStatus(Date.now() - token.mintedAtMs);
  if (status !== null) return { ...REFUSED, status };
  return { kind: 'known', caller: { kind: 'installation', token } };
}

function passwordOf(basic: string): string {
  const text = Buffer.from(basic, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** What a caller may do with a repository. `hidden`: GitHub denies that it exists. */
export type Access = 'granted' | 'denied' | 'hidden';

/** The App permission that a route needs. */
export type Need = { readonly permission: string; readonly level: AccessLevel };

/** Decides whether a caller may use a permission on a repository. */
export function accessTo(caller: Caller, repository: Repository, need: Need): Access {
  const whenForeign = !repository.isPrivate && need.level === 'read' ? 'granted' : 'hidden';
  switch (caller.kind) {
    case 'anonymous':
    case 'app':
      return whenForeign;
    case 'user':
      return userAccess(repository, caller.login, need);
    case 'installation': {
      if (!caller.token.repositoryIds.has(repository.id)) return whenForeign;
      return isAllowed(caller.token.permissions, need) ? 'granted' : 'denied';
    }
  }
}

function userAccess(repository: Repository, login: string, need: Need): Access {
  const level = permissionOf(repository, login);
  if (isAtLeast(level, need.level)) return 'granted';
  return isAtLeast(level, 'read') ? 'denied' : 'hidden';
}

function isAllowed(permissions: Permissions, need: Need): boolean {
  const level = permissions[need.permission];
  return level === 'write' || (level === 'read' && need.level === 'read');
}

/** The login that a caller acts as. Tokens of the App act as its bot. */
export function loginOf(world: WorldContext, caller: Caller): string {
  return caller.kind === 'user' ? caller.login : `${world.app.slug}[bot]`;
}
