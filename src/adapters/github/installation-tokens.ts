import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitToken } from '../../ports/github.ts';
import type { MakeCall, TokenSource } from './github-calls.ts';
import { parseResponse } from './parse-response.ts';

/** The purpose of a token. Each purpose has only the rights that it needs, in one repository (T58). */
export type TokenPurpose = 'read' | 'write' | 'rerun' | 'resolve' | 'update' | 'git_read' | 'git_push' | 'organization';

/** The repository with the owner's defaults. A token for `organization` covers only this one. */
const organizationRepository = '.github';

/** Rights by purpose. The App has no `workflows` right, so no token can push workflow files (T52). */
export const permissionsByPurpose = {
  read: {
    contents: 'read',
    metadata: 'read',
    pull_requests: 'read',
    checks: 'read',
    actions: 'read',
    statuses: 'read',
  },
  write: { checks: 'write', issues: 'write', pull_requests: 'write' },
  // For re-runs only. This right also allows cancelling, approving and deleting workflow runs.
  rerun: { actions: 'write' },
  // GitHub requires both rights from an App to resolve a review thread.
  resolve: { contents: 'write', pull_requests: 'write' },
  // Lets GitHub merge the base into a branch, or turn auto-merge off.
  update: { contents: 'write', pull_requests: 'write' },
  git_read: { contents: 'read' },
  git_push: { contents: 'write' },
  organization: { contents: 'read' },
} as const satisfies Record<TokenPurpose, Readonly<Record<string, 'read' | 'write'>>>;

/** Installation tokens of the App. */
export interface InstallationTokens {
  /** A token shared by all calls of this purpose until shortly before it expires. */
  readonly shared: (repository: RepositoryRef, purpose: TokenPurpose) => TokenSource;
  /** A new token for a single use. */
  readonly mint: (repository: RepositoryRef, purpose: TokenPurpose, signal: AbortSignal) => Promise<GitToken>;
}

const AccessToken = z.object({
  token: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});

/** A token that expires sooner than this is not used for a call. */
const minLifeMs = 5 * 60_000;
const maxTokens = 5_000;

/** Creates tokens with `POST /app/installations/{id}/access_tokens`. octokit's token cache ignores scopes. */
export function createInstallationTokens(makeCall: MakeCall, clock: Clock): InstallationTokens {
  const cache = new Map<string, Promise<GitToken>>();

  async function mint(repository: RepositoryRef, purpose: TokenPurpose, signal: AbortSignal): Promise<GitToken> {
    const response = await makeCall({
      route: 'POST /app/installations/{installation_id}/access_tokens',
      parameters: {
        installation_id: repository.installationId,
        ...(purpose === 'organization'
          ? { repositories: [organizationRepository] }
          : { repository_ids: [repository.repositoryId] }),
        permissions: permissionsByPurpose[purpose],
      },
      installationId: repository.installationId,
      kind: 'read',
      // A second token is harmless: it expires.
      isIdempotent: true,
      token: null,
      signal,
    });
    const { token, expires_at } = parseResponse(AccessToken, response.data, 'access token');
    return { token, expiresAt: expires_at, mintedAt: clock.now() };
  }

  function startMint(key: string, mintNew: () => Promise<GitToken>): Promise<GitToken> {
    if (cache.size >= maxTokens) cache.delete(cache.keys().next().value ?? key);
    const minted = mintNew();
    cache.set(key, minted);
    return minted;
  }

  /** Concurrent callers share one request. If it fails, as when its caller aborts, each other caller tries again. */
  async function take(key: string, mintNew: () => Promise<GitToken>): Promise<GitToken> {
    const pending = cache.get(key);
    if (pending !== undefined) {
      const token = await pending.catch(() => null);
      if (token !== null && isFresh(token, clock.now())) return token;
      if (cache.get(key) === pending) cache.delete(key);
    }
    return cache.get(key) ?? startMint(key, mintNew);
  }

  return {
    mint,
    shared: (repository, purpose) => {
      const key = `${repository.installationId}/${repository.repositoryId}/${purpose}`;
      return {
        get: (signal) => take(key, () => mint(repository, purpose, signal).catch(throwRefused)),
        forget: () => cache.delete(key),
      };
    },
  };
}

/** Keeps a refusal of the token apart from a refusal of what a call asks for with it. */
function throwRefused(error: unknown): never {
  const code = error instanceof GitHubError ? REFUSED_TOKENS.get(error.code) : undefined;
  if (!(error instanceof GitHubError) || code === undefined) throw error;
  throw new GitHubError(code, error.message, { retry: 'never', cause: error });
}

/** A 422: the installation lacks a right or the repository. A 404: there is no such installation (any more). */
const REFUSED_TOKENS: ReadonlyMap<GitHubError['code'], GitHubError['code']> = new Map([
  ['INVALID', 'NOT_GRANTED'],
  ['NOT_FOUND', 'FORBIDDEN'],
]);

function isFresh(token: GitToken, now: EpochMs): boolean {
  return token.expiresAt - now > minLifeMs;
}
