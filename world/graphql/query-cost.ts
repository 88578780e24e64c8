import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type JsonObject, numberAt, objectAt, stringAt } from '../json.ts';

/** Cost of a query by GitHub's documented formula. `operation` is its name, or its top-level fields. */
export type QueryCost = {
  readonly operation: string;
  readonly points: number;
  /** Maximum nodes that the query may return. GitHub refuses more than 500,000. */
  readonly nodes: number;
};

/** GitHub counts the equivalent REST requests and divides them by this. */
const REQUESTS_PER_POINT = 100;
/** Deeper selections are not counted. The limit also ends recursive fragments. */
const MAX_DEPTH = 40;

type Count = { readonly requests: number; readonly nodes: number };

type Walk = {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: JsonObject;
};

/** A position in the query: its type, the maximum number of such objects, and its depth. */
type Place = { readonly typeName: string; readonly times: number; readonly depth: number };

const NOTHING: Count = { requests: 0, nodes: 0 };

/**
 * Computes the cost of a request's query: one request per connection and parent, with all pages full, divided by 100,
 * rounded, at least 1. A query that cannot be parsed costs 1.
 * https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
 */
export function costOf(schema: GraphQLSchema, request: JsonObject): QueryCost {
  const document = parseQuery(stringAt(request, 'query') ?? '');
  const wanted = stringAt(request, 'operationName');
  const operation = document?.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .find((definition) => wanted === null || definition.name?.value === wanted);
  if (document === null || operation === undefined) return { operation: 'invalid', points: 1, nodes: 0 };
  const definitions = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const walk: Walk = {
    schema,
    fragments: new Map(definitions.map((definition) => [definition.name.value, definition])),
    variables: { ...defaultsOf(operation), ...objectAt(request, 'variables') },
  };
  const typeName = schema.getRootType(operation.operation)?.name ?? '';
  const count = countSelections(walk, operation.selectionSet, { typeName, times: 1, depth: 0 });
  const points = Math.max(1, Math.round(count.requests / REQUESTS_PER_POINT));
  return { operation: nameOf(operation), points, nodes: count.nodes };
}

function parseQuery(query: string): DocumentNode | null {
  try {
    return parse(query);
  } catch {
    return null;
  }
}

function nameOf(operation: OperationDefinitionNode): string {
  if (operation.name !== undefined) return operation.name.value;
  const fields = operation.selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  return fields.map((field) => field.name.value).join(' ');
}

function defaultsOf(operation: OperationDefinitionNode): JsonObject {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) => {
    return defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)] as const] : [];
  });
  return Object.fromEntries(defaults);
}

function countSelections(walk: Walk, set: SelectionSetNode | undefined, place: Place): Count {
  if (set === undefined || place.depth > MAX_DEPTH) return NOTHING;
  const deeper = { ...place, depth: place.depth + 1 };
  let total = NOTHING;
  for (const selection of set.selections) {
    switch (selection.kind) {
      case Kind.FIELD:
        total = add(total, countField(walk, selection, deeper));
        break;
      case Kind.INLINE_FRAGMENT: {
        const typeName = selection.typeCondition?.name.value ?? place.typeName;
        total = add(total, countSelections(walk, selection.selectionSet, { ...deeper, typeName }));
        break;
      }
      case Kind.FRAGMENT_SPREAD: {
        const fragment = walk.fragments.get(selection.name.value);
        const typeName = fragment?.typeCondition.name.value ?? '';
        total = add(total, countSelections(walk, fragment?.selectionSet, { ...deeper, typeName }));
        break;
      }
    }
  }
  return total;
}

function countField(walk: Walk, field: FieldNode, place: Place): Count {
  const parent = walk.schema.getType(place.typeName);
  const hasFields = isObjectType(parent) || isInterfaceType(parent);
  const type = hasFields ? parent.getFields()[field.name.value]?.type : undefined;
  const typeName = type === undefined ? '' : getNamedType(type).name;
  const size = typeName.endsWith('Connection') ? pageSizeOf(walk, field) : null;
  if (size === null) return countSelections(walk, field.selectionSet, { ...place, typeName });
  const times = place.times * size;
  const inner = countSelections(walk, field.selectionSet, { ...place, typeName, times });
  return add({ requests: place.times, nodes: times }, inner);
}

function pageSizeOf(walk: Walk, field: FieldNode): number | null {
  for (const { name, value } of field.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue;
    if (value.kind === Kind.INT) return Number(value.value);
    if (value.kind === Kind.VARIABLE) return numberAt(walk.variables, value.name.value);
  }
  return null;
}

function add(one: Count, other: Count): Count {
  return { requests: one.requests + other.requests, nodes: one.nodes + other.nodes };
}
