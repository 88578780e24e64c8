import type { Caller } from '../auth/caller.ts';
import type { Json, JsonObject } from '../json.ts';
import type { OperationKey } from '../schemas/operations.ts';
import type { AccessLevel, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** A REST answer. A `null` body means no body. */
export type Reply = {
  readonly status: number;
  readonly body: Json | null;
  /** The body as text, if JSON numbers cannot hold what it says. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A validated request. `body` is `{}` if it had none. */
export type RestRequest = {
  readonly world: WorldContext;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** The request's own URL, for Link headers. */
  readonly url: URL;
};

/** Who may call a route without a repository: the App's JWT, an installation token, or anyone. */
export type PlainAccess = 'app' | 'installation' | 'any';

/** The permission that a caller needs on the repository in the path. `isAppOnly` also refuses users. */
export type RepositoryNeed = { readonly permission: string; readonly level: AccessLevel; readonly isAppOnly?: boolean };

type Answer = Promise<Reply> | Reply;

/** A route of a served operation. */
export type Route =
  | {
      readonly kind: 'plain';
      readonly key: OperationKey;
      readonly access: PlainAccess;
      readonly answer: (request: RestRequest) => Answer;
    }
  | {
      readonly kind: 'repository';
      readonly key: OperationKey;
      readonly need: RepositoryNeed;
      readonly answer: (request: RestRequest, repository: Repository) => Answer;
    };

/** A route without a repository. */
export function plain(key: OperationKey, access: PlainAccess, answer: (request: RestRequest) => Answer): Route {
  return { kind: 'plain', key, access, answer };
}

/** A repository route that needs read access to `permission`. */
export function reading(
  key: OperationKey,
  permission: string,
  answer: (request: RestRequest, repository: Repository) => Answer,
): Route {
  return { kind: 'repository', key, need: { permission, level: 'read' }, answer };
}

/** A repository route that needs write access to `permission`. */
export function writing(
  key: OperationKey,
  permission: string,
  answer: (request: RestRequest, repository: Repository) => Answer,
): Route {
  return { kind: 'repository', key, need: { permission, level: 'write' }, answer };
}

/** 200 with a body. */
export function ok(body: Json): Reply {
  return { status: 200, body };
}

/** 201 with a body. */
export function created(body: Json): Reply {
  return { status: 201, body };
}

/** An error in GitHub's format. */
export function failure(status: number, message: string): Reply {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) } };
}

/** 404 in GitHub's format. */
export function notFound(): Reply {
  return failure(404, 'Not Found');
}

/** A number in the path. If it is not a number: NaN, which matches no row. */
export function numberParam(request: RestRequest, name: string): number {
  return Number(request.params[name]);
}

/** A text in the path. */
export function textParam(request: RestRequest, name: string): string {
  return request.params[name] ?? '';
}

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/** One page of a list, and the Link header to the other pages. */
export type Page<T> = { readonly items: readonly T[]; readonly headers: Readonly<Record<string, string>> };

/** The page that a request asks for with `page` and `per_page`. */
export function paginate<T>(request: RestRequest, rows: readonly T[]): Page<T> {
  const perPage = Math.min(Number(request.query.get('per_page') ?? DEFAULT_PER_PAGE) || DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const page = Math.max(Number(request.query.get('page') ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(rows.length / perPage), 1);
  const link = (rel: string, target: number): string => {
    const url = new URL(request.url);
    url.searchParams.set('page', String(target));
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < last ? [link('next', page + 1), link('last', last)] : []),
    ...(page > 1 ? [link('first', 1)] : []),
  ];
  const headers = links.length === 0 ? {} : { link: links.join(', ') };
  return { items: rows.slice((page - 1) * perPage, page * perPage), headers };
}

/** A paginated list answer. */
export async function list<T>(
  request: RestRequest,
  rows: readonly T[],
  render: (row: T) => Promise<JsonObject> | JsonObject,
): Promise<Reply> {
  const page = paginate(request, rows);
  const body: JsonObject[] = [];
  for (const row of page.items) body.push(await render(row));
  return { status: 200, body, headers: page.headers };
}

/** A paginated list inside an object: `{ total_count, [key]: [...] }`. */
export async function countedList<T>(
  request: RestRequest,
  key: string,
  rows: readonly T[],
  render: (row: T) => Promise<JsonObject> | JsonObject,
): Promise<Reply> {
  const reply = await list(request, rows, render);
  return { ...reply, body: { total_count: rows.length, [key]: reply.body } };
}
