import { GitHubError } from '../../core/model/errors.ts';
import type { PullRequestFacts, PullRequestRef, RepositoryRef } from '../../core/model/pull-request.ts';
import {
  type HeadCommitNode,
  OnePullRequest,
  type PullRequestNode,
  PullRequestResponse,
  PullRequestsResponse,
  PushRightResponse,
  type RuledRefNode,
  type ThreadNode,
  type ThreadPage,
  ThreadsResponse,
} from '../../payloads/pull-request-schema.ts';
import type { OwnedRepository } from '../../payloads/to-policy-text.ts';
import { toPullRequestFacts } from '../../payloads/to-pull-request-facts.ts';
import { readCiOf, readCommit } from './checks-at.ts';
import type { ReadOrganization } from './create-organization-reader.ts';
import { parseResponse } from './parse-response.ts';
import { pullRequestQuery, pushRightQuery, threadsQuery, toPullRequestsQuery } from './pull-request-query.ts';
import { type Ask, createAsk, incomplete, readPages } from './read-pages.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** Newest comments of a thread that are read; the query asks for as many. */
const threadCommentCount = 50;

/** What a pull request, and the policy files that it meets, are read with. */
export interface PullRequestReader {
  readonly calls: Pick<RepositoryCalls, 'graphql'>;
  readonly readOrganization: ReadOrganization;
}

/**
 * Reads a pull request with one GraphQL query, and more only where a list is longer than a page. null when it does not
 * exist (for this App).
 * @throws GitHubError UNEXPECTED, to be tried later, when the lists do not add up: a missing result could be a failed one.
 */
export async function readPullRequest(
  { calls, readOrganization }: PullRequestReader,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<PullRequestFacts | null> {
  const ask = createAsk(calls, ref.repository, signal);
  const data = await ask(pullRequestQuery, { number: ref.number }, { optionalField: 'organization' });
  const response = data === null ? null : parseResponse(PullRequestResponse, data, 'pull request');
  const repository = response?.repository ?? null;
  const pullRequest = repository?.pullRequest ?? null;
  if (response === null || repository === null || pullRequest === null) return null;
  const organization = await readOrganization(ref.repository, response.organization, signal);
  return complete(ask, pullRequest, { repository, organization });
}

/**
 * Reads several pull requests of a repository with one GraphQL query, and more only where a list is longer than a page; in the order
 * of `numbers`, null for one that does not exist or cannot be read to its end now. @throws GitHubError when the query fails.
 */
export async function readPullRequests(
  { calls, readOrganization }: PullRequestReader,
  { repository: ref, numbers }: { readonly repository: RepositoryRef; readonly numbers: readonly number[] },
  signal: AbortSignal,
): Promise<readonly (PullRequestFacts | null)[]> {
  const ask = createAsk(calls, ref, signal);
  const variables = Object.fromEntries(numbers.map((number, index) => [`n${index}`, number]));
  const data = await ask(toPullRequestsQuery(numbers.length), variables, { optionalField: 'organization' });
  const response = data === null ? null : parseResponse(PullRequestsResponse, data, 'pull requests');
  const repository = response?.repository ?? null;
  if (response === null || repository === null) return numbers.map(() => null);
  const organization = await readOrganization(ref, response.organization, signal);
  const all: (PullRequestFacts | null)[] = [];
  for (const index of numbers.keys()) {
    const pullRequest = parseResponse(OnePullRequest, repository[`p${index}`], 'pull request');
    all.push(pullRequest === null ? null : await orNull(complete(ask, pullRequest, { repository, organization })));
  }
  return all;
}

/** One that is incomplete does not spoil the others: it is read alone, and fails there with its reason. */
async function orNull(reading: Promise<PullRequestFacts>): Promise<PullRequestFacts | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'UNEXPECTED') return null;
    throw error;
  }
}

/** Reads the rest of each list that is longer than a page. */
async function complete(ask: Ask, pullRequest: PullRequestNode, owner: OwnedRepository): Promise<PullRequestFacts> {
  assertAllRules(pullRequest.headRef);
  assertAllRules(pullRequest.baseRef);
  const headCommit = await readHeadCommit(ask, pullRequest);
  const { contexts, suites } = await readCiOf(ask, headCommit);
  const threads = await readAllThreads(ask, pullRequest.number, pullRequest.reviewThreads);
  const canPush = await readPushRight(ask, pullRequest);
  return toPullRequestFacts({ pullRequest, owner, canPush, headCommit, contexts, suites, threads });
}

/** A rule that is not seen could be the one that refuses the push (trap 42). */
function assertAllRules(ref: RuledRefNode | null): void {
  const rules = ref?.rules ?? null;
  if (rules !== null && rules.nodes.length < rules.totalCount) throw incomplete('the list of rules is not complete');
}

/**
 * Whether classic protection of the head branch lets us push. It is told of the asking token, and a token that only reads may
 * never push: a "no" is asked again with one that could.
 */
async function readPushRight(ask: Ask, { headRef, headRefName, isCrossRepository }: PullRequestNode): Promise<boolean> {
  const isRefused = headRef?.refUpdateRule?.viewerCanPush === false;
  if (!isRefused || isCrossRepository) return true;
  const data = await askAsPusher(ask, headRefName);
  if (data === undefined) return false;
  const rule = parseResponse(PushRightResponse.nullable(), data, 'push right')?.repository?.ref?.refUpdateRule ?? null;
  return rule === null || rule.viewerCanPush;
}

/** The last listed commit is the head, but for very long pull requests and for a replica that lags behind (F15). */
async function readHeadCommit(ask: Ask, { commits, headRefOid }: PullRequestNode): Promise<HeadCommitNode> {
  const last = commits.nodes[0]?.commit;
  return last?.oid === headRefOid ? last : readCommit(ask, headRefOid);
}

/** undefined when this App has no right to push anywhere in the repository: GitHub gives no token for it then. */
async function askAsPusher(ask: Ask, branch: string): Promise<unknown> {
  try {
    return await ask(pushRightQuery, { ref: `refs/heads/${branch}` }, { access: 'git_push' });
  } catch (error) {
    if (error instanceof GitHubError && (error.code === 'FORBIDDEN' || error.code === 'INVALID')) return undefined;
    throw error;
  }
}

async function readAllThreads(ask: Ask, number: number, first: ThreadPage): Promise<readonly ThreadNode[]> {
  const threads = await readPages<ThreadPage, ThreadNode>(first, async (after) => {
    const data = parseResponse(
      ThreadsResponse.nullable(),
      await ask(threadsQuery, { number, after }),
      'review threads',
    );
    return data?.repository?.pullRequest?.reviewThreads ?? null;
  });
  if (!isWhole({ totalCount: first.totalCount, nodes: threads }))
    throw incomplete('the list of review threads is not complete');
  return threads;
}

/** Whether all threads are there, each with its comments as far as they are asked for. */
export function isWhole({
  nodes: threads,
  totalCount,
}: {
  readonly nodes: readonly ThreadNode[];
  readonly totalCount: number;
}): boolean {
  const isCut = ({ comments }: ThreadNode): boolean =>
    comments.nodes.length < Math.min(comments.totalCount, threadCommentCount);
  return threads.length >= totalCount && !threads.some(isCut);
}
