import type { Sha } from '../../core/model/ids.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import {
  type ContextNode,
  type ContextPage,
  ContextsResponse,
  type HeadCommitNode,
  HeadCommitResponse,
  type SuiteNode,
  type SuitePage,
  SuitesResponse,
} from '../../payloads/pull-request-schema.ts';
import { toCheckResults } from '../../payloads/to-check-results.ts';
import { parseResponse } from './parse-response.ts';
import { contextsQuery, headCommitQuery, suitesQuery } from './pull-request-query.ts';
import { type Ask, createAsk, incomplete, readPages } from './read-pages.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** Returns all CI results of a commit. @throws GitHubError UNEXPECTED (retry later) if a list is incomplete. */
export async function readChecksAt(
  calls: Pick<RepositoryCalls, 'graphql'>,
  at: { readonly repository: RepositoryRef; readonly sha: Sha },
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const ask = createAsk(calls, at.repository, signal);
  const commit = await readCommit(ask, at.sha);
  return toCheckResults(await readCiOf(ask, commit), at.sha);
}

/** Reads a commit by its SHA. @throws GitHubError UNEXPECTED (retry later) if the commit is not readable yet. */
export async function readCommit(ask: Ask, oid: Sha): Promise<HeadCommitNode> {
  const data = await ask(headCommitQuery, { oid });
  const commit = parseResponse(HeadCommitResponse.nullable(), data, 'head commit')?.repository?.object ?? null;
  if (commit?.oid !== oid) throw incomplete('the head commit is not readable yet');
  return commit;
}

/** Reads the remaining pages of a commit's CI results and checks that the lists are complete (trap 42). */
export async function readCiOf(
  ask: Ask,
  commit: HeadCommitNode,
): Promise<{ readonly contexts: readonly ContextNode[]; readonly suites: readonly SuiteNode[] }> {
  return { contexts: await readAllContexts(ask, commit), suites: await readAllSuites(ask, commit) };
}

async function readAllContexts(ask: Ask, { oid, statusCheckRollup }: HeadCommitNode): Promise<readonly ContextNode[]> {
  if (statusCheckRollup === null) return [];
  const { contexts } = statusCheckRollup;
  const nodes = await readPages<ContextPage, ContextNode>(contexts, async (after) => {
    const data = parseResponse(ContextsResponse.nullable(), await ask(contextsQuery, { oid, after }), 'check results');
    return data?.repository?.object?.statusCheckRollup?.contexts ?? null;
  });
  assertAll(nodes, contexts.totalCount, 'check results');
  return nodes;
}

/** A workflow run without jobs appears only as a check suite. A missing suite could be a run that failed to start. */
async function readAllSuites(ask: Ask, { oid, checkSuites }: HeadCommitNode): Promise<readonly SuiteNode[]> {
  if (checkSuites === null) return [];
  const nodes = await readPages<SuitePage, SuiteNode>(checkSuites, async (after) => {
    const data = parseResponse(SuitesResponse.nullable(), await ask(suitesQuery, { oid, after }), 'check suites');
    return data?.repository?.object?.checkSuites ?? null;
  });
  assertAll(nodes, checkSuites.totalCount, 'check suites');
  return nodes;
}

/** If a list changes while its pages are read, one item may come twice and another be missing. So only distinct ids count. */
function assertAll(nodes: readonly { readonly id: string }[], totalCount: number, what: string): void {
  if (new Set(nodes.map(({ id }) => id)).size < totalCount) throw incomplete(`the list of ${what} is not complete`);
}
