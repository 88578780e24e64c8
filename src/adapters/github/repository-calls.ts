import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CallResponse, MakeCall } from './github-calls.ts';
import type { InstallationTokens } from './installation-tokens.ts';
import { parseResponse } from './parse-response.ts';
import { toGraphqlError } from './to-github-error.ts';

/** A REST call on one repository. `owner` and `repo` are filled in where the route has them. */
export interface RepositoryCall {
  readonly repository: RepositoryRef;
  readonly route: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The purpose of the token, see `TokenPurpose`. */
  readonly access: 'read' | 'write' | 'rerun' | 'update';
  readonly signal: AbortSignal;
  /** Whether the call may be repeated if its effect is unknown. The default is true for reads and false for writes. */
  readonly isIdempotent?: boolean;
  readonly isRaw?: boolean;
}

/** The basic calls of the adapter's operations. */
export interface RepositoryCalls {
  readonly call: (call: RepositoryCall) => Promise<CallResponse>;
  /** Reads all items of a list, page by page, until `limit` items or `maxPages` pages. `pick` returns the items of a page. */
  readonly list: (
    call: RepositoryCall,
    pick: (page: unknown) => readonly unknown[],
    limit?: number,
  ) => Promise<readonly unknown[]>;
  /** The `data` of a GraphQL query; null if the requested object does not exist. */
  readonly graphql: (repository: RepositoryRef, document: GraphqlDocument, signal: AbortSignal) => Promise<unknown>;
  /** The `data` of a GraphQL mutation. @throws GitHubError, with code NOT_FOUND if the object to change does not exist. */
  readonly mutate: (repository: RepositoryRef, mutation: GraphqlMutation, signal: AbortSignal) => Promise<unknown>;
}

/** A GraphQL mutation. */
export interface GraphqlMutation {
  readonly mutation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly access: 'write' | 'resolve' | 'update';
  /** Whether the mutation may be repeated if its effect is unknown. The default is false. */
  readonly isIdempotent?: boolean;
}

/** A GraphQL query. */
export interface GraphqlDocument {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** A root field that may be missing or not readable. It is then null, and the rest of the response is valid. */
  readonly optionalField?: string;
  /** The purpose of the token. The default is `read`. */
  readonly access?: 'read' | 'write' | 'git_push' | 'organization';
}

const perPage = 100;
/** Limit of every list: 5,000 items. */
const maxPages = 50;

const GraphqlResponse = z.object({
  data: z.unknown(),
  errors: z
    .array(z.object({ type: z.string().optional(), message: z.string(), path: z.array(z.unknown()).optional() }))
    .optional(),
});
type GraphqlErrors = NonNullable<z.infer<typeof GraphqlResponse>['errors']>;

interface RepositoryCallDeps {
  readonly makeCall: MakeCall;
  readonly tokens: InstallationTokens;
  readonly clock: Clock;
}

