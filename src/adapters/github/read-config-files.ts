import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { PullRequestRef, RepositoryRef } from '../../core/model/pull-request.ts';
import { isPolicyPath } from '../../core/policy/policy-place.ts';
import {
  CommitConfigResponse,
  type ConfigCommitNode,
  ConfigFilesResponse,
  type PolicyCommitNode,
} from '../../payloads/pull-request-schema.ts';
import { toHeadPolicy, toOrganizationPolicyText, toPolicyText } from '../../payloads/to-policy-text.ts';
import type { ConfigFiles } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import { commitConfigQuery, configFilesQuery } from './pull-request-query.ts';
import type { PullRequestReader } from './read-pull-request.ts';
import type { RepositoryCalls } from './repository-calls.ts';

const FilePage = z.array(z.object({ filename: z.string(), previous_filename: z.string().optional() }));

/**
 * Reads the policy files that apply to a pull request with one GraphQL query. Null if the pull request does not exist
 * or the App cannot see it.
 * @throws GitHubError UNEXPECTED (retry later) while the head commit is not readable.
 */
export async function readConfigFiles(
  { calls, readOrganization }: PullRequestReader,
  { repository, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<ConfigFiles | null> {
  const variables = { owner: repository.owner, name: repository.name };
  const document = { query: configFilesQuery, variables: { ...variables, number }, optionalField: 'organization' };
  const data = await calls.graphql(repository, document, signal);
  if (data === null) return null;
  const { repository: found, organization: seen } = parseResponse(ConfigFilesResponse, data, 'policy files');
  if (found === null || found.pullRequest === null) return null;
  const { headRefOid: headSha, commits, baseRef } = found.pullRequest;
  const [last] = commits.nodes.map(({ commit }) => commit);
  // The last listed commit is the head, except for very long pull requests and lagging replicas (F15).
  const head = last?.oid === headSha ? last : await readCommitConfig(calls, { repository, oid: headSha }, signal);
  const organization = await readOrganization(repository, seen, signal);
  return {
    headSha,
    ...toHeadPolicy(head),
    policyText: toBaseText(baseRef),
    organizationPolicyText: toOrganizationPolicyText({ repository: found, organization }),
  };
}

/** Null if the base branch is gone or has no policy file. */
function toBaseText(base: { readonly target: PolicyCommitNode | null } | null): string | null {
  const tip = base?.target ?? null;
  return tip === null ? null : toPolicyText(tip);
}

async function readCommitConfig(
  calls: Pick<RepositoryCalls, 'graphql'>,
  { repository, oid }: { readonly repository: RepositoryRef; readonly oid: Sha },
  signal: AbortSignal,
): Promise<ConfigCommitNode> {
  const variables = { owner: repository.owner, name: repository.name, oid };
  const data = await calls.graphql(repository, { query: commitConfigQuery, variables }, signal);
  const commit = parseResponse(CommitConfigResponse.nullable(), data, 'policy file')?.repository?.object ?? null;
  if (commit?.oid === oid) return commit;
  throw new GitHubError('UNEXPECTED', 'policy files: the head commit is not readable yet', { retry: 'later' });
}

/**
 * Whether the pull request adds, changes, removes or renames the policy file, or one of a similar name. Uses REST because GraphQL does not return
 * a renamed file's previous name. GitHub lists at most 3,000 files; files beyond that count as not touched.
 */
export async function touchesPolicyFile(
  calls: Pick<RepositoryCalls, 'list'>,
  { repository, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<boolean> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const parameters = { pull_number: number };
  const touching = await calls.list(
    { repository, route, parameters, access: 'read', signal },
    (page) =>
      parseResponse(FilePage, page, 'changed files').filter(
        (file) => isPolicyPath(file.filename) || isPolicyPath(file.previous_filename ?? ''),
      ),
    1,
  );
  return touching.length > 0;
}
