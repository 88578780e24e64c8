import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CallResponse, MakeCall } from './github-calls.ts';
import type { InstallationTokens } from './installation-tokens.ts';
import { parseResponse } from './parse-response.ts';
import { type GraphqlError, toGraphqlError } from './to-github-error.ts';

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
  /** Whether the response is valid despite this error. What the error is about is null in `data`. */
  readonly tolerates?: (error: PartialError, data: unknown) => boolean;
  /** The purpose of the token. The default is `read`. */
  readonly access?: 'read' | 'write' | 'git_push' | 'organization';
}

/** An error of a GraphQL response. Its path leads to the part of `data` that it is about. */
export interface PartialError extends GraphqlError {
  readonly path?: readonly unknown[] | null | undefined;
}

const perPage = 100;
/** Limit of every list: 5,000 items. */
const maxPages = 50;

/** GitHub leaves `data` out of some errors. */
const GraphqlResponse = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.object({
        type: z.string().nullish(),
        code: z.string().nullish(),
        message: z.string().catch(''),
        path: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish()
    .transform((errors) => errors ?? []),
});

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
  const route = `POST ${graphqlUrl}`;

  async function graphql(
    repository: RepositoryRef,
    { query, variables, access = 'read', ...optional }: GraphqlDocument,
    signal: AbortSignal,
  ): Promise<unknown> {
    let absence: GitHubError | null = null;
    try {
      const response = await makeCall({
        route,
        parameters: { query, variables },
        installationId: repository.installationId,
        // A query changes nothing, although GraphQL uses POST.
        kind: 'read',
        isIdempotent: true,
        token: tokens.shared(repository, access),
        signal,
        judge: (answer) => {
          const failure = findFailure(answer, optional, clock.now());
          absence = failure?.code === 'NOT_FOUND' ? failure : null;
          return failure;
        },
      });
      const { data, errors } = parseResponse(GraphqlResponse, response.data, 'GraphQL');
      const { optionalField } = optional;
      const isWhole = optionalField === undefined || !errors.some((error) => isOf(error, optionalField));
      return isWhole ? data : { ...toRecord(data), [optionalField]: null };
    } catch (error) {
      // That something does not exist is a result.
      if (error === absence) return null;
      throw error;
    }
  }

  async function mutate(
    repository: RepositoryRef,
    { mutation, variables, access, isIdempotent = false }: GraphqlMutation,
    signal: AbortSignal,
  ): Promise<unknown> {
    const response = await makeCall({
      route,
      parameters: { query: mutation, variables },
      installationId: repository.installationId,
      kind: 'write',
      isIdempotent,
      token: tokens.shared(repository, access),
      signal,
      judge: (answer) => findFailure(answer, {}, clock.now()),
    });
    return parseResponse(GraphqlResponse, response.data, 'GraphQL').data;
  }

  return { graphql, mutate };
}

/** The error in a GraphQL response with status 200, NOT_FOUND if it only says that something does not exist; or null. */
function findFailure(
  answer: CallResponse,
  { optionalField, tolerates }: Pick<GraphqlDocument, 'optionalField' | 'tolerates'>,
  nowMs: number,
): GitHubError | null {
  const parsed = GraphqlResponse.safeParse(answer.data);
  if (!parsed.success) return null;
  const { data, errors } = parsed.data;
  const left = errors.filter(
    (error) => !(optionalField !== undefined && isOf(error, optionalField)) && !(tolerates?.(error, data) ?? false),
  );
  if (left.some(({ type }) => type !== 'NOT_FOUND')) return toGraphqlError(left, answer.headers, nowMs);
  const [first] = left;
  if (first !== undefined)
    return new GitHubError('NOT_FOUND', `GraphQL: ${first.message.slice(0, 200)}`, { retry: 'never' });
  return data === null || data === undefined
    ? new GitHubError('UNAVAILABLE', 'GraphQL: GitHub answered without data', { retry: 'now' })
    : null;
}

const isAbsence: ReadonlySet<string | null | undefined> = new Set(['NOT_FOUND', 'FORBIDDEN']);

/** Whether the error says that an optional field is missing or not readable. */
function isOf({ path, type }: PartialError, optionalField: string): boolean {
  return path?.[0] === optionalField && isAbsence.has(type);
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
  }: { readonly waitBefore: (tries: number) => Promise<void>; readonly isFirst?: boolean },
): Promise<{ readonly value: Found; readonly isNew: boolean }> {
  const maxTries = 3;
  for (let tries = 1; ; tries += 1) {
    const existing = isFirst && tries === 1 ? null : await find();
    if (existing !== null) return { value: existing, isNew: false };
    try {
      return { value: await create(), isNew: true };
    } catch (error) {
      if (!(error instanceof GitHubError) || error.retry !== 'now' || tries >= maxTries) throw error;
      await waitBefore(tries);
    }
  }
}
