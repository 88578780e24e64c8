import type { IncomingMessage } from 'node:http';
import { accessTo, authenticate, type Caller, loginOf } from '../auth/caller.ts';
import { permissionOf } from '../auth/permissions.ts';
import { findRepository, toFullName } from '../find.ts';
import { withRefChanges } from '../operations/refs-changed.ts';
import type { Protection } from '../protection.ts';
import { repositoryPage } from '../render/repositories.ts';
import type { Repository } from '../state.ts';
import type { RefLag } from '../trouble.ts';
import type { WorldContext } from '../world-context.ts';
import { type BackendAnswer, runHttpBackend } from './http-backend.ts';

/** A request path of git's smart HTTP protocol. */
const GIT_PATH = /^\/(?<name>[^/]+\/[^/]+?)(?:\.git)?\/(?<service>info\/refs|git-upload-pack|git-receive-pack)$/u;

/** A parsed git request. */
export type GitRequest = { readonly name: string; readonly service: string; readonly query: URLSearchParams };

/** Parses a git request from its URL, or returns null. */
export function parseGitRequest(url: URL): GitRequest | null {
  const { name, service } = GIT_PATH.exec(url.pathname)?.groups ?? {};
  return name === undefined || service === undefined ? null : { name, service, query: url.searchParams };
}

function refuse(status: number, text: string): BackendAnswer {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
  return { status, headers: { 'content-type': 'text/plain', ...challenge }, body: Buffer.from(`${text}\n`) };
}

function mayWriteWorkflows(caller: Caller): boolean {
  return caller.kind !== 'installation' || caller.token.permissions['workflows'] === 'write';
}

/** Rules do not apply to administrators. They always apply to Apps. */
function bindingProtections(caller: Caller, repository: Repository): readonly Protection[] {
  const isAdmin = caller.kind === 'user' && permissionOf(repository, caller.login) === 'admin';
  return isAdmin ? [] : repository.protections;
}

/** Answers a fetch or push. The API knows the moved refs before the answer is sent. */
export async function serveGit(
  world: WorldContext,
  request: GitRequest,
  message: IncomingMessage,
  body: Buffer,
): Promise<BackendAnswer> {
  const authentication = authenticate(world, message.headers.authorization);
  if (authentication.kind === 'refused') return refuseCredentials(authentication.status);
  const { caller } = authentication;
  const isPush = request.service === 'git-receive-pack' || request.query.get('service') === 'git-receive-pack';
  const repository = findRepository(world.state, request.name);
  const problem = problemOf(caller, repository, isPush);
  if (repository === null || problem !== null) return problem ?? refuse(404, 'Repository not found.');
  const login = loginOf(world, caller);
  const fullName = toFullName(repository);
  const lag = request.service === 'git-upload-pack' ? takeLag(world, repository, body) : null;
  if (lag === 'unknown commit') return toUnknownCommit(body);
  const rejection = request.service === 'git-receive-pack' ? world.faults.takeRejection(fullName) : null;
  const run = async (): Promise<BackendAnswer> => {
    return await runHttpBackend({
      dir: repository.git.dir,
      service: request.service,
      query: request.query.toString(),
      message,
      body,
      login,
      mayWriteWorkflows: mayWriteWorkflows(caller),
      refusal: rejection ?? world.faults.refusal(fullName),
      hiddenRefs: lag?.refs ?? [],
      protections: bindingProtections(caller, repository),
      page: repositoryPage(world, repository),
    });
  };
  if (request.service !== 'git-receive-pack') return await run();
  return await withRefChanges(world, repository, login, run);
}

/** By folder of the repository: the lag that the last list of refs showed. The fetch that follows it sees the same. */
const lagging = new Map<string, RefLag>();

function refuseCredentials(status: 401 | 404): BackendAnswer {
  return status === 404 ? refuse(404, 'Repository not found.') : refuse(401, 'Invalid username or token.');
}

/** The lag that a request sees; `unknown commit`: it asks for a commit that is not there yet. */
function takeLag(world: WorldContext, repository: Repository, body: Buffer): RefLag | 'unknown commit' | null {
  const repo = repository.git.dir;
  if (!isListing(body)) return lagging.get(repo)?.hasCommits === false ? 'unknown commit' : null;
  const lag = world.faults.takeRefLag(toFullName(repository));
  if (lag === null) lagging.delete(repo);
  else lagging.set(repo, lag);
  return lag;
}

/** Whether the request of protocol 2 asks for refs. The other command fetches. */
function isListing(body: Buffer): boolean {
  return body.includes('command=ls-refs');
}

function toUnknownCommit(body: Buffer): BackendAnswer {
  const sha = /want (?<sha>[0-9a-f]{40})/u.exec(body.toString('latin1'))?.groups?.['sha'] ?? '';
  const line = `ERR upload-pack: not our ref ${sha}\n`;
  const packet = `${(line.length + 4).toString(16).padStart(4, '0')}${line}`;
  const headers = { 'content-type': 'application/x-git-upload-pack-result' };
  return { status: 200, headers, body: Buffer.from(packet) };
}

function problemOf(caller: Caller, repository: Repository | null, isPush: boolean): BackendAnswer | null {
  const need = { permission: 'contents', level: isPush ? 'write' : 'read' } as const;
  const access = repository === null ? 'hidden' : accessTo(caller, repository, need);
  if (access === 'granted') return null;
  if (caller.kind === 'anonymous') return refuse(401, 'Authentication required.');
  if (access === 'hidden') return refuse(404, 'Repository not found.');
  return refuse(403, isPush ? 'Write access to repository not granted.' : 'Resource not accessible by integration');
}
