import { GraphQLError } from 'graphql';

/** Arguments of a GraphQL field, already validated by GitHub's schema. */
export type FieldArguments = Readonly<Record<string, unknown>>;

/** A field that is computed when a query selects it. */
export type Field = (args: FieldArguments) => unknown;

/** An object of GitHub's schema. Selecting a field that is missing here is a violation. */
export type GraphNode = { readonly __typename: string } & { readonly [field: string]: unknown };

/** Whether the field is computed. */
export function isField(value: unknown): value is Field {
  return typeof value === 'function';
}

/** The argument as a string, or null. */
export function stringArgument(args: FieldArguments, name: string): string | null {
  const value = args[name];
  return typeof value === 'string' ? value : null;
}

/** The argument as a number, or null. */
export function numberArgument(args: FieldArguments, name: string): number | null {
  const value = args[name];
  return typeof value === 'number' ? value : null;
}

/** The argument as a list of strings; empty if there is none. */
export function stringsArgument(args: FieldArguments, name: string): readonly string[] {
  return listArgument(args, name).filter((item) => typeof item === 'string');
}

/** The argument as a list of objects; empty if there is none. */
export function objectsArgument(args: FieldArguments, name: string): readonly FieldArguments[] {
  return listArgument(args, name).flatMap((item) => (typeof item === 'object' && item !== null ? [{ ...item }] : []));
}

function listArgument(args: FieldArguments, name: string): readonly unknown[] {
  const value = args[name];
  return Array.isArray(value) ? value : [];
}

/** An error with GitHub's `type`. */
export function graphError(type: 'NOT_FOUND' | 'FORBIDDEN' | 'UNPROCESSABLE', message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** GitHub's error for a global id that does not exist or is hidden from the caller. */
export function noNode(id: string): GraphQLError {
  return graphError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

const MAX_PAGE = 100;

function toIndex(cursor: string | null): number | null {
  return cursor === null
    ? null
    : Number.parseInt(Buffer.from(cursor, 'base64').toString('utf8').replace('cursor:', ''), 10);
}

function toCursor(index: number): string {
  return Buffer.from(`cursor:${index}`).toString('base64');
}

function checkSize(name: string, size: number | null): void {
  if (size === null || size <= MAX_PAGE) return;
  const message = `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`;
  throw new GraphQLError(message, { extensions: { type: 'EXCESSIVE_PAGINATION' } });
}

/** A page of rows. As on GitHub, `first` or `last` is required and at most 100. */
export function connection<T>(
  typename: string,
  rows: readonly T[],
  args: FieldArguments,
  render: (row: T) => unknown,
): GraphNode {
  const first = numberArgument(args, 'first');
  const last = numberArgument(args, 'last');
  const name = typename.replace(/Connection$/u, '');
  if (first === null && last === null) {
    throw new GraphQLError(
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  checkSize(name, first ?? last);
  const from = (toIndex(stringArgument(args, 'after')) ?? -1) + 1;
  const to = toIndex(stringArgument(args, 'before')) ?? rows.length;
  const start = first === null ? Math.max(from, to - (last ?? 0)) : from;
  const end = first === null ? to : Math.min(to, from + first);
  const page = rows.slice(start, end);
  return {
    __typename: typename,
    totalCount: rows.length,
    nodes: () => page.map(render),
    edges: () => page.map((row, index) => ({ cursor: toCursor(start + index), node: render(row) })),
    pageInfo: {
      hasNextPage: end < rows.length,
      hasPreviousPage: start > 0,
      startCursor: page.length === 0 ? null : toCursor(start),
      endCursor: page.length === 0 ? null : toCursor(end - 1),
    },
  };
}
