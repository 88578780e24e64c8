import { GitHubError } from '../../core/model/errors.ts';
import type { PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import { parseAnswer } from './parse-answer.ts';
import { contextsQuery, headCommitQuery, pullRequestQuery, suitesQuery, threadsQuery } from './pull-request-query.ts';
import {
  type ContextNode,
  type ContextPage,
  ContextsAnswer,
  HeadCommitAnswer,
  type HeadCommitNode,
  PullRequestAnswer,
  type PullRequestNode,
  type SuiteNode,
  type SuitePage,
  SuitesAnswer,
  type ThreadNode,
  type ThreadPage,
  ThreadsAnswer,
} from './pull-request-schema.ts';
import type { RepositoryCalls } from './repository-calls.ts';
import { toPullRequestFacts } from './to-pull-request-facts.ts';

/** Stated cap of a paged list: 3,000 results, 1,500 threads. */
const maxPages = 30;

/**
 * Reads a pull request with one GraphQL query, and more only where a list is longer than a page. null when it does not
 * exist (for this App).
 * @throws GitHubError UNEXPECTED, to be tried later, when the lists do not add up: a missing result could be a failed one.
 */
export async function readPullRequest(
  calls: Pick<RepositoryCalls, 'graphql'>,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<PullRequestFacts | null> {
  const ask = createAsk(calls, ref, signal);
  const data = await ask(pullRequestQuery, { number: ref.number });
  const answer = data === null ? null : parseAnswer(PullRequestAnswer, data, 'pull request');
  const pullRequest = answer?.repository?.pullRequest ?? null;
  if (pullRequest === null) return null;
  const headCommit = await readHeadCommit(ask, pullRequest);
  const contexts = await readAllContexts(ask, headCommit);
  const suites = await readAllSuites(ask, headCommit);
  const threads = await readAllThreads(ask, ref.number, pullRequest.reviewThreads);
  return toPullRequestFacts({ pullRequest, headCommit, contexts, suites, threads });
}

type Ask = (query: string, variables: Readonly<Record<string, unknown>>) => Promise<unknown>;

function createAsk(calls: Pick<RepositoryCalls, 'graphql'>, { repository }: PullRequestRef, signal: AbortSignal): Ask {
  const { owner, name } = repository;
  return (query, variables) => calls.graphql(repository, { query, variables: { owner, name, ...variables } }, signal);
}

/** The last listed commit is the head, but for very long pull requests and for a replica that lags behind (F15). */
async function readHeadCommit(ask: Ask, pullRequest: PullRequestNode): Promise<HeadCommitNode> {
  const last = pullRequest.commits.nodes[0]?.commit;
  if (last?.oid === pullRequest.headRefOid) return last;
  const data = await ask(headCommitQuery, { oid: pullRequest.headRefOid });
  const commit = parseAnswer(HeadCommitAnswer.nullable(), data, 'head commit')?.repository?.object ?? null;
  if (commit?.oid !== pullRequest.headRefOid) throw incomplete('the head commit is not readable yet');
  return commit;
}

async function readAllContexts(ask: Ask, { oid, statusCheckRollup }: HeadCommitNode): Promise<readonly ContextNode[]> {
  if (statusCheckRollup === null) return [];
  const nodes = await readPages<ContextPage, ContextNode>(statusCheckRollup.contexts, async (after) => {
    const data = parseAnswer(ContextsAnswer.nullable(), await ask(contextsQuery, { oid, after }), 'check results');
    return data?.repository?.object?.statusCheckRollup?.contexts ?? null;
  });
  if (nodes.length < statusCheckRollup.contexts.totalCount)
    throw incomplete('the list of check results is not complete');
  return nodes;
}

/** A workflow run without any job shows in its suite alone: one that is not seen could be the one that failed to start. */
async function readAllSuites(ask: Ask, { oid, checkSuites }: HeadCommitNode): Promise<readonly SuiteNode[]> {
  if (checkSuites === null) return [];
  return readPages<SuitePage, SuiteNode>(checkSuites, async (after) => {
    const data = parseAnswer(SuitesAnswer.nullable(), await ask(suitesQuery, { oid, after }), 'check suites');
    return data?.repository?.object?.checkSuites ?? null;
  });
}

async function readAllThreads(ask: Ask, number: number, first: ThreadPage): Promise<readonly ThreadNode[]> {
  return readPages<ThreadPage, ThreadNode>(first, async (after) => {
    const data = parseAnswer(ThreadsAnswer.nullable(), await ask(threadsQuery, { number, after }), 'review threads');
    return data?.repository?.pullRequest?.reviewThreads ?? null;
  });
}

interface Page<Node> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Node[];
}

async function readPages<P extends Page<Node>, Node>(
  first: P,
  readNext: (after: string) => Promise<P | null>,
): Promise<readonly Node[]> {
  const nodes: Node[] = [...first.nodes];
  let { pageInfo }: Page<Node> = first;
  for (let page = 2; pageInfo.hasNextPage; page += 1) {
    const next = page <= maxPages && pageInfo.endCursor !== null ? await readNext(pageInfo.endCursor) : null;
    if (next === null) throw incomplete('a list could not be read to its end');
    nodes.push(...next.nodes);
    pageInfo = next.pageInfo;
  }
  return nodes;
}

function incomplete(what: string): GitHubError {
  return new GitHubError('UNEXPECTED', `pull request: ${what}`, { retry: 'later' });
}
