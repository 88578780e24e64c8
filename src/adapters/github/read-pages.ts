import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { GraphqlDocument, RepositoryCalls } from './repository-calls.ts';

/** Runs a GraphQL query about one repository. */
export type Ask = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  options?: Pick<GraphqlDocument, 'optionalField' | 'tolerates' | 'access'>,
) => Promise<unknown>;

/** Page sizes are divided by these, in turn, while a query needs more of GitHub than one may take. */
const DIVISORS = [1, 4, 16] as const;

/** Fills in `owner` and `name` of every query, and asks for smaller pages where GitHub cannot answer a query. */
export function createAsk(
  calls: Pick<RepositoryCalls, 'graphql'>,
  repository: RepositoryRef,
  signal: AbortSignal,
): Ask {
  const { owner, name } = repository;
  let level = 0;
  return async (query, variables, options = {}) => {
    for (;;) {
      const sized = withSmallerPages(query, DIVISORS[level] ?? 1);
      try {
        const document = { query: sized, variables: { owner, name, ...variables }, ...options };
        return await calls.graphql(repository, document, signal);
      } catch (error) {
        const smaller = DIVISORS[level + 1];
        const isTooLarge = error instanceof GitHubError && error.code === 'TOO_LARGE';
        if (!isTooLarge || smaller === undefined || withSmallerPages(query, smaller) === sized) throw error;
        level += 1;
      }
    }
  };
}

/** The query with smaller pages of the lists that are read page by page. */
export function withSmallerPages(query: string, divisor: number): string {
  return query.replace(
    /\b(contexts|checkSuites|reviewThreads|reviews)\((first|last): (\d+)/g,
    (_match, list: string, end: string, size: string) =>
      `${list}(${end}: ${Math.max(1, Math.floor(Number(size) / divisor))}`,
  );
}

/** One page of a list. */
export interface Page<Node> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Node[];
}

/** Limit of a paged list with the smallest pages: 720 results, 240 suites, 240 threads; 12,000 reviews. */
const maxPages = 120;

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
