import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { GraphqlDocument, RepositoryCalls } from './repository-calls.ts';

/** Runs a GraphQL query about one repository. */
export type Ask = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  options?: Pick<GraphqlDocument, 'optionalField' | 'access'>,
) => Promise<unknown>;

/** Fills in `owner` and `name` of every query. */
export function createAsk(
  calls: Pick<RepositoryCalls, 'graphql'>,
  repository: RepositoryRef,
  signal: AbortSignal,
): Ask {
  const { owner, name } = repository;
  return (query, variables, options = {}) =>
    calls.graphql(repository, { query, variables: { owner, name, ...variables }, ...options }, signal);
}

/** One page of a list. */
export interface Page<Node> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Node[];
}

/** Limit of a paged list: 3,000 results or reviews, 1,200 suites or threads. */
const maxPages = 30;

/** Returns all nodes of a list, from its first page on. @throws GitHubError UNEXPECTED if a page cannot be read. */
export async function readPages<P extends Page<Node>, Node>(
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

/** The error for an incomplete response, to be retried later. Ratchet does not act on half a response. */
export function incomplete(what: string): GitHubError {
  return new GitHubError('UNEXPECTED', `pull request: ${what}`, { retry: 'later' });
}
