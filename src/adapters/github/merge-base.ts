import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import { parseResponse } from './parse-response.ts';
import type { RepositoryCalls } from './repository-calls.ts';

const Comparison = z.object({
  merge_base_commit: z.object({
    sha: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .transform(parseSha),
  }),
});

/**
 * Returns the merge base of `base` and `head`; null if they have none or a commit does not exist. Requests page 2 with
 * one commit per page, because the first page contains the changed files, which can be megabytes.
 * https://docs.github.com/en/rest/commits/commits#compare-two-commits
 */
export async function readMergeBase(
  calls: Pick<RepositoryCalls, 'call'>,
  of: { readonly repository: RepositoryRef; readonly base: Sha; readonly head: Sha },
  signal: AbortSignal,
): Promise<Sha | null> {
  const { repository, base, head } = of;
  const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  const parameters = { basehead: `${base}...${head}`, per_page: 1, page: 2 };
  try {
    const response = await calls.call({ repository, route, parameters, access: 'read', signal });
    return parseResponse(Comparison, response.data, 'comparison').merge_base_commit.sha;
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
