import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import { type OrganizationNode, OrganizationResponse } from '../../payloads/pull-request-schema.ts';
import { isOrganizationRepository } from '../../payloads/to-policy-text.ts';
import type { Clock } from '../../ports/clock.ts';
import { parseResponse } from './parse-response.ts';
import { organizationQuery } from './pull-request-query.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/**
 * The repository of the owner's defaults, of which a token for `repository` alone saw as much as `seen`. null when there is
 * none that this installation may read.
 */
export type ReadOrganization = (
  repository: RepositoryRef,
  seen: OrganizationNode | null,
  signal: AbortSignal,
) => Promise<OrganizationNode | null>;

/** For so long an owner without a readable `.github` is not asked for a token to it again. */
const absenceMs = 10 * 60_000;
const maxAbsences = 5_000;

/**
 * What is public, every token sees, in the same query as the rest. A private `.github` needs a token of its own, which GitHub
 * gives where the App is installed on it: the tokens of the other repositories stay as narrow as they are (T58).
 */
export function createOrganizationReader(
  { graphql }: Pick<RepositoryCalls, 'graphql'>,
  clock: Clock,
): ReadOrganization {
  const absentUntil = new Map<number, number>();

  async function readPrivate(repository: RepositoryRef, signal: AbortSignal): Promise<OrganizationNode | null> {
    const variables = { owner: repository.owner };
    const document = {
      query: organizationQuery,
      variables,
      optionalField: 'organization',
      access: 'organization',
    } as const;
    try {
      const data = await graphql(repository, document, signal);
      return data === null ? null : parseResponse(OrganizationResponse, data, 'organisation').organization;
    } catch (error) {
      if (isNoToken(error)) return null;
      throw error;
    }
  }

  return async (repository, seen, signal) => {
    if (seen !== null || isOrganizationRepository(repository)) return seen;
    const key = repository.installationId;
    if ((absentUntil.get(key) ?? 0) > clock.now()) return null;
    const found = await readPrivate(repository, signal);
    if (absentUntil.size >= maxAbsences) absentUntil.clear();
    if (found === null) absentUntil.set(key, clock.now() + absenceMs);
    return found;
  };
}

/** GitHub gives no token for a repository that is not there, or that the App is not installed on. */
function isNoToken(error: unknown): boolean {
  return error instanceof GitHubError && ['FORBIDDEN', 'INVALID', 'NOT_FOUND'].includes(error.code);
}