/** Makes calls with a token for their repository. `graphqlUrl` differs between github.com and GitHub Enterprise Server. */
export function createRepositoryCalls(deps: RepositoryCallDeps, graphqlUrl: string): RepositoryCalls {
  const { makeCall, tokens } = deps;

  function call({
    repository,
    route,
    parameters = {},
    access,
    signal,
    isIdempotent,
    isRaw = false,
  }: RepositoryCall): Promise<CallResponse> {
    const isRead = route.startsWith('GET ');
    const named = route.includes('{owner}') ? { owner: repository.owner, repo: repository.name } : {};
    return makeCall({
      route,
      parameters: { ...named, ...parameters },
      installationId: repository.installationId,
      kind: isRead ? 'read' : 'write',
      isIdempotent: isIdempotent ?? isRead,
      token: tokens.shared(repository, access),
      signal,
      isRaw,
    });
  }

  async function list(
    base: RepositoryCall,
    pick: (page: unknown) => readonly unknown[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    for (let page = 1; page <= maxPages && items.length < limit; page += 1) {
      const response = await call({ ...base, parameters: { ...base.parameters, per_page: perPage, page } });
      items.push(...pick(response.data));
      if (!/rel="next"/.test(String(response.headers['link'] ?? ''))) break;
    }
    return items.slice(0, limit);
  }

  return { call, list, ...createGraphqlCalls(deps, graphqlUrl) };
}

function createGraphqlCalls(
  { makeCall, tokens, clock }: RepositoryCallDeps,
  graphqlUrl: string,
): Pick<RepositoryCalls, 'graphql' | 'mutate'> {
  async function graphql(
    repository: RepositoryRef,
    { query, variables, optionalField, access = 'read' }: GraphqlDocument,
    signal: AbortSignal,
  ): Promise<unknown> {
    const response = await makeCall({
      route: `POST ${graphqlUrl}`,
      parameters: { query, variables },
      installationId: repository.installationId,
      // A query changes nothing, although GraphQL uses POST.
      kind: 'read',
      isIdempotent: true,
      token: tokens.shared(repository, access),
      signal,
      judge: ({ data, headers }) => {
        const parsed = GraphqlResponse.safeParse(data);
        const errors = parsed.success ? (parsed.data.errors ?? []) : [];
        return findGraphqlFailure(withoutField(errors, optionalField), headers, clock.now());
      },
    });
    const { data, errors = [] } = parseResponse(GraphqlResponse, response.data, 'GraphQL');
    // The remaining errors say that something does not exist.
    if (withoutField(errors, optionalField).length > 0) return null;
    return errors.length === 0 || optionalField === undefined ? data : { ...toRecord(data), [optionalField]: null };
  }

  async function mutate(
    repository: RepositoryRef,
    { mutation, variables, access, isIdempotent = false }: GraphqlMutation,
    signal: AbortSignal,
  ): Promise<unknown> {
    const response = await makeCall({
      route: `POST ${graphqlUrl}`,
      parameters: { query: mutation, variables },
      installationId: repository.installationId,
      kind: 'write',
      isIdempotent,
      token: tokens.shared(repository, access),
      signal,
      judge: ({ data, headers }) => {
        const parsed = GraphqlResponse.safeParse(data);
        const errors = parsed.success ? (parsed.data.errors ?? []) : [];
        return errors.length === 0 ? null : (findGraphqlFailure(errors, headers, clock.now()) ?? toAbsence(errors));
      },
    });
    return parseResponse(GraphqlResponse, response.data, 'GraphQL').data;
  }

  return { graphql, mutate };
}

/** The error of a mutation whose object does not exist. */
function toAbsence([first]: GraphqlErrors): GitHubError {
  return new GitHubError('NOT_FOUND', `GraphQL: ${(first?.message ?? '').slice(0, 200)}`, { retry: 'never' });
}

/** Null also for errors which only say that something does not exist: that is a result. */
function findGraphqlFailure(
  errors: GraphqlErrors,
  headers: CallResponse['headers'],
  nowMs: number,
): GitHubError | null {
  return errors.every(({ type }) => type === 'NOT_FOUND') ? null : toGraphqlError(errors, headers, nowMs);
}

const isAbsence: ReadonlySet<string | undefined> = new Set(['NOT_FOUND', 'FORBIDDEN']);

/** The errors without those about a missing or unreadable optional field. */
function withoutField(errors: GraphqlErrors, optionalField: string | undefined): GraphqlErrors {
  if (optionalField === undefined) return errors;
  return errors.filter(({ path, type }) => path?.[0] !== optionalField || !isAbsence.has(type));
}

function toRecord(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

/**
 * Runs `find`, then `create` if nothing was found. `isFirst` says that nothing can exist yet and skips the first
 * `find`. After a failure with unknown effect, runs `find` again before the next `create` (F13).
 */
export async function findOrCreate<Found>(
  find: () => Promise<Found | null>,
  create: () => Promise<Found>,
  {
    waitBefore,
    isFirst = false,
  }: { readonly waitBefore: (attempt: number) => Promise<void>; readonly isFirst?: boolean },
): Promise<{ readonly value: Found; readonly isNew: boolean }> {
  const maxAttempts = 3;
  for (let attempt = 1; ; attempt += 1) {
    const existing = isFirst && attempt === 1 ? null : await find();
    if (existing !== null) return { value: existing, isNew: false };
    try {
      return { value: await create(), isNew: true };
    } catch (error) {
      if (!(error instanceof GitHubError) || error.retry !== 'now' || attempt >= maxAttempts) throw error;
      await waitBefore(attempt);
    }
  }
}
