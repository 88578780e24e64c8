import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { PullRequestRef } from '../../core/model/pull-request.ts';
import type { AskResult } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import type { RepositoryCalls } from './repository-calls.ts';

const MAX_WHY_LENGTH = 300;

/**
 * See `GitHub.updateBranch`. GitHub responds with 202 and merges later. With the expected head, the call may be
 * repeated: GitHub refuses it if the head moved. Ratchet's own earlier update may have moved it (trap 15), so this
 * refusal counts as `asked`.
 * https://docs.github.com/en/rest/pulls/pulls#update-a-pull-request-branch
 */
export async function updateBranch(
  calls: Pick<RepositoryCalls, 'call'>,
  { repository, number }: PullRequestRef,
  headSha: Sha,
  signal: AbortSignal,
): Promise<AskResult> {
  const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch';
  const parameters = { pull_number: number, expected_head_sha: headSha };
  const result = await ask(() =>
    calls.call({ repository, route, parameters, access: 'update', signal, isIdempotent: true }),
  );
  return result.kind === 'refused' && /expected.head.sha/i.test(result.why) ? { kind: 'asked' } : result;
}

const AutoMergeResponse = z.object({
  repository: z.object({
    pullRequest: z.object({ id: z.string().min(1), autoMergeRequest: z.unknown() }),
  }),
});

const AUTO_MERGE = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id autoMergeRequest { enabledAt } }
  }
}`;

const DISABLE = `mutation ($input: DisablePullRequestAutoMergeInput!) {
  disablePullRequestAutoMerge(input: $input) { clientMutationId }
}`;

/** See `GitHub.disableAutoMerge`. Reads the state first: GitHub answers a needless mutation with an error. */
export async function disableAutoMerge(
  calls: Pick<RepositoryCalls, 'graphql' | 'mutate'>,
  { repository, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<AskResult> {
  const variables = { owner: repository.owner, name: repository.name, number };
  const response = await calls.graphql(repository, { query: AUTO_MERGE, variables }, signal);
  if (response === null) return { kind: 'refused', why: 'the pull request is gone' };
  const { id, autoMergeRequest } = parseResponse(AutoMergeResponse, response, 'auto-merge').repository.pullRequest;
  if (autoMergeRequest === null) return { kind: 'asked' };
  const input = { pullRequestId: id };
  return ask(() => calls.mutate(repository, { mutation: DISABLE, variables: { input }, access: 'update' }, signal));
}

/** Turns a permanent error into `refused`. Other errors are thrown and say when to retry. */
async function ask(call: () => Promise<unknown>): Promise<AskResult> {
  try {
    await call();
    return { kind: 'asked' };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
    return { kind: 'refused', why: error.message.slice(0, MAX_WHY_LENGTH) };
  }
}
