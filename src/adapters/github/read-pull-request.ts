import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { PullRequestFacts, PullRequestRef, RepositoryRef } from '../../core/model/pull-request.ts';
import {
  type HeadCommitNode,
  OnePullRequest,
  type PullRequestNode,
  PullRequestResponse,
  PullRequestsResponse,
  PushRightResponse,
  type ReviewNode,
  type ReviewPage,
  ReviewsResponse,
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
import {
  pullRequestQuery,
  pushRightQuery,
  reviewsQuery,
  threadsQuery,
  toPullRequestsQuery,
} from './pull-request-query.ts';
import { type Ask, createAsk, incomplete, type Page, readPages } from './read-pages.ts';
import type { PartialError, RepositoryCalls } from './repository-calls.ts';

/** The number of newest comments that the query reads per thread. */
const threadCommentCount = 50;

/** Dependencies for reading a pull request and the policy files that apply to it. */
export interface PullRequestReader {
  readonly calls: Pick<RepositoryCalls, 'graphql'>;
  readonly readOrganization: ReadOrganization;
}

/**
 * Reads a pull request with one GraphQL query, plus one for each further page of a list. Null if the pull request does
 * not exist or the App cannot see it.
 * @throws GitHubError UNEXPECTED (retry later) if a list is incomplete: a missing CI result could be a failed one.
 */
export async function readPullRequest(
  { calls, readOrganization }: PullRequestReader,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<PullRequestFacts | null> {
  const ask = createAsk(calls, ref.repository, signal);
  const data = await ask(pullRequestQuery, { number: ref.number }, OPTIONAL_PARTS);
  const response = data === null ? null : parseResponse(PullRequestResponse, data, 'pull request');
  const repository = response?.repository ?? null;
  const pullRequest = repository?.pullRequest ?? null;
  if (response === null || repository === null || pullRequest === null) return null;
  const organization = await readOrganization(ref.repository, response.organization, signal);
  return complete(ask, pullRequest, { repository, organization });
}

/**
 * Reads several pull requests of a repository with one GraphQL query, plus one for each further page of a list. Returns
 * them in the order of `numbers`, with null for one that does not exist or cannot be read completely now.
 * @throws GitHubError if the query fails.
 */
export async function readPullRequests(
  { calls, readOrganization }: PullRequestReader,
  { repository: ref, numbers }: { readonly repository: RepositoryRef; readonly numbers: readonly number[] },
  signal: AbortSignal,
): Promise<readonly (PullRequestFacts | null)[]> {
  const ask = createAsk(calls, ref, signal);
  const variables = Object.fromEntries(numbers.map((number, index) => [`n${index}`, number]));
  // If this is too large, each is read alone instead of all with smaller pages.
  const query = toPullRequestsQuery(numbers.length);
  const { owner, name } = ref;
  const data = await calls.graphql(ref, { query, variables: { owner, name, ...variables }, ...OPTIONAL_PARTS }, signal);
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

/** What a response may lack: the owner's defaults, which a token of their own may read, and the branch of a fork. */
const OPTIONAL_PARTS = { optionalField: 'organization', tolerates: isForkHidden } as const;

/** Whether the error is about the head branch of a fork that the App may not read. Ratchet needs nothing of it. */
function isForkHidden({ type, path }: PartialError, data: unknown): boolean {
  const [field, alias, part] = path ?? [];
  if (type !== 'FORBIDDEN' || field !== 'repository' || part !== 'headRef') return false;
  const found = ForkResponse.safeParse(data);
  return found.success && found.data.repository[String(alias)]?.isCrossRepository === true;
}

const ForkResponse = z.object({
  repository: z.record(z.string(), z.object({ isCrossRepository: z.boolean().optional() }).catch({})),
});

/** One incomplete pull request does not make the others fail. It is read alone later and reports its error then. */
async function orNull(reading: Promise<PullRequestFacts>): Promise<PullRequestFacts | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'UNEXPECTED') return null;
    throw error;
  }
}

/** Reads the remaining pages of each list. */
async function complete(ask: Ask, pullRequest: PullRequestNode, owner: OwnedRepository): Promise<PullRequestFacts> {
  assertAllRules(pullRequest.headRef);
  assertAllRules(pullRequest.baseRef);
  const headCommit = await readHeadCommit(ask, pullRequest);
  const { contexts, suites } = await readCiOf(ask, headCommit);
  const threads = await readAllThreads(ask, pullRequest.number, pullRequest.reviewThreads);
  const reviews = await readAllReviews(ask, pullRequest.number, pullRequest.reviews);
  const canPush = await readPushRight(ask, pullRequest);
  return toPullRequestFacts({ pullRequest, owner, canPush, headCommit, contexts, suites, threads, reviews });
}

/** A missing rule could be the one that refuses the push (trap 42). */
function assertAllRules(ref: RuledRefNode | null): void {
  const rules = ref?.rules ?? null;
  if (rules !== null && rules.nodes.length < rules.totalCount) throw incomplete('the list of rules is not complete');
}

/**
 * Whether classic protection of the head branch allows Ratchet to push. The answer depends on the token, and a
 * read-only token may never push. So a "no" is checked again with a token that may push.
 */
async function readPushRight(ask: Ask, { headRef, headRefName, isCrossRepository }: PullRequestNode): Promise<boolean> {
  const isRefused = headRef?.refUpdateRule?.viewerCanPush === false;
  if (!isRefused || isCrossRepository) return true;
  const data = await askAsPusher(ask, headRefName);
  if (data === undefined) return false;
  const rule = parseResponse(PushRightResponse.nullable(), data, 'push right')?.repository?.ref?.refUpdateRule ?? null;
  return rule === null || rule.viewerCanPush;
}

/** The last listed commit is the head, except for very long pull requests and lagging replicas (F15). */
async function readHeadCommit(ask: Ask, { commits, headRefOid }: PullRequestNode): Promise<HeadCommitNode> {
  const last = commits.nodes[0]?.commit;
  return last?.oid === headRefOid ? last : readCommit(ask, headRefOid);
}

/** Undefined if the App has no right to push in this repository: GitHub then grants no token for it. */
async function askAsPusher(ask: Ask, branch: string): Promise<unknown> {
  try {
    return await ask(pushRightQuery, { ref: `refs/heads/${branch}` }, { access: 'git_push' });
  } catch (error) {
    if (error instanceof GitHubError && ['NOT_GRANTED', 'FORBIDDEN'].includes(error.code)) return undefined;
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

/** Pages of reviews are read backwards: the newest are enough for a usual pull request. */
async function readAllReviews(ask: Ask, number: number, first: ReviewPage): Promise<readonly ReviewNode[]> {
  const toPage = ({ nodes, pageInfo }: ReviewPage): Page<ReviewNode> => ({
    nodes,
    pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
  });
  return readPages<Page<ReviewNode>, ReviewNode>(toPage(first), async (before) => {
    const data = parseResponse(ReviewsResponse.nullable(), await ask(reviewsQuery, { number, before }), 'reviews');
    const reviews = data?.repository?.pullRequest?.reviews ?? null;
    return reviews === null ? null : toPage(reviews);
  });
}

/** Whether all threads are present, each with as many comments as the query reads. */
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
