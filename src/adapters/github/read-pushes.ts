import { z } from 'zod';
import { parseSha } from '../../core/model/ids.ts';
import type { Push, RepositoryRef } from '../../core/model/pull-request.ts';
import { parseResponse } from './parse-response.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** Pushes of one answer. There are rarely more than a few between two looks. */
const MAX_PUSHES = 30;

const Sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .transform(parseSha);

const Activity = z.array(
  z.object({
    before: Sha,
    after: Sha,
    actor: z.object({ id: z.number().int(), login: z.string(), type: z.string() }).nullable(),
  }),
);

/**
 * See `GitHub.readPushes`. GitHub authenticated the actor of an activity. Author and committer of a commit are what somebody wrote
 * into it.
 * https://docs.github.com/en/rest/repos/repos#list-repository-activities
 */
export async function readPushes(
  calls: Pick<RepositoryCalls, 'call'>,
  { repository, branch }: { readonly repository: RepositoryRef; readonly branch: string },
  signal: AbortSignal,
): Promise<readonly Push[]> {
  const route = 'GET /repos/{owner}/{repo}/activity';
  const parameters = { ref: `refs/heads/${branch}`, per_page: MAX_PUSHES };
  const response = await calls.call({ repository, route, parameters, access: 'read', signal });
  return parseResponse(Activity, response.data, 'activity').map(({ before, after, actor }) => ({
    before,
    after,
    // Bots, organizations and mannequins are no persons. A deleted account is not known.
    by: actor === null ? null : { id: actor.id, login: actor.login, kind: actor.type === 'User' ? 'user' : 'bot' },
  }));
}
