import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import { type OrganizationNode, OrganizationResponse } from '../../payloads/pull-request-schema.ts';
import { isOrganizationRepository } from '../../payloads/to-policy-text.ts';
import type { Clock } from '../../ports/clock.ts';
import { parseResponse } from './parse-response.ts';
import { organizationQuery } from './pull-request-query.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/**
 * Returns the owner's `.github` repository, which holds the owner's defaults, or null if there is none for this
 * installation. `seen` is what a token for `repository` alone could read.
 */
export type ReadOrganization = (
  repository: RepositoryRef,
  seen: OrganizationNode | null,
  signal: AbortSignal,
) => Promise<OrganizationNode | null>;

/** How long a missing `.github` is remembered before a token for it is requested again. */
const absenceMs = 10 * 60_000;
const maxAbsences = 5_000;

/**
 * Every token can read a public `.github`, in the same query as the rest. A private one needs its own token, which
 * GitHub grants if the App is installed there. So the tokens for other repositories stay narrow (T58).
 */
export function createOrganizationReader(
  { graphql }: Pick<RepositoryCalls, 'graphql'>,
  clock: Clock,
): ReadOrganization {
  const absentUntil = new Map<number, number>();

  async function readPrivate(repository: RepositoryRef, signal: AbortSignal): Promise<OrganizationNode | null> {
    const variables = { owner: repository.owner };
    const document = { query: organizationQuery, variables, access: 'organization' } as const;
    try {
      const data = await graphql(repository, document, signal);
      return data === null ? null : parseResponse(OrganizationResponse, data, 'organisation').organization;
    } catch (error) {
      // GitHub grants no token for a repository that does not exist or where the App is not installed. After any other
      // error there may be a policy, and without it Ratchet would do what the organisation forbids.
      if (error instanceof GitHubError && error.code === 'NOT_GRANTED') return null;
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
